"""Moments: count, mean and variance per column, rounded once from exact totals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedps.statistics.base import (
    Array,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    parts_of_all,
    refuse_columns,
)
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.sums.column_sums import Exact, of_dense, of_sparse

_COLUMNS_AT_ONCE = 1 << 12  # exact numbers are Python integers: each takes several times a double


class MomentsSummary(Summary, frozen=True, array_like=True, tag="moments"):
    """Sums of deviations from a pivot, and of their squares; one line per part of the data.

    Mean and variance of data far from zero cannot be merged from rounded means (see
    docs/decisions/003-exact-moments.md). A pivot near the mean keeps the deviations small, and parts
    with different pivots are put together exactly when the result is taken. Columns of integers get
    an integer pivot: their sums are exact, and short on the wire.
    """

    width_field: ClassVar[str | None] = "square"
    told_fields: ClassVar[tuple[str, ...]] = ("deviation", "square")

    count: Array
    pivot: Array
    deviation: Array
    square: Array

    def check(self, width: int, rows: int) -> None:
        """Check shapes, signs and that sums of no cells are 0."""
        demand_array(self.count, "count", "float64", (None, width))
        parts = len(self.count)
        demand(parts <= 1, "count", f"has {parts} parts, not one")  # see Moments.compact
        for field in ("pivot", "deviation"):
            demand_array(getattr(self, field), field, "float64", (parts, width))
        demand_array(self.square, "square", "float64", (None, width))
        demand(len(self.square) in (0, parts), "square", "has another number of parts than count")
        _demand_finite(self, "count", "pivot", "deviation", "square")
        fewest = self.count.min(initial=1)
        demand(fewest >= 0, "count", "must not be negative")
        demand(self.square.min(initial=0) >= 0, "square", "must not be negative")
        if fewest == 0:
            nothing = self.count == 0
            demand((self.deviation[nothing] == 0).all(), "deviation", "must be 0 where count is 0")
            if len(self.square):
                demand((self.square[nothing] == 0).all(), "square", "must be 0 where count is 0")

    def support(self) -> Array:
        """Return the counts."""
        return np.asarray(self.count.sum(axis=0))


def _demand_finite(summary: MomentsSummary, *fields: str) -> None:
    """Check that arrays of doubles have finite numbers only; all of them at once, as most are good."""
    arrays = [getattr(summary, field) for field in fields]
    if not np.isfinite(np.concatenate(arrays, axis=None)).all():
        bad = next(f for f, a in zip(fields, arrays, strict=True) if not np.isfinite(a).all())
        demand(False, bad, "must be finite")


@dataclass(frozen=True)
class Mean:
    """Count, mean and variance per column; the variance is None if it was not requested.

    ``rest`` are the exact means less the rounded ones, which tell a third moment far from zero.
    """

    count: Array
    mean: Array
    variance: Array | None
    rest: Array | None = None


class Moments(Statistic[MomentsSummary, Mean], frozen=True, array_like=True, tag="moments"):
    """Mean of each column, and with ``order=2`` its variance; missing cells are left out.

    ``missing`` is scikit-learn's ``missing_values`` (default: NaN), ``weight`` a column of row
    weights. Level AGGREGATE: shows sums over all rows. Costs three numbers per column, four with the
    variance.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    additive: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = MomentsSummary

    order: int = 2
    missing: float | None = None
    weight: str | None = None

    @property
    def tells_cells(self) -> bool:
        """Not with weights: their sum is not a number of cells."""
        return self.weight is None

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "count, sum, sum of squares" if self.order > 1 else "count and sum"

    def empty(self, width: int) -> MomentsSummary:
        """Return no parts at all."""
        nothing = np.empty((0, width))
        return MomentsSummary(nothing, nothing, nothing, nothing)

    def update(self, summary: MomentsSummary, block: Block) -> MomentsSummary:
        """Fold in a block of rows, as one more part."""
        cells = block.numbers()
        weights = None if self.weight is None else block.weights(self.weight)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            if hasattr(cells, "indptr"):
                part = of_sparse(cells, self.missing, weights)
            else:
                part = of_dense(cells, self.missing, weights, squares=self.order > 1)
        count, pivot, deviation, square = (line[None, :] for line in part)
        if self.order < 2:
            square = square[:0]
        for line in (deviation, square):
            refuse_columns(~np.isfinite(line), "range")
        return self.merge(summary, MomentsSummary(count, pivot, deviation, square))

    def merge(self, left: MomentsSummary, right: MomentsSummary) -> MomentsSummary:
        """Keep the parts of both: the result adds them up exactly, so that order does not matter."""
        return parts_of_all(left, right)

    def merge_all(self, summaries: Sequence[MomentsSummary]) -> MomentsSummary:
        """Keep the parts of all."""
        return parts_of_all(*summaries)

    def compact(self, summary: MomentsSummary, limits: Limits = OPEN) -> MomentsSummary:
        """Return one part with the same totals, each rounded once."""
        if len(summary.count) < 2:
            return summary
        total = _total(summary)
        # any pivot gives the same result; near the mean, the rounded sums are small and lose least
        mean = np.nan_to_num(total.mean())
        pivot = np.where(_whole(summary), np.rint(mean), mean)
        near = Exact.of(pivot)
        deviation = total.sum + -(total.count * near)
        square = total.square + -(near.twice() * total.sum) + total.count * near * near
        # the parts' own sums are rounded, so that their squares may come out a little below 0
        lines = (total.count.rounded(), pivot, deviation.rounded(), square.rounded().clip(min=0))
        count, pivot, deviation_, square_ = (line[None, :] for line in lines)
        return MomentsSummary(
            count, pivot, deviation_, square_ if len(summary.square) else square_[:0]
        )

    def check(self, summary: MomentsSummary, width: int, rows: int) -> None:
        """Check also that there are squares exactly if requested, and no more cells than rows."""
        summary.check(width, rows)
        demand(len(summary.count) < 2, "count", "must have one part")
        parts = len(summary.count) if self.order > 1 else 0
        demand(len(summary.square) == parts, "square", f"has {len(summary.square)} parts")
        if self.weight is None:
            demand((summary.count == np.rint(summary.count)).all(), "count", "must be whole")
            demand((summary.count <= rows).all(), "count", f"is above the {rows} rows")

    def result(self, summary: MomentsSummary) -> Mean:
        """Return counts, means and variances, rounded once from exact totals."""
        totals = [_total(part) for part in _by_columns(summary)]
        count = np.concatenate([total.count.rounded() for total in totals])
        mean = np.concatenate([total.mean() for total in totals])
        if self.order < 2:
            return Mean(count, mean, None)
        variance = np.concatenate([total.variance() for total in totals])
        return Mean(count, mean, variance, np.concatenate([total.rest() for total in totals]))


