"""Exact sums of doubles, so that no result depends on the order or the grouping of clients.

Every double is an integer times a power of two. Sums and products of such *dyadic* numbers are
exact in Python's integers; only the last step, back to a double, rounds, and it rounds once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array


class Dyadic(NamedTuple):
    """The number ``digits * 2**exponent``."""

    digits: int
    exponent: int

    def plus(self, other: Dyadic) -> Dyadic:
        """Return the exact sum."""
        if self.exponent >= other.exponent:
            shifted = self.digits << (self.exponent - other.exponent)
            return Dyadic(shifted + other.digits, other.exponent)
        return other.plus(self)

    def times(self, other: Dyadic) -> Dyadic:
        """Return the exact product."""
        return Dyadic(self.digits * other.digits, self.exponent + other.exponent)

    def minus(self, other: Dyadic) -> Dyadic:
        """Return the exact difference."""
        return self.plus(Dyadic(-other.digits, other.exponent))

    def over(self, other: Dyadic) -> float:
        """Return the quotient, rounded once.

        >>> Dyadic(1, 0).over(Dyadic(10, 0))
        0.1
        """
        shift = self.exponent - other.exponent
        top, bottom = self.digits, other.digits
        if shift >= 0:
            top <<= shift
        else:
            bottom <<= -shift
        try:
            return top / bottom
        except OverflowError:
            return float("inf") if (top > 0) == (bottom > 0) else float("-inf")

    def rounded(self) -> float:
        """Return the nearest double."""
        return self.over(ONE)


ZERO = Dyadic(0, 0)
ONE = Dyadic(1, 0)
TWO = Dyadic(2, 0)


def dyadic(values: Array) -> list[Dyadic]:
    """Return the exact value of each double of a one-dimensional array."""
    fractions, exponents = np.frexp(values)
    digits = (fractions * 2.0**53).astype(np.int64).tolist()
    return [Dyadic(d, e - 53) for d, e in zip(digits, exponents.tolist(), strict=True)]
