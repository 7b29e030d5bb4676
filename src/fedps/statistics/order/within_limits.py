"""What a client with limits computes for ``Within``: values where it may show them, slices elsewhere."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fedps.statistics.base import Array, Block
from fedps.statistics.limits import NO_LIMIT, Disclosure, Limits
from fedps.statistics.order.sliced_column import SlicedColumn
from fedps.statistics.order.spread import Spread, SpreadSummary
from fedps.statistics.order.tables import BinLists, Bins, Tallies
from fedps.statistics.order.within_summary import WithinSummary, ends_of, packed
from fedps.statistics.ragged import Ragged

FEW_INTERVALS = 4  # up to which only the values in them are looked at, in many rows
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
        lower, upper = ends_of(self._asked.intervals)
        if seen.every is None:
            assert seen.inside is not None
            below, inside, found = seen.inside.below, seen.inside.inside, seen.inside.tallies()
            held, cells = BinLists.none(len(lower)), seen.cells
        else:
            below, inside, found = inside_of(seen.every.tallies(), lower, upper)
            held, cells = seen.every.bins(), seen.every.support()
        shows = limits.level >= Disclosure.SUMMARY
        most = np.array([limits.most_values(j, n) for j, n in enumerate(cells.tolist())], np.int64)
        few = shows & (found.values.sizes <= most) & (held.upper.sizes == 0)
        hidden = ~(few | (cells == 0))
        slices = [Bins()] * len(lower)
        for j in np.flatnonzero(hidden & (lower.sizes > 0)).tolist():
            if seen.every is None:
                limits.show_less(j, "max_share", "the number of cells")
                slices[j] = Bins(np.array([-np.inf]), np.array([np.inf]), cells[j : j + 1])
            else:
                about = (seen.every.tallies()[j], held[j], limits, j, self._asked.stored)
                slices[j] = SlicedColumn(*about).within(np.stack([lower[j], upper[j]]))
        shown = ~below.spread(hidden)
        return WithinSummary(
            below.of(np.where(shown, below.flat, 0)),
            below.of(np.where(shown, inside.flat, 0)),
            *packed(found.where(~found.values.spread(hidden)), BinLists.of(slices)),
        )


def inside_of(tables: Tallies, lower: Ragged, upper: Ragged) -> tuple[Ragged, Ragged, Tallies]:
    """Return how many cells are below and in each interval, and the values and counts of those in any."""
    starts, ends = (tables.values.find(each, side="right") for each in (lower, upper))
    upto = np.append(0, tables.counts.flat.cumsum())
    before = lower.spread(upto[tables.values.starts])
    depth = np.zeros(tables.size + 1, dtype=np.int64)
    np.add.at(depth, starts, 1)
    np.add.at(depth, ends, -1)
    found = tables.where(depth.cumsum()[:-1] > 0)
    return lower.of(upto[starts] - before), lower.of(upto[ends] - upto[starts]), found
