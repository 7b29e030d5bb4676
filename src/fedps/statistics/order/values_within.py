"""Within: the numbers in given intervals, and how many are below each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Ragged,
    Statistic,
    Summary,
    demand,
    demand_array,
    demand_columns,
    demand_counts,
    exact_total,
)
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.order.bins import NO_COUNTS, NO_VALUES, Tally, add_tallies

_FEW = 4  # intervals, up to which a mask for each is faster than sorting the column


class WithinSummary(Summary, frozen=True, array_like=True, tag="within"):
    """Per column: counts of cells below and in each interval, and values and counts of those in any.

    A client that may not show the values leaves them out.
    """

    width_field: ClassVar[str | None] = "counts"

    below: Ragged
    inside: Ragged
    values: Ragged
    counts: Ragged

    def check(self, width: int, rows: int) -> None:
        """Check types, signs, order and that the counts agree."""
        demand_columns(self, width, "below", "inside", "values", "counts")
        for j in range(width):
            below, inside = self.below[j], self.inside[j]
            values, counts = self.values[j], self.counts[j]
            demand_counts(below, "below", (None,), rows)
            demand_counts(inside, "inside", (None,), rows)
            demand_array(inside, "inside", "int64", below.shape)
            demand_array(values, "values", "float64", (None,))
            demand_array(counts, "counts", "int64", values.shape)
            demand(np.isfinite(values).all(), "values", "must be finite")
            demand((values[1:] > values[:-1]).all(), "values", "must be sorted and distinct")
            demand((counts > 0).all(), "counts", "must be positive")
            shown, total = exact_total(counts), exact_total(inside)
            demand(shown in (0, total), "counts", f"adds up to {shown} cells, not {total}")

    def support(self) -> Array:
        """Return nothing to check: ``Spread`` asked for the number of cells before."""
        return NOTHING_TO_CHECK


@dataclass(frozen=True)
class Inside:
    """One column: counts below and in each interval, and the values in any; all of them if ``shown``."""

    below: Array
    inside: Array
    values: Array
    counts: Array

    @property
    def shown(self) -> bool:
        """Whether all clients showed their values."""
        return int(self.counts.sum()) == int(self.inside.sum())


# Of all columns together. A request of few bytes, deflated, can name very many intervals, and the
# answer to each takes memory at the client.
MOST_INTERVALS = 1 << 18


class Within(Statistic[WithinSummary, list[Inside]], frozen=True, array_like=True, tag="within"):
    """The values of each column in given intervals ``(lower, upper]``, and how many are below.

    ``intervals`` has two lines per column: lower and upper ends, sorted and disjoint. ``marker`` and
    ``stored`` are as in :class:`~fedps.statistics.Spread`. Level SUMMARY: shows the values in the
    intervals; where the policy forbids that, only how many there are. Costs about two numbers per
    value.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = WithinSummary

    intervals: tuple[Array, ...]
    marker: float | None = float("nan")
    stored: bool = False

    @property
    def columns(self) -> int:
        """One pair of lines per column."""
        return len(self.intervals)

    @property
    def least(self) -> Disclosure:
        """A client that shows no values can still count them."""
        return Disclosure.AGGREGATE

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "values in narrow intervals, and counts below them"

    def empty(self, width: int) -> WithinSummary:
        """Return zeros."""
        if width != self.columns:
            raise BadCells("width")
        if sum(i.shape[-1] for i in self.intervals) > MOST_INTERVALS:
            raise BadCells("too large")
        zeros = Ragged(np.zeros(i.shape[-1], dtype=np.int64) for i in self.intervals)
        return WithinSummary(zeros, zeros, Ragged([NO_VALUES] * width), Ragged([NO_COUNTS] * width))

    def update(self, summary: WithinSummary, block: Block) -> WithinSummary:
        """Fold in a block of rows."""
        parts = [self._column(block, j) for j in range(block.width)]
        return self.merge(summary, WithinSummary(*map(Ragged, zip(*parts, strict=True))))

    def _column(self, block: Block, position: int) -> tuple[Array, Array, Array, Array]:
        lower, upper = ordered(self.intervals[position])
        if not lower.size:
            none = np.zeros(0, dtype=np.int64)
            return none, none, np.empty(0), none
        cells = unmarked(block.column(position, stored=self.stored), self.marker)
        below, kept = (
            _by_masks(cells, lower, upper) if lower.size <= _FEW else _by_order(cells, lower, upper)
        )
        inside = np.array([part.size for part in kept], dtype=np.int64)
        values, counts = np.unique(
            np.concatenate(kept).astype(np.float64) + 0.0, return_counts=True
        )
        return below, inside, values, counts.astype(np.int64)

    def merge(self, left: WithinSummary, right: WithinSummary) -> WithinSummary:
        """Add up."""
        sides = [list(map(Tally, side.values, side.counts)) for side in (left, right)]
        tables = list(map(add_tallies, *sides))
        return WithinSummary(
            Ragged(a + b for a, b in zip(left.below, right.below, strict=True)),
            Ragged(a + b for a, b in zip(left.inside, right.inside, strict=True)),
            Ragged(table.values for table in tables),
            Ragged(table.counts for table in tables),
        )

    def compact(self, summary: WithinSummary, limits: Limits = OPEN) -> WithinSummary:
        """Leave out the values of columns of which the policy does not allow to show so many."""
        values, counts = list(summary.values), list(summary.counts)
        for j, below in enumerate(summary.below):
            cells = int(below[-1] + summary.inside[j][-1]) if below.size else 0
            few = values[j].size <= max(limits.share * cells, 2)  # bins show two values in any case
            if limits.level < Disclosure.SUMMARY or not few:
                values[j], counts[j] = values[j][:0], counts[j][:0]
        return WithinSummary(summary.below, summary.inside, Ragged(values), Ragged(counts))

    def check(self, summary: WithinSummary, width: int, rows: int) -> None:
        """Check also that there is a count for each interval, and that values lie in them."""
        demand(width == self.columns, "below", f"has {width} columns")
        summary.check(width, rows)
        for intervals, below, values in zip(
            self.intervals, summary.below, summary.values, strict=True
        ):
            demand(below.size == intervals.shape[-1], "below", f"has {below.size} intervals")
            # among the ends lower, upper, lower, ... a value inside comes after an odd number of them
            place = np.searchsorted(intervals.T.ravel(), values, side="left")
            demand((place % 2 == 1).all(), "values", "lies outside of the intervals")

    def result(self, summary: WithinSummary) -> list[Inside]:
        """Return what is known of each column."""
        return list(map(Inside, summary.below, summary.inside, summary.values, summary.counts))


