"""Sketched: quantiles and ranks of one column, from a sketch of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedps.statistics.base import Array


@dataclass(frozen=True)
class Sketched:
    """Some cells of a column in order, and for each how many cells are at most as large.

    ``n`` cells are numbers and ``nan`` are missing; ``minimum`` and ``maximum`` are exact, and NaN
    where ``n`` is 0.

    >>> sketched = Sketched(np.array([2.0, 5.0]), np.array([1, 3]), 3, 0, 2.0, 9.0)
    >>> sketched.quantiles([0, 0.3, 0.5, 1]), sketched.rank(2.5)
    (array([2., 2., 5., 9.]), array(0.33333333))
    """

    items: Array
    upto: Array
    n: int
    nan: int
    minimum: float
    maximum: float

    def quantiles(self, q: Any) -> Array:
        """Return for each share q the smallest item with at least this share of cells up to it.

        This is NumPy's method ``inverted_cdf``. Shares 0 and 1 give the exact extremes.
        """
        shares = np.asarray(q, dtype=np.float64)
        if not ((shares >= 0) & (shares <= 1)).all():
            raise ValueError("q must be in 0..1")
        if self.n == 0:
            return np.full(shares.shape, np.nan)
        place = np.searchsorted(self.upto, shares * self.n)
        found = self.items[np.minimum(place, len(self.items) - 1)]
        found = np.where(shares == 0, self.minimum, found)
        return np.where(shares == 1, self.maximum, found)

    def values_at(self, ranks: Array) -> Array:
        """Return the values at the given ranks, counted from 0, of the sorted cells."""
        place = np.searchsorted(self.upto, ranks, side="right")
        found = self.items[np.minimum(place, len(self.items) - 1)] if self.n else self.items
        found = np.where(ranks == 0, self.minimum, found)
        return np.where(ranks == self.n - 1, self.maximum, found)

    def rank(self, x: Any) -> Array:
        """Return for each number the share of cells that are at most as large."""
        points = np.asarray(x, dtype=np.float64)
        if self.n == 0:
            return np.full(points.shape, np.nan)
        before = np.concatenate([[0], self.upto])
        return np.asarray(before[np.searchsorted(self.items, points, side="right")] / self.n)
