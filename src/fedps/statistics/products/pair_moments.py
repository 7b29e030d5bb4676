"""PairMoments: counts, means, squares and products of any two columns, over the rows that have both.

Numbers far from zero lose their digits when they are multiplied first and centred later. So each batch of
rows is centred by its own means, and batches are put together by the pairwise formula of Chan, Golub and
LeVeque, for all pairs at once. A mean is a pivot and the sum of deviations from it: rounded to one number, the
means of two clients near 1e9 would differ by what was rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array

# where a sum of squares falls to this share once it is centred, four digits are lost: such pairs, whose rows
# lie far from the rest of their column, get pivots of their own
_CANCELLED = 1e-4
_CELLS_AT_ONCE = 1 << 20  # of pairs that get pivots of their own


class PairMoments(NamedTuple):
    """At [i, j], what is known of column i over the rows that have both i and j.

    Where all rows have all columns, it is the same for any j: ``count`` has the shape (1, 1), ``pivot``,
    ``deviation`` and ``square`` have one column, and only ``product`` is (m, m). Two such are put together by
    the same steps. ``square`` and ``product`` are sums over deviations from the means.
    """

    count: Array  # type: ignore[assignment]  # tuples have a method of that name
    pivot: Array
    deviation: Array
    square: Array
    product: Array

    @property
    def mean(self) -> Array:
        """The means; NaN of no rows."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.pivot + self.deviation / self.count)

    def wide(self) -> PairMoments:
        """Return the same with every field (m, m)."""
        return PairMoments(*(np.broadcast_to(field, self.product.shape) for field in self))


def no_rows(width: int) -> PairMoments:
    """Return the moments of no rows."""
    line = np.zeros((width, 1))
    return PairMoments(np.zeros((1, 1)), line, line, line, np.zeros((width, width)))


def of_complete(cells: Array) -> PairMoments:
    """Return the moments of rows without gaps.

    >>> found = of_complete(np.array([[1.0, 5.0], [3.0, 6.0]]))
    >>> found.mean.ravel().tolist(), found.product.tolist()
    ([2.0, 5.5], [[2.0, 1.0], [1.0, 0.5]])
    """
    rows, width = cells.shape
    if rows == 0:
        return no_rows(width)
    ones = np.ones(rows)
    pivot = _pivots(cells, ones @ cells / rows, cells.min(axis=0), cells.max(axis=0))
    off = cells - pivot
    deviation = ones @ off
    product = off.T @ off - np.outer(deviation, deviation) / rows
    np.fill_diagonal(product, np.maximum(np.diagonal(product), 0.0))
    return complete_moments(float(rows), pivot, deviation, product)


def complete_moments(rows: float, pivot: Array, deviation: Array, product: Array) -> PairMoments:
    """Return the moments of rows without gaps, from one line of numbers for all columns."""
    square = np.diagonal(product)[:, None]
    return PairMoments(np.full((1, 1), rows), pivot[:, None], deviation[:, None], square, product)


def of_rows_with_gaps(cells: Array) -> PairMoments:
    """Return the moments of each pair of columns over the rows where both are not NaN."""
    known = ~np.isnan(cells)
    present = known.astype(np.float64)
    zeros = np.where(known, cells, 0.0)
    number = np.maximum(present.sum(axis=0), 1.0)
    ends = (np.where(known, cells, end) for end in (np.inf, -np.inf))
    lower, upper = next(ends).min(axis=0), next(ends).max(axis=0)
    pivot = _pivots(zeros, zeros.sum(axis=0) / number, lower, upper)
    off = np.where(known, cells - pivot, 0.0)
    count, deviation, square = present.T @ present, off.T @ present, (off * off).T @ present
    each = np.maximum(count, 1.0)
    product = off.T @ off - deviation * deviation.T / each
    centred = np.maximum(square - deviation * deviation / each, 0.0)
    pivots = np.repeat(pivot[:, None], len(pivot), axis=1)
    found = PairMoments(count, pivots, deviation, centred, product)
    far = (centred < _CANCELLED * square) & (count > 0)
    return _with_own_pivots(found, cells, np.triu(far | far.T))


def _with_own_pivots(found: PairMoments, cells: Array, far: Array) -> PairMoments:
    """Return the moments with those of some pairs, i <= j, found again about the means of their rows."""
    left, right = np.nonzero(far)
    mean = found.mean
    step = max(_CELLS_AT_ONCE // max(len(cells), 1), 1)
    for start in range(0, len(left), step):
        i, j = left[start : start + step], right[start : start + step]
        known = ~(np.isnan(cells[:, i]) | np.isnan(cells[:, j]))
        sides = [_one_side(cells[:, at], known, mean[at, to]) for at, to in ((i, j), (j, i))]
        count = found.count[i, j]
        for (pivot, off), at, to in zip(sides, (i, j), (j, i), strict=True):
            found.pivot[at, to] = pivot
            deviation = found.deviation[at, to] = off.sum(axis=0)
            square = (off * off).sum(axis=0) - deviation * deviation / count
            found.square[at, to] = np.maximum(square, 0.0)
        (_, one), (_, other) = sides
        product = (one * other).sum(axis=0) - one.sum(axis=0) * (other.sum(axis=0) / count)
        found.product[i, j] = found.product[j, i] = product
    return found


def _one_side(cells: Array, known: Array, mean: Array) -> tuple[Array, Array]:
    """Return the pivot of each pair's rows, and their deviations from it."""
    lower = np.where(known, cells, np.inf).min(axis=0)
    upper = np.where(known, cells, -np.inf).max(axis=0)
    pivot = _pivots(np.where(known, cells, 0.0), mean, lower, upper)
    return pivot, np.where(known, cells - pivot, 0.0)


def _pivots(cells: Array, mean: Array, lower: Array, upper: Array) -> Array:
    """Return a number near each mean: an integer if its first cells are, and the value of a constant column.

    The mean of a constant column is rounded: deviations from it would be noise, and not 0.
    """
    some = cells[:512]  # a wrong guess only costs bytes: any pivot is right
    whole = (some == np.rint(some)).all(axis=0)
    return np.where(lower == upper, lower, np.where(whole, np.rint(mean), mean))


def together(parts: Sequence[PairMoments], width: int) -> PairMoments:
    """Return the moments of the rows of all parts, added in the given order."""
    return reduce(_joined, parts, no_rows(width))


def _joined(left: PairMoments, right: PairMoments) -> PairMoments:
    """Return the moments of the rows of both."""
    if not left.count.any():
        return right
    if not right.count.any():
        return left
    count = left.count + right.count
    one, other = np.maximum(left.count, 1.0), np.maximum(right.count, 1.0)
    each = np.maximum(count, 1.0)
    apart = (right.pivot - left.pivot) + (right.deviation / other - left.deviation / one)
    weight = left.count * (right.count / each)  # 0 where one of them has no rows
    product = left.product + right.product + weight * (apart * apart.T)
    square = left.square + right.square + weight * (apart * apart)
    first = left.count > 0
    start = np.where(first, left.pivot, right.pivot)
    moved = np.where(first, right.pivot - left.pivot, 0.0)
    deviation = left.deviation + right.deviation + right.count * moved
    # a pivot near the mean of both: an integer if both are
    mean = start + deviation / each
    whole = (left.pivot == np.rint(left.pivot)) & (right.pivot == np.rint(right.pivot))
    pivot = np.where(whole, np.rint(mean), mean)
    return PairMoments(count, pivot, deviation - count * (pivot - start), square, product)
