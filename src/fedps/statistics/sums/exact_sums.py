"""Exact sums of doubles, so that no result depends on the order or the grouping of clients.

Every double is an integer times a power of two. Sums and products of such numbers are exact in
Python's integers; only the last step, back to a double, rounds, and it rounds once. That is cheap:
there are a few numbers per client and column, and not one per row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedps.statistics.base import Array


@dataclass(frozen=True)
class Exact:
    """An array of numbers ``digits * 2**exponent``: Python integers, one exponent per column."""

    digits: Array
    exponent: Array

    @classmethod
    def of(cls, values: Array) -> Exact:
        """Return the exact values of an array of doubles.

        >>> Exact.of(np.array([0.5, 3.0])).rounded()
        array([0.5, 3. ])
        """
        fractions, exponents = np.frexp(np.atleast_2d(values))
        digits = (fractions * 2.0**53).astype(np.int64)  # a double has 53 bits: nothing is lost
        # each column in units of its finest cell, so that its cells can be added as integers
        none = np.iinfo(exponents.dtype).max
        finest = np.where(digits == 0, none, exponents).min(axis=0, initial=none)
        finest = np.where(finest == none, 0, finest)
        shifts = np.where(digits == 0, 0, exponents - finest)
        whole = digits.astype(object) << shifts.astype(object)
        exponent = finest.astype(np.int64) - 53
        return cls(whole if values.ndim == 2 else whole[0], exponent)

    def sum(self) -> Exact:
        """Return the sum of each column."""
        return Exact(np.add.reduce(self.digits, axis=0, initial=0), self.exponent)

    def __add__(self, other: Exact) -> Exact:
        least = np.minimum(self.exponent, other.exponent)
        left, right = self.exponent - least, other.exponent - least
        digits = (self.digits << left.astype(object)) + (other.digits << right.astype(object))
        return Exact(digits, least)

    def __neg__(self) -> Exact:
        return Exact(-self.digits, self.exponent)

    def __mul__(self, other: Exact) -> Exact:
        return Exact(self.digits * other.digits, self.exponent + other.exponent)

    def twice(self) -> Exact:
        """Return the numbers times two."""
        return Exact(self.digits, self.exponent + 1)

    def over(self, other: Exact) -> Array:
        """Return the quotients, rounded once; NaN where the divisor is 0."""
        found = _divide(self.digits, other.digits, (self.exponent - other.exponent).astype(object))
        return np.asarray(found, dtype=np.float64)

    def rounded(self) -> Array:
        """Return the nearest doubles."""
        return self.over(Exact(np.ones_like(self.digits), np.zeros_like(self.exponent)))


def _quotient(top: int, bottom: int, shift: int) -> float:
    """Return ``top / bottom * 2**shift``: Python divides integers with one rounding."""
    if bottom == 0:
        return float("nan")
    try:
        return (top << shift) / bottom if shift >= 0 else top / (bottom << -shift)
    except OverflowError:
        return float("inf") if (top > 0) == (bottom > 0) else float("-inf")


_divide: Any = np.frompyfunc(_quotient, 3, 1)