def _by_masks(cells: Array, lower: Array, upper: Array) -> tuple[Array, list[Array]]:
    """Return how many cells are below each interval, and those inside: fastest for few intervals."""
    above = [cells > low for low in lower]
    below = np.array([cells.size - np.count_nonzero(mask) for mask in above], dtype=np.int64)
    kept = [cells[mask & (cells <= high)] for mask, high in zip(above, upper, strict=True)]
    return below, kept


def _by_order(cells: Array, lower: Array, upper: Array) -> tuple[Array, list[Array]]:
    """Return the same from the sorted cells."""
    cells = np.sort(cells)
    below = np.searchsorted(cells, lower, side="right")
    ends = np.searchsorted(cells, upper, side="right")
    kept = [cells[a:b] for a, b in zip(below.tolist(), ends.tolist(), strict=True)]
    return below.astype(np.int64), kept


def ordered(intervals: Array) -> Array:
    """Return intervals from a server, or refuse what are not intervals."""
    edges = intervals.T.ravel()
    good = intervals.ndim == 2 and len(intervals) == 2 and intervals.dtype == "float64"
    if not good or not (edges[1:] >= edges[:-1]).all():
        raise BadCells("width")
    return intervals


def unmarked(cells: Array, marker: float | None) -> Array:
    """Return the cells without the missing ones: those that equal ``marker``."""
    if marker is None or marker != marker:  # noqa: PLR0124 - only NaN differs from itself
        return cells
    return np.asarray(cells[cells != marker])
