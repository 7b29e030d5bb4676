"""Tables of values and counts, and bins: the two forms in which a column is summarised.

A bin says how many cells are in ``(lower, upper]``. Bins may overlap: those of several clients are
simply put together, and each stays true. Slices (``slices.py``) are bins whose ends depend on no cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array
from fedps.statistics.order.float_keys import keys_of, values_of

LARGEST_NARROW = float(np.finfo(np.float32).max)
_LOOKED_AT = 64  # values: a column that is not of integers nearly always shows it by then
NO_VALUES = np.empty(0)
NO_COUNTS = np.empty(0, dtype=np.int64)


class Tally(NamedTuple):
    """Sorted distinct values, and how many cells have each."""

    values: Array = NO_VALUES
    counts: Array = NO_COUNTS


class Bins(NamedTuple):
    """Bins in the order of their upper ends, and how many cells each holds."""

    lower: Array = NO_VALUES
    upper: Array = NO_VALUES
    counts: Array = NO_COUNTS


def tallied(values: Array, counts: Array) -> Tally:
    """Return the table of values in any order, some of which may occur several times."""
    order = np.argsort(values, kind="stable")  # the clients' tables are sorted runs: nearly linear
    values, counts = values[order], counts[order]
    first = np.append(True, values[1:] != values[:-1])[: values.size]
    if first.all():
        return Tally(values, counts)
    return Tally(values[first], np.add.reduceat(counts, np.flatnonzero(first)))


def add_tallies(left: Tally, right: Tally) -> Tally:
    """Return the table of the cells of both."""
    if left.values.size == 0 or right.values.size == 0:
        return left if right.values.size == 0 else right
    return tallied(*map(np.concatenate, zip(left, right, strict=True)))


def points(bins: Bins) -> tuple[Tally, Bins]:
    """Return bins with room for one value only as values, and the others."""
    one = np.nextafter(bins.lower, np.inf) == bins.upper
    if not one.any():
        return Tally(), bins
    return Tally(bins.upper[one], bins.counts[one]), Bins(*(each[~one] for each in bins))


def sorted_bins(lower: Array, upper: Array, counts: Array) -> Bins:
    """Return bins in the order of their upper ends, equal ones merged."""
    order = np.argsort(upper, kind="stable")
    lower, upper, counts = lower[order], upper[order], counts[order]
    tied = np.flatnonzero(upper[1:] == upper[:-1])
    if tied.size == 0:
        return Bins(lower, upper, counts)
    tied = np.union1d(tied, tied + 1)
    moved = tied[np.lexsort((lower[tied], upper[tied]))]
    lower[tied], counts[tied] = lower[moved], counts[moved]
    first = np.append(True, (upper[1:] != upper[:-1]) | (lower[1:] != lower[:-1]))
    return Bins(lower[first], upper[first], np.add.reduceat(counts, np.flatnonzero(first)))


def add_bins(left: Bins, right: Bins) -> Bins:
    """Return the bins of both."""
    if left.upper.size == 0 or right.upper.size == 0:
        return left if right.upper.size == 0 else right
    return sorted_bins(*map(np.concatenate, zip(left, right, strict=True)))


def binned(tally: Tally, bins: int) -> tuple[Tally, Bins]:
    """Return about ``bins`` bins with equal shares of a table's cells, and the values not in bins.

    The smallest and the largest value, and each value that would fill a bin by itself, stay values:
    extremes are then exact, and so is any quantile that falls on a frequent value.
    """
    values, counts = tally
    if values.size <= 2:
        return tally, Bins()
    total = counts.cumsum()
    share = max(int(total[-1]) / max(bins, 1), 1.0)
    steps = np.arange(share, float(total[-1]), share)
    if total[-1] == values.size:
        steps = steps.astype(np.int64)  # each value is one cell
    else:
        steps = np.searchsorted(total, steps, side="right")
    steps = steps[steps < values.size]
    alone = counts >= share
    alone[[0, -1]] = True
    single = np.flatnonzero(alone)
    start = np.unique(np.concatenate([steps, single, single[:-1] + 1]))
    kept = np.flatnonzero(~alone[start])
    # any number from the last value of a bin up to the next value separates the cells equally well:
    # the one of fewest bits is short on the wire, and seldom the value of a cell
    edges = np.append(shortest(values[start[1:] - 1], values[start[1:]]), values[-1])
    beside, upper = Tally(values[alone], counts[alone]), edges[kept]
    return beside, Bins(below(beside, upper), upper, np.add.reduceat(counts, start)[kept])


def below(beside: Tally, upper: Array) -> Array:
    """Return the lower ends of bins without gaps: each is the previous upper end, or value."""
    lower = np.append(-np.inf, upper)[: upper.size]
    after = np.searchsorted(upper, beside.values, side="right")
    here = after < upper.size
    np.maximum.at(lower, after[here], beside.values[here])
    return lower


def coarse(bins: Bins, most: int) -> Bins:
    """Return at most about ``most`` bins, neighbouring ones merged."""
    if bins.upper.size <= most:
        return bins
    first = np.zeros(bins.upper.size, dtype=bool)
    first[:: -(-bins.upper.size // most)] = True
    last = np.append(first[1:], True)
    starts = np.flatnonzero(first)
    lower = np.minimum.reduceat(bins.lower, starts)
    return Bins(lower, bins.upper[last], np.add.reduceat(bins.counts, starts))


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


def is_whole(values: Array) -> bool:
    """Return whether all are integers."""
    some = values[:_LOOKED_AT]
    return bool((some == np.rint(some)).all() and (values == np.rint(values)).all())


def value_bytes(values: Array) -> float:
    """Return about how many bytes each of the sorted values takes on the wire."""
    if values.size < 2:
        return 8.0
    if is_whole(values):  # they travel as differences, 7 bits of them to a byte
        step = max((values[-1] - values[0]) / values.size, 1.0)
        return float(np.ceil((np.log2(step) + 2) / 7))
    if max(abs(values[0]), abs(values[-1])) >= LARGEST_NARROW:
        return 8.0
    some = values[:_LOOKED_AT]
    narrow = (some.astype(np.float32) == some).all()
    return 4.0 if narrow and (values.astype(np.float32) == values).all() else 8.0
