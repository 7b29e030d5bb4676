"""One column of a client in slices, as many and as fine as its policy allows."""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array
from fedps.statistics.limits import Disclosure, Limits, Pairs
from fedps.statistics.order.float_keys import keys_of
from fedps.statistics.order.slices import Column, Edges
from fedps.statistics.order.tables import Bins, Tallies, Tally, tallied

_ONE = np.uint64(1)
_LAST_KEY = np.array([2**64 - 1], dtype=np.uint64)


class SlicedColumn:
    """One column in slices, each of at least as many cells, or units, as ``limits.rows``.

    Parameters
    ----------
    tally : Tally
        The values and counts of its cells.
    held : Bins
        The cells that are known by bins only, since there are too many to hold.
    limits : Limits
        What may be shown; that less is shown is noted there.
    position : int
        The column.
    stored : bool
        Whether the implied zeros of a sparse table are left out.
    """

    def __init__(
        self, tally: Tally, held: Bins, limits: Limits, position: int, stored: bool
    ) -> None:
        self._held, self._limits, self._position = held, limits, position
        if held.upper.size:
            both = Tallies.of([tally]).beside(Tallies.of([Tally(held.upper, held.counts)]))
            tally = tallied(both)[0]
        pairs = None if limits.pairs is None else limits.pairs(position)
        if pairs is not None and stored:
            # the units of zeros that are not stored do not count
            pairs = Pairs(*(each[pairs.values != 0] for each in pairs))
        self._column = Column(tally, pairs)
        self._floor = max(limits.rows, 1)

    @property
    def _most(self) -> int:
        # the outermost slices may be cut once more, where no cell is beyond
        return max(self._limits.most_numbers(self._position) - 2, 1)

    def cut(self, wanted: int) -> Bins:
        """Return about as many slices as are wanted, with equal shares of the cells."""
        most = min(wanted, self._most)
        cells = -(-self._column.cells // most)
        edges = self._column.edges(self._floor, cells)
        is_fine = cells <= self._floor
        return self._shown(edges, fewer=most < wanted, first=is_fine, last=is_fine)

    def within(self, intervals: Array) -> Bins:
        """Return the finest slices in given intervals ``(lower, upper]``, and slices of all other cells."""
        edges = self._column.edges(self._floor)
        starts = np.append(np.zeros(1, dtype=np.uint64), edges.keys)
        ends = np.append(edges.keys - _ONE, _LAST_KEY)
        first, last = keys_of(intervals[0]) + _ONE, keys_of(intervals[1])
        place = np.searchsorted(last, starts)
        overlaps = np.append(first, _LAST_KEY)[place] <= ends
        overlaps &= place < last.size
        near = overlaps[1:] | overlaps[:-1]
        kept = Edges(*(each[near] for each in edges))
        few = kept.strongest(self._most - 1)
        is_first = np.array_equal(few.keys[:1], edges.keys[:1])
        is_last = np.array_equal(few.keys[-1:], edges.keys[-1:])
        return self._shown(few, fewer=few is not kept, first=is_first, last=is_last)

    def _shown(self, edges: Edges, *, fewer: bool, first: bool, last: bool) -> Bins:
        """Return slices, and note that they are less than was asked; ``fewer``, because of the budget."""
        held, limits = self._held, self._limits
        found = self._column.slices(edges, self._floor, first=first, last=last)
        if held.upper.size or found.upper.size > self._most:
            found = self._column.slices(edges, self._floor, first=False, last=False)
        if held.upper.size:
            found = _with_held(found, held)
        if (np.nextafter(found.lower, np.inf) < found.upper).any():
            what = "cells" if limits.pairs is None else "units"
            least = f" of at least {self._floor} {what}" if self._floor > 1 else ""
            rule = "level" if limits.level < Disclosure.SUMMARY else "max_share"
            rule = "budget" if fewer else rule
            limits.show_less(self._position, rule, f"counts in slices{least}")
        return found


def _with_held(found: Bins, held: Bins) -> Bins:
    """Return slices widened to where the cells of bins can be: these were counted at their upper ends."""
    lower = np.append(-np.inf, found.upper[:-1])
    upper = np.append(found.upper[:-1], np.inf)
    at = np.searchsorted(upper, held.upper)
    begins = np.searchsorted(upper, np.nextafter(held.lower, np.inf))
    np.minimum.at(lower, at, lower[begins].copy())
    return Bins(lower, upper, found.counts)
