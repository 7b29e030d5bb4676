"""Extremes: the smallest and the largest number of each column."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from fedps.statistics.base import (
    Array,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    refuse_columns,
)
from fedps.statistics.demands import demand_counts
from fedps.statistics.limits import Disclosure
from fedps.statistics.sums.column_sums import any_nan, cached_pieces, count_true, reduce_columns


class ExtremesSummary(Summary, frozen=True, array_like=True, tag="extremes"):
    """Smallest and largest number per column; NaN where nothing was seen."""

    width_field: ClassVar[str | None] = "upper"

    count: Array
    lower: Array
    upper: Array

    def check(self, width: int, rows: int) -> None:
        """Check shapes, order and that no column has more cells than the table has rows."""
        demand_counts(self.count, "count", (width,), rows)
        demand_array(self.upper, "upper", "float64", (width,))
        demand(not np.isinf(self.upper).any(), "upper", "must be finite")
        nothing = np.isnan(self.upper) == (self.count == 0)
        demand(nothing.all(), "upper", "must be missing exactly where count is 0")
        if self.lower.size == 0 < width:
            demand(not (self.upper < 0).any(), "upper", "must not be negative")
            return
        demand_array(self.lower, "lower", "float64", (width,))
        demand(not np.isinf(self.lower).any(), "lower", "must be finite")
        both = np.isnan(self.lower) == np.isnan(self.upper)
        demand(both.all(), "lower", "must be missing exactly where upper is")
        demand(not (self.lower > self.upper).any(), "lower", "must not be above upper")

    def support(self) -> Array:
        """Return the counts."""
        return self.count

    def retained(self) -> Array:
        """Return how many values are shown: one or two of each column with cells."""
        if not self.lower.size:
            return np.minimum(self.count, 1)
        return np.where(self.count > 0, 1 + (self.lower < self.upper), 0)


class Extremes(
    Statistic[ExtremesSummary, ExtremesSummary], frozen=True, array_like=True, tag="extremes"
):
    """Smallest and largest number per column; with ``absolute`` only the largest absolute number.

    ``weight`` is a column of row weights: rows of weight 0 do not count. Level SUMMARY: shows the extreme cells. Costs three numbers per column, or two.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    summary: ClassVar[type[Summary]] = ExtremesSummary
    adds_up: ClassVar[bool] = False

    absolute: bool = False
    gaps: bool = True  # missing cells are skipped; if False, they are an error
    weight: str | None = None

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return f"count, {'largest absolute' if self.absolute else 'smallest and largest'} value"

    def empty(self, width: int) -> ExtremesSummary:
        """Return NaN for every column."""
        nothing = np.full(width, np.nan)
        none = np.zeros(width, dtype=np.int64)
        return ExtremesSummary(none, nothing[:0] if self.absolute else nothing, nothing)

    def update(self, summary: ExtremesSummary, block: Block) -> ExtremesSummary:
        """Fold in a block of rows."""
        cells = block.numbers()
        find = _of_sparse if hasattr(cells, "indptr") else _of_dense
        seen, lower, upper = find(cells)
        if not self.gaps:
            refuse_columns(seen < block.rows, "missing")
        refuse_columns(np.isinf(lower) | np.isinf(upper), "infinity")
        if self.weight is not None:  # cells that do not count must be sound, too
            seen, lower, upper = find(cells[_counts(block, self.weight)])
        if self.absolute:
            lower, upper = lower[:0], np.maximum(np.abs(lower), np.abs(upper))
        return self.merge(summary, ExtremesSummary(seen, lower, upper))

    def merge(self, left: ExtremesSummary, right: ExtremesSummary) -> ExtremesSummary:
        """Return the extremes of both; fmin and fmax skip NaN."""
        # adding 0.0 turns -0.0 into 0.0: which of the two wins must not depend on the order
        return ExtremesSummary(
            left.count + right.count,
            np.fmin(left.lower, right.lower) + 0.0,
            np.fmax(left.upper, right.upper) + 0.0,
        )

    def check(self, summary: ExtremesSummary, width: int, rows: int) -> None:
        """Check also that there are smallest numbers exactly if requested."""
        summary.check(width, rows)
        demand_array(summary.lower, "lower", "float64", (0 if self.absolute else width,))

    def result(self, summary: ExtremesSummary) -> ExtremesSummary:
        """Return the summary itself."""
        return summary


def _counts(block: Block, weight: str) -> Array:
    """Return which rows have a weight above 0, in the precision that scikit-learn has them in."""
    weights = block.weights(weight)
    return np.asarray((weights.astype(np.float32) if block.narrow() else weights) > 0)


def _of_dense(cells: Array) -> tuple[Array, Array, Array]:
    """Return counts and extremes of a dense array; fmin and fmax skip NaN."""
    rows, width = cells.shape
    seen = np.full(width, rows)
    lower, upper = np.full((2, width), np.nan)
    for part in (cells[piece] for piece in cached_pieces(cells)):
        np.fmin(lower, reduce_columns(np.fmin, part), out=lower)
        np.fmax(upper, reduce_columns(np.fmax, part), out=upper)
        if any_nan(part):
            seen -= count_true(np.isnan(part))
    return seen, lower, upper


def _of_sparse(cells: Any) -> tuple[Array, Array, Array]:
    """Return counts and extremes of a CSC matrix, its implied zeros included."""
    rows, width = cells.shape
    implied = np.where(np.diff(cells.indptr) < rows, 0.0, np.nan)
    column = np.repeat(np.arange(width), np.diff(cells.indptr))
    lower, upper = implied.copy(), implied.copy()
    values = cells.data.astype(np.float64, copy=False)
    np.fmin.at(lower, column, values)
    np.fmax.at(upper, column, values)
    lost = np.bincount(column[np.isnan(values)], minlength=width)
    return rows - lost, lower, upper
