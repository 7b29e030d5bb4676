"""Sums of a column: from its table of values where that is known, from the clients' own sums elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from fedps.statistics import Marginal
from fedps.statistics.base import Array


@dataclass(frozen=True)
class Sums:
    """Count, mean, sums of squared and of cubed deviations from the mean; a sum that is not known is NaN."""

    count: int
    mean: float
    square: float
    cube: float = nan

    @property
    def std(self) -> float:
        """The standard deviation of a sample, as in pandas."""
        return sqrt(self.square / (self.count - 1)) if self.count > 1 else nan

    @property
    def variance(self) -> float:
        """The variance of a sample."""
        return self.square / (self.count - 1) if self.count > 1 else nan

    @property
    def skewness(self) -> float:
        """The skewness of a sample, as in pandas."""
        n = self.count
        if n < 3:
            return nan
        if self.square <= 0:
            return 0.0
        return n * sqrt(n - 1) / (n - 2) * self.cube / (self.square * sqrt(self.square))

    def without(self, part: Sums) -> Sums:
        """Return what is left without a part of the cells."""
        count = self.count - part.count
        if count <= 0:
            return Sums(0, nan, 0.0)
        mean = (
            self.mean + (self.mean - part.mean) * (part.count / count) if part.count else self.mean
        )
        between = part.count * count / self.count * (part.mean - mean) ** 2 if part.count else 0.0
        return Sums(count, mean, max(self.square - part.square - between, 0.0))


def sums_of_table(column: Marginal) -> Sums:
    """Return the sums of a column whose values are all known."""
    values, counts = column.values, column.counts.astype(np.float64)
    count = int(column.counts.sum())
    if not count:
        return Sums(0, nan, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = float(values[np.searchsorted(counts.cumsum(), counts.sum() / 2)])
        away = values - middle
        shift = float((counts * away).sum()) / count
        around = away - shift
        square, cube = float((counts * around**2).sum()), float((counts * around**3).sum())
    return Sums(count, middle + shift, square, cube)


def sums_about(count: float, mean: float, variance: float, pivot: float, cube: float) -> Sums:
    """Return sums from a mean and a variance, and from cubed deviations from a pivot."""
    if not count:
        return Sums(0, nan, 0.0)
    off = mean - pivot
    return Sums(
        int(count), mean, count * variance, cube - 3 * off * count * variance - count * off**3
    )


def pivot_of(column: Marginal) -> float:
    """Return a number near the mean of a column, as far as that is known."""
    middles = (column.bins.lower + column.bins.upper) / 2
    where = np.concatenate([column.values, middles])
    weight = np.concatenate([column.counts, column.bins.counts])
    known = np.isfinite(where)
    if not known.any():
        return 0.0
    return float(np.average(where[known], weights=weight[known]))


def numbers_or_none(values: Array) -> tuple[float | None, ...]:
    """Return numbers, None in place of NaN.

    >>> numbers_or_none(np.array([1.0, np.nan]))
    (1.0, None)
    """
    return tuple(number_or_none(value) for value in np.asarray(values, dtype=np.float64).tolist())


def number_or_none(value: float) -> float | None:
    """Return a number, None in place of NaN and infinity."""
    return value if np.isfinite(value) else None
