"""What a client with limits computes for ``Within``: values where it may show them, slices elsewhere."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fedps.statistics.base import Array, Block, Ragged
from fedps.statistics.limits import NO_LIMIT, Disclosure, Limits
from fedps.statistics.order.bins import Bins, Tally
from fedps.statistics.order.sliced_column import SlicedColumn
from fedps.statistics.order.spread import Spread, SpreadSummary
from fedps.statistics.order.within_summary import WithinSummary, ordered, packed

FEW_INTERVALS = 4  # up to which the values in them are found faster than all cells are sorted
FEW_ROWS = 1 << 16  # up to which all cells are sorted in any case
_ENOUGH_VALUES, _ENOUGH_SHARE = 1 << 12, 0.05  # for few intervals of a column with more rows


class Seen(NamedTuple):
    """What was read so far: all cells, or only those in the intervals, and how many there are."""

    rows: int
    cells: Array
    every: SpreadSummary | None
    inside: WithinSummary | None


class WithinOrSlices:
    """Computes for ``Within`` the values in intervals where they are few enough, and slices elsewhere.

    ``asked`` is the ``Within``. All cells are read for it. Of few intervals in many rows only the values are: there are enough left to
    show, and if not, then only the number of cells is sent.
    """

    tells_cells = True

    def __init__(self, asked: Any, limits: Limits) -> None:
        self._asked = asked
        self._every = Spread(marker=asked.marker, stored=asked.stored)
        most = NO_LIMIT if limits.values is None else limits.values.min(initial=NO_LIMIT)
        self._looks_inside = (
            limits.level >= Disclosure.SUMMARY
            and limits.share >= _ENOUGH_SHARE
            and most >= _ENOUGH_VALUES
            and all(ends.shape[-1] <= FEW_INTERVALS for ends in asked.intervals)
        )

    def empty(self, width: int) -> Seen:
        """Return no cells."""
        inside = self._asked.empty(
            width
        )  # refuses intervals that are too many, or for other columns
        none = np.zeros(width, dtype=np.int64)
        return Seen(0, none, self._every.empty(width), inside if self._looks_inside else None)

    def update(self, seen: Seen, block: Block) -> Seen:
        """Fold in a block of rows."""
        rows, every, inside, cells = seen.rows + block.rows, seen.every, seen.inside, seen.cells
        if inside is not None:
            inside = self._asked.update(inside, block)
            cells = cells + self._asked.cells(block)
        if every is not None:
            every = (
                None if inside is not None and rows > FEW_ROWS else self._every.update(every, block)
            )
        return Seen(rows, cells, every, inside)

    def compact(self, seen: Seen, limits: Limits) -> WithinSummary:
        """Return the values in the intervals where they are few enough, and slices elsewhere."""
        columns = range(len(self._asked.intervals))
        parts = [self._column(seen, j, limits) for j in columns]
        below, inside, tallies, slices = zip(*parts, strict=True) if parts else ((),) * 4
        return WithinSummary(Ragged(below), Ragged(inside), *packed(tallies, slices))

    def _column(self, seen: Seen, j: int, limits: Limits) -> tuple[Array, Array, Tally, Bins]:
        intervals = ordered(self._asked.intervals[j])
        if seen.every is None:
            assert seen.inside is not None
            counts, found = (seen.inside.below[j], seen.inside.inside[j]), seen.inside.tallies()[j]
            tally, held, cells = Tally(), Bins(), int(seen.cells[j])
        else:
            tally, held = seen.every.tallies()[j], seen.every.bins()[j]
            counts, found = _inside(tally, *intervals)
            cells = int(tally.counts.sum() + held.counts.sum())
        few = found.values.size <= limits.most_values(j, cells)
        if (limits.level >= Disclosure.SUMMARY and few and not held.upper.size) or not cells:
            return *counts, found, Bins()
        none = np.zeros(intervals.shape[-1], dtype=np.int64)
        if not intervals.size:
            return none, none, Tally(), Bins()
        if seen.every is None:
            limits.show_less(j, "max_share", "the number of cells")
            anywhere = Bins(np.array([-np.inf]), np.array([np.inf]), np.array([cells]))
            return none, none, Tally(), anywhere
        column = SlicedColumn(tally, held, limits, j, self._asked.stored)
        return none, none, Tally(), column.within(intervals)


def _inside(tally: Tally, lower: Array, upper: Array) -> tuple[tuple[Array, Array], Tally]:
    """Return how many cells are below and in each interval, and the values and counts of those in any."""
    starts, ends = (np.searchsorted(tally.values, each, side="right") for each in (lower, upper))
    upto = np.append(0, tally.counts.cumsum())
    counts = upto[starts], upto[ends] - upto[starts]
    depth = np.zeros(tally.values.size + 1, dtype=np.int64)
    np.add.at(depth, starts, 1)
    np.add.at(depth, ends, -1)
    kept = depth.cumsum()[:-1] > 0
    return counts, Tally(tally.values[kept], tally.counts[kept])
