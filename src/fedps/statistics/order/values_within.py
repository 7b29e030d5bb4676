"""Within: the numbers in given intervals, and how many are below each; or slices of the number line.

A client that may not show the values answers with slices: counts at ends that the server chose would be a
search for any cell.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Ragged,
    Statistic,
    Summary,
    demand,
)
from fedps.statistics.limits import Disclosure, Limits
from fedps.statistics.order.bins import NO_COUNTS, NO_VALUES, Bins, add_tallies
from fedps.statistics.order.within_limits import FEW_INTERVALS, WithinOrSlices
from fedps.statistics.order.within_summary import Inside, WithinSummary, ordered, packed

# Of all columns together. A request of few bytes, deflated, can name very many intervals, and the
# answer to each takes memory at the client.
MOST_INTERVALS = 1 << 18


class Within(Statistic[WithinSummary, list[Inside]], frozen=True, array_like=True, tag="within"):
    """The values of each column in given intervals ``(lower, upper]``, and how many are below.

    ``intervals`` has two lines per column: lower and upper ends, sorted and disjoint. ``marker`` and
    ``stored`` are as in :class:`~fedps.statistics.Spread`. Level SUMMARY: shows the values in the
    intervals; where the policy forbids that, counts in slices of at least ``min_rows`` cells. Costs about
    two numbers per value.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = WithinSummary
    adds_up: ClassVar[bool] = False
    by_value: ClassVar[bool] = True

    intervals: tuple[Array, ...]
    marker: float | None = float("nan")
    stored: bool = False

    @property
    def columns(self) -> int:
        """One pair of lines per column."""
        return len(self.intervals)

    @property
    def least(self) -> Disclosure:
        """A client that shows no values can still count cells in slices."""
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

    def cells(self, block: Block) -> Array:
        """Return how many cells of each column are not missing."""
        columns = (block.column(j, stored=self.stored) for j in range(block.width))
        return np.array([unmarked(cells, self.marker).size for cells in columns], dtype=np.int64)

    def _column(self, block: Block, position: int) -> tuple[Array, Array, Array, Array]:
        lower, upper = ordered(self.intervals[position])
        if not lower.size:
            none = np.zeros(0, dtype=np.int64)
            return none, none, np.empty(0), none
        cells = unmarked(block.column(position, stored=self.stored), self.marker)
        below, kept = (
            _by_masks(cells, lower, upper)
            if lower.size <= FEW_INTERVALS
            else _by_order(cells, lower, upper)
        )
        inside = np.array([part.size for part in kept], dtype=np.int64)
        values, counts = np.unique(
            np.concatenate(kept).astype(np.float64) + 0.0, return_counts=True
        )
        return below, inside, values, counts.astype(np.int64)

    def under(self, limits: Limits) -> Any:
        """Return this, or one that looks at all cells of a column, for slices."""
        few = limits.level < Disclosure.SUMMARY or limits.share < 1 or limits.values is not None
        return WithinOrSlices(self, limits) if few else self

    def merge(self, left: WithinSummary, right: WithinSummary) -> WithinSummary:
        """Add up."""
        tables = list(map(add_tallies, left.tallies(), right.tallies()))
        slices = [
            Bins(*map(np.concatenate, zip(*pair, strict=True)))
            for pair in zip(left.slices(), right.slices(), strict=True)
        ]
        return WithinSummary(
            Ragged(a + b for a, b in zip(left.below, right.below, strict=True)),
            Ragged(a + b for a, b in zip(left.inside, right.inside, strict=True)),
            *packed(tables, slices),
        )

    def check(self, summary: WithinSummary, width: int, rows: int) -> None:
        """Check also that there is a count for each interval, and that values lie in them."""
        demand(width == self.columns, "below", f"has {width} columns")
        summary.check(width, rows)
        for intervals, below, tally in zip(
            self.intervals, summary.below, summary.tallies(), strict=True
        ):
            demand(below.size == intervals.shape[-1], "below", f"has {below.size} intervals")
            # among the ends lower, upper, lower, ... a value inside comes after an odd number of them
            place = np.searchsorted(intervals.T.ravel(), tally.values, side="left")
            demand((place % 2 == 1).all(), "values", "lies outside of the intervals")

    def result(self, summary: WithinSummary) -> list[Inside]:
        """Return what is known of each column."""
        return list(map(Inside, summary.below, summary.inside, summary.tallies(), summary.slices()))


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


def unmarked(cells: Array, marker: float | None) -> Array:
    """Return the cells without the missing ones: those that equal ``marker``."""
    if marker is None or marker != marker:  # noqa: PLR0124 - only NaN differs from itself
        return cells
    return np.asarray(cells[cells != marker])
