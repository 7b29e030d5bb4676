"""Ring: whole numbers modulo 2^128, two limbs of 64 bits each, and products of matrices of them.

A number of the ring has its low limb first, on the last axis of an array. BLAS multiplies digits of 16
bits as doubles: sums over so many rows stay below 2^53, so that nothing is rounded.
"""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array

LIMBS = 2
_DIGITS = 4 * LIMBS  # of 16 bits
_ROWS_AT_ONCE = 1 << 16  # 8 products of two digits, over so many rows, are below 2^53
_CELLS_AT_ONCE = 1 << 21  # digits as doubles: 16 MB


def in_ring(numbers: Array) -> Array:
    """Return 64-bit integers as numbers of the ring; negative ones count from its end.

    >>> in_ring(np.array([2, -1])).tolist()
    [[2, 0], [18446744073709551615, 18446744073709551615]]
    """
    return np.stack([numbers, numbers >> 63], axis=-1).astype(np.int64).view(np.uint64)


def doubles_in_ring(numbers: Array) -> Array:
    """Return whole doubles below 2^127 as numbers of the ring.

    >>> doubles_in_ring(np.array([2.0**64 + 2.0**20, -1.0])).tolist()
    [[1048576, 1], [18446744073709551615, 18446744073709551615]]
    """
    size = np.abs(numbers)
    high = np.floor(np.ldexp(size, -64))
    low = size - np.ldexp(high, 64)  # the lower bits: exact
    ring = np.stack([low, high], axis=-1).astype(np.uint64)
    return np.where((numbers < 0)[..., None], ring_difference(np.zeros_like(ring), ring), ring)


def doubles_of_ring(ring: Array) -> Array:
    """Return the doubles nearest to numbers of the ring, whose upper half is negative.

    >>> doubles_of_ring(in_ring(np.array([7, -1]))).tolist()
    [7.0, -1.0]
    """
    negative = ring[..., 1] >> np.uint64(63) == 1
    size = np.where(negative[..., None], ring_difference(np.zeros_like(ring), ring), ring)
    numbers = np.ldexp(size[..., 1].astype(np.float64), 64) + size[..., 0].astype(np.float64)
    return np.where(negative, -numbers, numbers)


def ring_sum(left: Array, right: Array) -> Array:
    """Return the sums of numbers of the ring."""
    total = left + right
    total[..., 1] += total[..., 0] < left[..., 0]
    return np.asarray(total)


def ring_difference(left: Array, right: Array) -> Array:
    """Return the differences of numbers of the ring.

    >>> one, three = in_ring(np.array([1])), in_ring(np.array([3]))
    >>> bool((ring_difference(one, three) == in_ring(np.array([-2]))).all())
    True
    """
    rest = left - right
    rest[..., 1] -= left[..., 0] < right[..., 0]
    return np.asarray(rest)


def turned(table: Array) -> Array:
    """Return a table of numbers of the ring with its rows as columns."""
    return np.ascontiguousarray(table.swapaxes(0, 1))


def ring_products(left: Array, right: Array) -> Array:
    """Return ``left.T @ right``: sums over all rows, in the ring.

    Both are tables of numbers of the ring, or of 64-bit integers, which take half as long.

    >>> table = np.array([[2, -3], [5, 7]])
    >>> found = ring_products(table, table)
    >>> bool((found == in_ring(table.T @ table)).all())
    True
    """
    width, other = left.shape[1], right.shape[1]
    total = np.zeros((width, other, LIMBS), dtype=np.uint64)
    if width == 0 or other == 0:
        return total
    step = min(_ROWS_AT_ONCE, max(1, _CELLS_AT_ONCE // (_DIGITS * (width + other))))
    for start in range(0, len(left), step):
        one, two = (_digits(table[start : start + step]) for table in (left, right))
        for place, numbers in enumerate(_convolved(one, two)):
            total = ring_sum(total, _shifted(in_ring(numbers.astype(np.int64)), place))
    return total


def _digits(table: Array) -> Array:
    """Return the digits of numbers, the lowest first: (digits, rows, columns). The last has the sign."""
    rows, width = table.shape[:2]
    flat = np.ascontiguousarray(table)
    digits = flat.view("<u2").reshape(rows, width, -1).transpose(2, 0, 1).astype(np.float64)
    if table.ndim == 2:  # 64-bit integers
        digits[-1] = table >> 48
    return digits


def _convolved(one: Array, two: Array) -> Array:
    """Return the sums of products of digits by their place, of those places that the ring has."""
    width, (count, rows, other) = one.shape[2], two.shape
    beside = two.transpose(1, 0, 2).reshape(rows, count * other)
    found = np.zeros((_DIGITS, width, other))
    for i, digit in enumerate(one):
        kept = min(count, _DIGITS - i)
        products = (digit.T @ beside[:, : kept * other]).reshape(width, kept, other)
        found[i : i + kept] += products.transpose(1, 0, 2)
    return found


def _shifted(numbers: Array, place: int) -> Array:
    """Return numbers of the ring, times 2^16 to the power of a place."""
    low, high = numbers[..., 0], numbers[..., 1]
    limbs, bits = divmod(16 * place, 64)
    if limbs:
        return np.stack([np.zeros_like(low), low << np.uint64(bits)], axis=-1)
    if not bits:
        return numbers
    carried = low >> np.uint64(64 - bits)
    return np.stack([low << np.uint64(bits), high << np.uint64(bits) | carried], axis=-1)
