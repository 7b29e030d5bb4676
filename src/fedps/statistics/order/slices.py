"""Slices of the number line with enough cells in each: what a column shows where cells may not be.

The number line is halved, and halves are halved, always at the same numbers: by the bits of the keys of
doubles. A half-way number is an *edge* where both of its halves hold at least ``floor`` cells. Slices are what
is between edges. So each holds at least ``floor`` cells, and which there are depends on the column and the
floor alone: no question, however chosen and repeated, cuts them further. Coarser answers leave edges out.

A slice of one value shows the value, since at least ``floor`` cells have it. The first and the last slice have
an open end: a few cells, such as an outlier, must not show how far out they are. In place of that end there
is a *core*, where all cells of the slice are but fewer than ``floor``; so many count as anywhere in the slice.
Why: docs/decisions/016-quantiles-without-cells.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array
from fedps.statistics.limits import Pairs
from fedps.statistics.order.float_keys import LARGEST_KEY, LEAST_KEY, keys_of, values_of
from fedps.statistics.order.tables import NO_COUNTS, BinLists, Bins, Tally, sorted_bins

BITS = 64
_ONE = np.uint64(1)
_NO_KEYS = np.empty(0, dtype=np.uint64)


class Edges(NamedTuple):
    """Where a column is cut: keys that begin a slice, sorted, and the cells of the smaller half beside each."""

    keys: Array = _NO_KEYS
    strength: Array = NO_COUNTS

    def strongest(self, most: int) -> Edges:
        """Return at most so many edges: those with the most cells beside them."""
        if self.keys.size <= most:
            return self
        kept = np.sort(np.argsort(-self.strength, kind="stable")[: max(most, 0)])
        return Edges(self.keys[kept], self.strength[kept])


class Column:
    """The cells of one column, for cutting it into slices.

    Parameters
    ----------
    tally : Tally
        Its sorted values and how many cells have each.
    pairs : Pairs, optional
        The units of its values, where ``floor`` counts different units. Default: each cell counts.
    """

    def __init__(self, tally: Tally, pairs: Pairs | None = None) -> None:
        self.tally = tally
        self.keys = keys_of(tally.values)
        self.upto = np.append(0, tally.counts.cumsum())
        self.cells = int(self.upto[-1])
        self._pair_keys = None if pairs is None else keys_of(pairs.values)
        self._units = (
            NO_COUNTS if pairs is None else np.unique(pairs.units, return_inverse=True)[1].ravel()
        )

    def edges(self, floor: int, cells: int = 1) -> Edges:
        """Return the edges with ``floor`` units, and ``cells`` cells, in both halves beside each."""
        floor = max(floor, 1)
        cells = max(cells, floor)
        start, stop = np.array([0]), np.array([self.keys.size])
        found: list[Edges] = []
        for bit in range(BITS - 1, -1, -1):
            large = self.upto[stop] - self.upto[start] >= 2 * cells
            several = stop - start > 1  # distinct values
            start, stop = start[large & several], stop[large & several]
            if not start.size:
                break
            middle = self._middles(start, bit)
            cut = np.searchsorted(self.keys, middle)
            smaller = np.minimum(
                self.upto[cut] - self.upto[start], self.upto[stop] - self.upto[cut]
            )
            good = smaller >= cells
            good[good] = self._has_units(start[good], cut[good], stop[good], floor)
            found.append(Edges(middle[good], smaller[good]))
            start, stop = np.concatenate([start, cut]), np.concatenate([cut, stop])
        keys = np.concatenate([_NO_KEYS, *(edges.keys for edges in found)])
        strength = np.concatenate([NO_COUNTS, *(edges.strength for edges in found)])
        order = np.argsort(keys)
        return Edges(keys[order], strength[order])

    def _middles(self, start: Array, bit: int) -> Array:
        """Return the half-way keys of the intervals of keys that differ in a bit and those below it."""
        low = np.uint64(bit)
        return (self.keys[start] >> low | _ONE) << low

    def _has_units(self, start: Array, cut: Array, stop: Array, floor: int) -> Array:
        """Whether both halves have enough different units."""
        if self._pair_keys is None or not start.size:
            return np.ones(start.size, dtype=bool)
        firsts = np.stack([start, cut], axis=1).ravel()
        ends = np.stack([cut, stop], axis=1).ravel()
        low = np.searchsorted(self._pair_keys, self.keys[firsts])
        high = np.searchsorted(self._pair_keys, self.keys[ends - 1], side="right")
        sizes = high - low
        half = np.repeat(np.arange(sizes.size), sizes)
        within = np.arange(half.size) - np.repeat(sizes.cumsum() - sizes, sizes)
        units = self._units[np.repeat(low, sizes) + within]
        all_units = int(self._units.max(initial=0)) + 1
        different = np.unique(half * all_units + units)
        counts = np.bincount(different // all_units, minlength=sizes.size)
        return np.asarray((counts.reshape(-1, 2) >= floor).all(axis=1))

    def slices(self, edges: Edges, floor: int, *, first: bool, last: bool) -> Bins:
        """Return the slices between edges; a slice of one value is the value.

        ``first`` and ``last`` say whether the two outer slices, which have an open end, are as fine as
        they can be, so that their cores are shown.
        """
        if not self.cells:
            return Bins()
        cuts = np.concatenate([[0], np.searchsorted(self.keys, edges.keys), [self.keys.size]])
        counts = np.diff(self.upto[cuts])
        ends = values_of(edges.keys - _ONE)
        lower, upper = np.append(-np.inf, ends), np.append(ends, np.inf)
        single = np.diff(cuts) == 1
        keys = self.keys[cuts[:-1][single]]
        lower[single], upper[single] = values_of(keys - _ONE), values_of(keys)
        found = [Bins(lower, upper, counts)]
        outer = {0: first, counts.size - 1: last} if counts.size > 1 else {0: first and last}
        for at in (at for at, is_fine in outer.items() if is_fine and not single[at]):
            core = self._core(int(cuts[at]), int(cuts[at + 1]), floor)
            low, high = max(core[0], lower[at]), min(core[1], upper[at])
            if (low, high) == (lower[at], upper[at]):
                continue
            outside = min(max(floor - 1, 0), int(counts[at]) - 1)
            found.append(Bins(np.array([low]), np.array([high]), np.array([counts[at] - outside])))
            counts[at] = outside
        parts = Bins(*map(np.concatenate, zip(*found, strict=True)))
        return sorted_bins(BinLists.of([parts]).where(parts.counts > 0))[0]

    def _core(self, start: int, stop: int, floor: int) -> tuple[float, float]:
        """Return where all but fewer than ``floor`` of some cells are, which are at least as many.

        It is the smallest half of a half, and so on, of the number line that holds these. How many are
        outside is not told.
        """
        left_out, found = 0, (-np.inf, np.inf)
        for bit in range(BITS - 1, -1, -1):
            middle = self._middles(np.array([start]), bit)
            cut = int(np.clip(np.searchsorted(self.keys, middle)[0], start, stop))
            sides = [(start, cut), (cut, stop)]
            counts = [int(self.upto[b] - self.upto[a]) for a, b in sides]
            fewer = int(counts[0] > counts[1])  # the side with fewer cells
            a, b = sides[1 - fewer]
            if left_out + counts[fewer] >= floor or not self._are_enough(a, b, floor):
                break
            left_out += counts[fewer]
            start, stop = a, b
            first = int(middle[0]) - (fewer << bit)
            ends = max(first - 1, LEAST_KEY), min(first + (1 << bit) - 1, LARGEST_KEY)
            low, high = values_of(np.array(ends, dtype=np.uint64)).tolist()
            found = low, high
        return found

    def _are_enough(self, start: int, stop: int, floor: int) -> bool:
        if self.upto[stop] - self.upto[start] < floor:
            return False
        if self._pair_keys is None:
            return True
        low = np.searchsorted(self._pair_keys, self.keys[start])
        high = np.searchsorted(self._pair_keys, self.keys[stop - 1], side="right")
        return bool(np.unique(self._units[low:high]).size >= floor)
