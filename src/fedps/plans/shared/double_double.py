"""Double-double: numbers of 106 bits as sums of two doubles, and the triangle of a Gram matrix in them.

A Gram matrix squares the condition number, which costs half of all digits. With twice as many digits, and
none lost on the way to it, its triangle is as good as that of a QR decomposition of the rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array

_SPLIT = 2.0**27 + 1  # takes a double apart into two of 26 bits (Veltkamp)
_NOISE = (
    2.0**-100
)  # what is left of a column that follows from those before it, less than this, is nothing


class Pair(NamedTuple):
    """Numbers as unevaluated sums of two doubles, the second at most half of the last bit of the first."""

    high: Array
    low: Array


def pair_of(ring: Array) -> Pair:
    """Return numbers of the ring, with their signs, to 106 bits.

    >>> from fedps.statistics.masked.ring import in_ring
    >>> high, low = pair_of(in_ring(np.array([3, -(2**60) - 1])))
    >>> high.astype(int).tolist(), low.tolist()
    ([3, -1152921504606846976], [0.0, -1.0])
    """
    low, high = ring[..., 0], ring[..., 1].view(np.int64)
    halves = (
        (high >> 32).astype(np.float64) * 2.0**96,
        (high & 0xFFFFFFFF).astype(np.float64) * 2.0**64,
        (low >> np.uint64(32)).astype(np.float64) * 2.0**32,
        (low & np.uint64(0xFFFFFFFF)).astype(np.float64),
    )
    total = Pair(halves[0], np.zeros_like(halves[0]))
    for half in halves[1:]:
        total = _sum(total, Pair(half, np.zeros_like(half)))
    return total


def triangle_of(gram: Pair) -> Array:
    """Return the upper triangle R with R'R = Gram; rows of zeros for columns that follow from those before.

    >>> gram = np.array([[4.0, 2.0, 2.0], [2.0, 10.0, 1.0], [2.0, 1.0, 1.0]])
    >>> triangle_of(Pair(gram, np.zeros((3, 3))))
    array([[2., 1., 1.],
           [0., 3., 0.],
           [0., 0., 0.]])
    """
    width = len(gram.high)
    least = _NOISE * width * np.diagonal(gram.high)
    triangle = np.zeros((width, width))
    rest = gram
    for j in range(width):  # ``rest`` is what is left of the columns from j on
        if rest.high[0, 0] > least[j]:
            root = _root(Pair(rest.high[:1, 0], rest.low[:1, 0]))
            row = _ratio(Pair(rest.high[0], rest.low[0]), root)
            triangle[j, j:] = row.high
            rest = _less_products(rest, row)
        rest = Pair(rest.high[1:, 1:], rest.low[1:, 1:])
    return triangle


def _less_products(table: Pair, row: Pair) -> Pair:
    """Return a table minus the products of any two numbers of a row."""
    upright = Pair(row.high[:, None], row.low[:, None])
    found = _product(upright, Pair(row.high[None], row.low[None]))
    return _sum(table, Pair(-found.high, -found.low))


def _two_sum(left: Array, right: Array) -> Pair:
    total = left + right
    part = total - left
    return Pair(total, (left - (total - part)) + (right - part))


def _short_sum(high: Array, low: Array) -> Pair:
    """Return the sum of two doubles of which the first is the larger."""
    total = high + low
    return Pair(total, low - (total - high))


def _sum(left: Pair, right: Pair) -> Pair:
    high, low = _two_sum(left.high, right.high), _two_sum(left.low, right.low)
    first = _short_sum(high.high, high.low + low.high)
    return _short_sum(first.high, first.low + low.low)


def _two_product(left: Array, right: Array) -> Pair:
    total = left * right
    (a, b), (c, d) = _halves(left), _halves(right)
    return Pair(total, ((a * c - total) + a * d + b * c) + b * d)


def _halves(numbers: Array) -> Pair:
    turned = _SPLIT * numbers
    high = turned - (turned - numbers)
    return Pair(high, numbers - high)


def _product(left: Pair, right: Pair) -> Pair:
    found = _two_product(left.high, right.high)
    return _short_sum(found.high, found.low + (left.high * right.low + left.low * right.high))


def _ratio(left: Pair, right: Pair) -> Pair:
    """Return the ratio: a first guess, and what the rest adds to it, twice."""
    found = Pair(left.high / right.high, np.zeros_like(left.high))
    for _ in range(2):
        back = _product(found, right)
        rest = _sum(left, Pair(-back.high, -back.low))
        found = _sum(found, Pair(rest.high / right.high, np.zeros_like(left.high)))
    return found


def _root(number: Pair) -> Pair:
    """Return the square root: a first guess, and what the rest adds to it."""
    guess = np.sqrt(number.high)
    square = _two_product(guess, guess)
    rest = _sum(number, Pair(-square.high, -square.low))
    return _short_sum(guess, rest.high / (2 * guess))
