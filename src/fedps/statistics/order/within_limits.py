"""What a client with limits computes for ``Within``: values where it may show them, slices elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fedps.statistics.base import Array, Ragged
from fedps.statistics.limits import Disclosure, Limits
from fedps.statistics.order.bins import Bins, Tally
from fedps.statistics.order.sliced_column import SlicedColumn
from fedps.statistics.order.spread import Spread, SpreadSummary
from fedps.statistics.order.within_summary import WithinSummary, ordered, packed

if TYPE_CHECKING:
    from fedps.statistics.order.values_within import Within


class WithinOrSlices:
    """What a client with limits computes for ``Within``: all cells first, and then what it may show of them."""

    def __init__(self, asked: Within) -> None:
        self._asked = asked
        self._all = Spread(marker=asked.marker, stored=asked.stored)
        self.tells_cells = asked.tells_cells
        self.update = self._all.update

    def empty(self, width: int) -> SpreadSummary:
        """Return no cells."""
        self._asked.empty(width)  # refuses intervals that are too many, or for other columns
        return self._all.empty(width)

    def compact(self, summary: SpreadSummary, limits: Limits) -> WithinSummary:
        """Return the values in the intervals where they are few enough, and slices elsewhere."""
        below, inside, tallies, slices = [], [], [], []
        columns = zip(summary.tallies(), summary.bins(), self._asked.intervals, strict=True)
        for j, (tally, held, intervals) in enumerate(columns):
            counts, found = _inside(tally, *ordered(intervals))
            cells = int(tally.counts.sum() + held.counts.sum())
            few = found.values.size <= limits.most_values(j, cells)
            sliced = Bins()
            if intervals.size and (limits.level < Disclosure.SUMMARY or not few or held.upper.size):
                column = SlicedColumn(tally, held, limits, j, self._asked.stored)
                sliced = column.within(intervals) if cells else sliced
                counts, found = np.zeros_like(counts), Tally()
            below.append(counts[0])
            inside.append(counts[1])
            tallies.append(found)
            slices.append(sliced)
        return WithinSummary(Ragged(below), Ragged(inside), *packed(tallies, slices))


def _inside(tally: Tally, lower: Array, upper: Array) -> tuple[Array, Tally]:
    """Return how many cells are below and in each interval, and the values and counts of those in any."""
    starts, ends = (np.searchsorted(tally.values, each, side="right") for each in (lower, upper))
    upto = np.append(0, tally.counts.cumsum())
    counts = np.stack([upto[starts], upto[ends] - upto[starts]])
    depth = np.zeros(tally.values.size + 1, dtype=np.int64)
    np.add.at(depth, starts, 1)
    np.add.at(depth, ends, -1)
    kept = depth.cumsum()[:-1] > 0
    return counts, Tally(tally.values[kept], tally.counts[kept])