@dataclass(frozen=True)
class _Total:
    """The exact count, sum and sum of squares of each column."""

    count: Exact
    sum: Exact
    square: Exact

    def mean(self) -> Array:
        return self.sum.over(self.count)

    def rest(self) -> Array:
        rounded = Exact.of(np.nan_to_num(self.mean()))
        return (self.sum + -(self.count * rounded)).over(self.count)

    def variance(self) -> Array:
        # the textbook formula: it cancels badly in floating point, and not at all here
        spread = self.square * self.count + -(self.sum * self.sum)
        return np.maximum(spread.over(self.count * self.count), 0.0)


def _by_columns(summary: MomentsSummary) -> Iterator[MomentsSummary]:
    """Yield some columns at a time, to bound memory."""
    lines = (summary.count, summary.pivot, summary.deviation, summary.square)
    for start in range(0, max(summary.count.shape[1], 1), _COLUMNS_AT_ONCE):
        yield MomentsSummary(*(line[:, start : start + _COLUMNS_AT_ONCE] for line in lines))


def _total(summary: MomentsSummary) -> _Total:
    """Add up the parts of each column exactly."""
    count, pivot = Exact.of(summary.count), Exact.of(summary.pivot)
    deviation = Exact.of(summary.deviation)
    shifted = count * pivot
    squares = (shifted * pivot).sum() + (pivot * deviation).sum().twice()
    if len(summary.square):
        squares = Exact.of(summary.square).sum() + squares
    return _Total(count.sum(), shifted.sum() + deviation.sum(), squares)


def _whole(summary: MomentsSummary) -> Array:
    """Return which columns have integer pivots and sums in all parts."""
    lines = np.concatenate([summary.pivot, summary.deviation])
    return np.asarray((lines == np.rint(lines)).all(axis=0))
