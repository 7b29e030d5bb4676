"""Sums of a column: from its table of values where that is known, from the clients' own sums elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from fedps.statistics import Marginal
from fedps.statistics.base import Array

_TOO_SMALL = 1e-190


@dataclass(frozen=True)
class Sums:
    """Count, mean, and sum of squared deviations from the mean.

    ``third`` is the sum of cubed deviations in units of the root of ``square``; NaN where it is not known.
    """

    count: int
    mean: float
    square: float
    third: float = nan

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
        return n * sqrt(n - 1) / (n - 2) * self.third

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
        square = float((counts * around**2).sum())
        third = float((counts * (around / sqrt(square)) ** 3).sum()) if square > 0 else 0.0
    return Sums(count, middle + shift, square, third)


def sums_about(
    count: float, mean: float, variance: float, off: float = nan, cube: float = nan
) -> Sums:
    """Return sums from a mean and a variance, and from cubed deviations from a number ``off`` below the mean."""
    if not count:
        return Sums(0, nan, 0.0)
    square = count * variance
    if square < _TOO_SMALL:  # its cubes are too small for doubles
        return Sums(int(count), mean, square)
    about_mean = cube - 3 * off * square - count * off**3
    return Sums(int(count), mean, square, about_mean / square / sqrt(square))


def numbers_or_none(values: Array) -> tuple[float | None, ...]:
    """Return numbers, None in place of NaN.

    >>> numbers_or_none(np.array([1.0, np.nan]))
    (1.0, None)
    """
    return tuple(number_or_none(value) for value in np.asarray(values, dtype=np.float64).tolist())


def number_or_none(value: float) -> float | None:
    """Return a number, None in place of NaN and infinity."""
    return value if np.isfinite(value) else None
