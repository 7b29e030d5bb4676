"""Bins with equal shares of a column's cells, for all columns at once, and what a table would cost instead."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fedps.statistics.order.float_keys import keys_of, values_of
from fedps.statistics.order.tables import BinLists, Tallies
from fedps.statistics.ragged import Array, Ragged

LARGEST_NARROW = float(np.finfo(np.float32).max)
_LOOKED_AT = 64  # values: a column that is not of integers nearly always shows it by then


def binned(tables: Tallies, bins: Array) -> tuple[Tallies, BinLists]:
    """Return about ``bins`` bins per column with equal shares of its cells, and the values not in bins.

    The smallest and the largest value, and each value that would fill a bin by itself, stay values:
    extremes are then exact, and so is any quantile that falls on a frequent value.
    """
    values, counts, size = tables.values, tables.counts, tables.size
    cells = counts.reduce(np.add)
    share = np.maximum(cells / np.maximum(bins, 1), 1.0)
    alone = ~tables.values.inner()
    if cells.sum() > size or (share <= 1).any():  # else each value is one cell of several in a bin
        alone |= counts.flat >= values.spread(share)
    first = alone.copy()
    first[1:] |= alone[:-1]
    first[_shares(tables, cells, share)] = True
    start = np.flatnonzero(first)
    kept = np.flatnonzero(~alone[start])  # the last value of a column, which is alone, comes after
    # any number from the last value of a bin up to the next value separates the cells equally well:
    # the one of fewest bits is short on the wire, and seldom the value of a cell
    after = start[kept + 1]
    edges = shortest(values.flat[after - 1], values.flat[after])
    upper = Ragged.cut(edges, values.count_places(start[kept]))
    inside = np.add.reduceat(counts.flat, start)[kept] if size else counts.flat
    beside = tables.where(alone)
    return beside, BinLists(below(beside, upper), upper, upper.of(inside))


def _shares(tables: Tallies, cells: Array, share: Array) -> Array:
    """Return which values begin a bin, if a column's bins have equal shares of its cells."""
    steps = np.maximum(np.ceil((cells - share) / share), 0).astype(np.int64)
    passed = Ragged.cut(np.arange(steps.sum()), steps)
    each = passed.spread(share)
    passed = passed.of((each + passed.within() * each).astype(np.int64))
    if cells.sum() == tables.size:  # each value is one cell
        found = passed.flat + passed.spread(tables.values.starts)
    else:
        before = passed.spread(cells.cumsum() - cells)
        found = np.searchsorted(tables.counts.flat.cumsum(), passed.flat + before, side="right")
    return found[found < passed.spread(tables.values.bounds[1:])]


def below(beside: Tallies, upper: Ragged) -> Ragged:
    """Return the lower ends of bins without gaps: each is the previous upper end, or value."""
    lower = np.append(-np.inf, upper.flat)[: upper.flat.size]
    lower[upper.begins()] = -np.inf
    after = upper.find(beside.values, side="right")
    here = after < beside.values.spread(upper.bounds[1:])
    np.maximum.at(lower, after[here], beside.values.flat[here])
    return upper.of(lower)


def shortest(first: Array, beyond: Array) -> Array:
    """Return numbers of few bits, each in ``[first, beyond)``.

    >>> shortest(np.array([0.3, 5.0]), np.array([0.7, 5.1]))
    array([0.5   , 5.0625])
    """
    low, high = keys_of(first), keys_of(beyond)
    # all bits set from the highest one in which the two differ: the upper key cut off just below
    # that bit is the number between them with the most zeros at its end
    differ: Array = high ^ low
    for shift in (1, 2, 4, 8, 16, 32):
        differ = differ | differ >> np.uint64(shift)
    found = high & ~(differ >> np.uint64(1))
    return np.where(found < high, values_of(found), first)


def are_whole(values: Ragged) -> Array:
    """Return which columns have integers only."""
    return _all_of(values, lambda some: some == np.rint(some), np.ones(len(values), dtype=bool))


def value_bytes(values: Ragged, whole: Array) -> Array:
    """Return about how many bytes each of a column's sorted values takes; ``whole`` columns have integers."""
    several = values.sizes > 1
    ends = np.zeros((2, len(values)))
    ends[:, several] = (
        values.flat[values.starts[several]],
        values.flat[values.bounds[1:][several] - 1],
    )
    step = np.maximum((ends[1] - ends[0]) / np.maximum(values.sizes, 1), 1.0)
    # integers travel as differences, 7 bits of them to a byte
    size = np.where(several & whole, np.ceil((np.log2(step) + 2) / 7), 8.0)
    small = several & ~whole & (np.abs(ends).max(axis=0) < LARGEST_NARROW)
    with np.errstate(over="ignore"):
        size[_all_of(values, lambda some: some.astype(np.float32) == some, small)] = 4.0
    return size


def _all_of(values: Ragged, test: Callable[[Array], Array], among: Array) -> Array:
    """Return of which columns among some all values pass a test; most of the others fail early."""
    head = values.head(_LOOKED_AT)
    passed = head.every(test(head.flat)) & among
    longer = np.flatnonzero(passed & (values.sizes > _LOOKED_AT))
    rest = values.take(longer)
    passed[longer] = rest.every(test(rest.flat))
    return passed
