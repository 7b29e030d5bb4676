"""The centre nearest to each number of a column, decided as scikit-learn decides it."""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array

_NUMBERS_AT_ONCE = 1 << 15  # a batch of them stays in the processor's cache
_FEW = 64  # boundaries, up to which it is faster to compare with each than to search


def nearest_to_values(numbers: Array, centres: Array) -> Array:
    """Return the position of the centre nearest to each number; both have one float dtype.

    scikit-learn's ``KMeans`` compares ``c * c - 2 * x * c``, rounded, and takes the first of equals.
    Comparing numbers with the boundaries between centres gives the same answer, faster, unless a
    number is so near to a boundary that rounding decides: only those are decided by that formula.

    >>> nearest_to_values(np.array([-1.0, 0.0, 0.1, 7.0]), np.array([1.0, -1.0]))
    array([1, 0, 0, 0])
    """
    ordered, first = np.unique(centres, return_index=True)  # of equal centres the first wins
    if ordered.size == 1:
        return np.full(numbers.size, first[0])
    largest = max(-numbers.min(initial=0.0), numbers.max(initial=0.0))
    middle, reach = _boundaries(ordered, largest)
    # a number at place i is certainly nearest to centre i if between after[i] and before[i]
    after = np.append(-np.inf, np.maximum.accumulate(middle + reach))
    before = np.append(np.minimum.accumulate((middle - reach)[::-1])[::-1], np.inf)
    rising = np.array_equal(ordered, centres)  # places are labels
    found = np.empty(numbers.size, dtype=np.intp)
    for start in range(0, numbers.size, _NUMBERS_AT_ONCE):
        some, labels = (a[start : start + _NUMBERS_AT_ONCE] for a in (numbers, found))
        labels[:] = _places(some, middle)
        sure = (some > after.take(labels)) & (some < before.take(labels))
        if not rising:
            labels[:] = first.take(labels)
        if not sure.all():
            labels[~sure] = _by_distance(some[~sure], centres)
    return found


def _boundaries(ordered: Array, largest: float) -> tuple[Array, Array]:
    """Return the middles between neighbouring centres, and how far around them rounding can decide.

    The rounded distances of one number to two centres are each off by at most 2 u (c c + 2 |x c|),
    where u is half the spacing of floats at 1, and the true ones differ by twice the gap between the
    centres times the distance to their middle. Four times that is taken, which also covers the
    rounding here.
    """
    unit = float(np.finfo(ordered.dtype).eps) / 2
    wide = ordered.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        gap = np.diff(wide)
        size = np.maximum(np.abs(wide[1:]), np.abs(wide[:-1]))
        reach = 8 * unit * (size + size * (size + 2 * float(largest)) / gap)
    return wide[:-1] + gap / 2, np.where(np.isnan(reach), np.inf, reach)


def _places(numbers: Array, boundaries: Array) -> Array:
    """Return how many boundaries lie below each number."""
    if boundaries.size > _FEW:
        return np.searchsorted(boundaries, numbers)
    place = np.zeros(numbers.size, dtype=np.uint8)
    for boundary in boundaries:
        place += numbers > boundary
    return place


def _by_distance(numbers: Array, centres: Array) -> Array:
    """Return the position of the nearest centre, by scikit-learn's own arithmetic."""
    found = np.empty(numbers.size, dtype=np.intp)
    step = max(1, (_NUMBERS_AT_ONCE << 3) // centres.size)
    squares = centres * centres
    for start in range(0, numbers.size, step):
        some = numbers[start : start + step, None]
        found[start : start + step] = (squares - (some * centres) * 2).argmin(axis=1)
    return found
