"""Value/count tables and bins: the two forms in which a column's cells are summed up.

A bin says that so many cells lie in ``(lower, upper]``. Bins may overlap, so that those of many
clients are simply put together; what they say stays true.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array
from fedps.statistics.keys import keys_of, values_of

LARGEST_NARROW = float(np.finfo(np.float32).max)
NONE = np.empty(0)
NO_COUNTS = np.empty(0, dtype=np.int64)


class Tally(NamedTuple):
    """Sorted distinct values, and how many cells have each."""

    values: Array = NONE
    counts: Array = NO_COUNTS


class Bins(NamedTuple):
    """Bins in the order of their upper ends, and how many cells each holds."""

    lower: Array = NONE
    upper: Array = NONE
    counts: Array = NO_COUNTS


def add_tallies(left: Tally, right: Tally) -> Tally:
    """Return the table of the cells of both."""
    if left.values.size == 0 or right.values.size == 0:
        return left if right.values.size == 0 else right
    values = np.concatenate([left.values, right.values])
    counts = np.concatenate([left.counts, right.counts])
    order = np.argsort(values, kind="stable")  # two sorted runs: nearly linear
    values, counts = values[order], counts[order]
    first = np.append(True, values[1:] != values[:-1])
    return Tally(values[first], _added(counts, first))


def add_bins(left: Bins, right: Bins) -> Bins:
    """Return the bins of both, equal ones as one with their counts added."""
    if left.upper.size == 0 or right.upper.size == 0:
        return left if right.upper.size == 0 else right
    both = Bins(*(np.concatenate(pair) for pair in zip(left, right, strict=True)))
    order = np.lexsort((both.lower, both.upper))
    lower, upper, counts = (line[order] for line in both)
    first = np.append(True, (upper[1:] != upper[:-1]) | (lower[1:] != lower[:-1]))
    return Bins(lower[first], upper[first], _added(counts, first))


def _added(counts: Array, first: Array) -> Array:
    return np.add.reduceat(counts, np.flatnonzero(first))


def binned(tally: Tally, bins: int) -> tuple[Tally, Bins]:
    """Return about ``bins`` bins with equal shares of a table's cells, and the values beside them.

    The smallest and the largest value, and each that would fill a bin by itself, stay values.
    """
    values, counts = tally
    if values.size <= 2:
        return tally, Bins()
    total = counts.cumsum()
    share = max(int(total[-1]) / max(bins, 1), 1.0)
    alone = counts >= share
    alone[[0, -1]] = True
    step = ((total - counts) / share).astype(np.int64)
    first = np.append(True, (step[1:] != step[:-1]) | alone[1:] | alone[:-1])
    start = np.flatnonzero(first)
    kept = np.flatnonzero(~alone[start])
    # any number from the last value of a bin up to the next one parts the cells as well
    edges = np.append(shortest(values[start[1:] - 1], values[start[1:]]), values[-1])
    beside, upper = Tally(values[alone], counts[alone]), edges[kept]
    return beside, Bins(below(beside, upper), upper, np.add.reduceat(counts, start)[kept])


def below(beside: Tally, upper: Array) -> Array:
    """Return where bins begin that leave no gap: at the end or the value before their own end."""
    edges = np.sort(np.concatenate([[-np.inf], beside.values, upper]))
    return edges[np.searchsorted(edges, upper, side="left") - 1]


def coarse(bins: Bins, most: int) -> Bins:
    """Return at most about so many bins, neighbours put together."""
    if bins.upper.size <= most:
        return bins
    first = np.zeros(bins.upper.size, dtype=bool)
    first[:: -(-bins.upper.size // most)] = True
    last = np.append(first[1:], True)
    lower = np.minimum.reduceat(bins.lower, np.flatnonzero(first))
    return Bins(lower, bins.upper[last], _added(bins.counts, first))


def shortest(first: Array, beyond: Array) -> Array:
    """Return numbers of few bits, each from ``first`` up to but not at ``beyond``.

    >>> shortest(np.array([0.3, 5.0]), np.array([0.7, 5.1]))
    array([0.5, 5. ])
    """
    low, high = keys_of(first), keys_of(beyond)
    # the bits in which the two differ, all set below the highest one
    differ: Array = high ^ low
    for shift in (1, 2, 4, 8, 16, 32):
        differ = differ | differ >> np.uint64(shift)
    found = high & ~(differ >> np.uint64(1))
    return np.where(found < high, values_of(found), first)


def is_whole(values: Array) -> bool:
    """Return whether all are whole numbers."""
    some = values[:64]  # most columns that have others show them early
    return bool((some == np.rint(some)).all() and (values == np.rint(values)).all())


def value_bytes(values: Array) -> float:
    """Return about how many bytes each of some sorted values takes on the wire."""
    if values.size < 2:
        return 8.0
    if is_whole(values):
        step = max((values[-1] - values[0]) / values.size, 1.0)
        return float(np.ceil((np.log2(step) + 2) / 7))
    if max(abs(values[0]), abs(values[-1])) >= LARGEST_NARROW:
        return 8.0
    return 4.0 if (values.astype(np.float32) == values).all() else 8.0
