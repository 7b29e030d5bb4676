"""Sums of columns: in pieces of rows at a client, and exactly over all clients.

At a client they are sums of deviations from a pivot. Over clients they are exact, so that no result
depends on the order or the grouping of clients: every double is an integer times a power of two, sums
and products of such numbers are exact in Python's integers, and only the last step, back to a double,
rounds. That is cheap: there are a few numbers per client and column, and not one per row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedps.statistics.base import Array, BadCells

CELLS_AT_ONCE = 1 << 17  # a megabyte of doubles: still in the processor's cache when read again
LONG_ROW = 1 << 10  # cells: NumPy's overhead for each row is then small beside the work on it


def cached_pieces(cells: Array) -> Iterator[slice]:
    """Yield slices of rows, each of which fits into the processor's cache."""
    rows, width = cells.shape
    step = max(1, CELLS_AT_ONCE // max(width, 1))
    for start in range(0, rows, step):
        yield slice(start, start + step)


def reduce_columns(ufunc: Any, cells: Array, dtype: Any = None) -> Array:
    """Return ``ufunc.reduce(cells, axis=0)``.

    NumPy reduces a row-major array row by row, which is slow for short rows. So several rows are
    taken as one long row first.

    >>> reduce_columns(np.add, np.ones((1000, 2)))
    array([1000., 1000.])
    """
    rows, width = cells.shape
    together = LONG_ROW // max(width, 1)
    long_enough = width and together > 1 and rows >= 2 * together
    if not long_enough or not cells.flags.c_contiguous:
        return np.asarray(ufunc.reduce(cells, axis=0, dtype=dtype))
    even = rows - rows % together
    long = ufunc.reduce(cells[:even].reshape(-1, together * width), axis=0, dtype=dtype)
    found = ufunc.reduce(long.reshape(together, width), axis=0, dtype=dtype)
    if even == rows:
        return np.asarray(found)
    return np.asarray(ufunc(found, ufunc.reduce(cells[even:], axis=0, dtype=dtype)))


def any_nan(cells: Array) -> bool:
    """Return whether any cell is NaN, without a mask of all cells: ``min`` propagates NaN."""
    return bool(cells.size) and bool(np.isnan(cells.min()))


def count_true(mask: Array) -> Array:
    """Return how many cells of each column are true."""
    return reduce_columns(np.add, mask, dtype=np.int64)


PIVOT_SHARE = 8  # the pivot comes from one piece of rows in so many: see _pivot
_LOOKED_AT = 512  # rows that decide whether a column counts as whole


def of_dense(
    cells: Array, missing: float | None, weights: Array | None, *, squares: bool
) -> tuple[Array, ...]:
    """Return count, pivot, deviation and square of each column of a dense array."""
    pivot = _pivot(cells, missing)
    sums = np.zeros((3, cells.shape[1]))
    for rows in cached_pieces(cells):
        part_weights = None if weights is None else weights[rows]
        sums += _add_up(cells[rows], pivot, missing, part_weights, squares=squares)
    count, deviation, square = sums
    _demand_finite(deviation, cells, missing)
    return count, np.where(count > 0, pivot, 0.0), deviation, square


def _add_up(
    cells: Array, pivot: Array, missing: float | None, weights: Array | None, *, squares: bool
) -> Array:
    """Return count, sum and sum of squares of the deviations of some rows."""
    deviations = np.subtract(cells, pivot, dtype=np.float64)
    sums = np.zeros((3, len(pivot)))
    sums[1] = reduce_columns(np.add, deviations)
    gone = _gone(cells, sums[1], missing)
    if gone is not None:
        np.copyto(deviations, 0.0, where=gone)
        sums[1] = reduce_columns(np.add, deviations)
    if weights is None:
        sums[0] = len(cells) if gone is None else len(cells) - count_true(gone)
        if squares:
            sums[2] = np.einsum("ij,ij->j", deviations, deviations)
        return sums
    sums[0] = weights.sum() if gone is None else weights @ ~gone
    sums[1] = weights @ deviations
    if squares:
        sums[2] = np.einsum("i,ij,ij->j", weights, deviations, deviations)
    return sums


def _gone(cells: Array, total: Array, missing: float | None) -> Array | None:
    """Return where cells are missing; None if none are. The total of a column with NaN is NaN."""
    if missing is not None:
        return np.asarray(cells == missing)
    return np.isnan(cells) if np.isnan(total).any() else None


def _pivot(cells: Array, missing: float | None) -> Array:
    """Return a number near each column's mean, an integer where the column looks like integers.

    The mean of a share f of the rows is near enough: it is at most the standard deviation over the
    root of f away, which costs no more than a factor 1 / f in the last bits of a variance.
    """
    every = list(cached_pieces(cells))
    some = every[::PIVOT_SHARE]
    total, count, rows = _rough_sums(cells, some, missing)
    if len(some) < len(every) and (count < rows / 4).any():  # too many of these cells are missing
        total, count, rows = _rough_sums(cells, every, missing)
    _demand_finite(total, cells, missing)
    return _whole_where_whole(total / np.maximum(count, 1), cells[:_LOOKED_AT])


def _rough_sums(
    cells: Array, parts: list[slice], missing: float | None
) -> tuple[Array, Array, int]:
    """Return sums and counts of the cells of some rows that are not missing, and how many rows."""
    total, seen = np.zeros((2, cells.shape[1]))
    rows = 0
    for part in (cells[rows] for rows in parts):
        added = reduce_columns(np.add, part, dtype=np.float64)
        gone = _gone(part, added, missing)
        if gone is not None:
            added = reduce_columns(np.add, np.where(gone, 0.0, part), dtype=np.float64)
            seen -= count_true(gone)
        total += added
        seen += len(part)
        rows += len(part)
    return total, seen, rows


def _demand_finite(total: Array, cells: Array, missing: float | None) -> None:
    """Refuse cells whose total is not finite, naming the first such column."""
    unusable = np.flatnonzero(~np.isfinite(total))
    if len(unusable):
        infinite = np.isinf(cells[:, unusable[0]]).any() or missing is None
        raise BadCells("infinity" if infinite else "missing", int(unusable[0]))


def _whole_where_whole(mean: Array, sample: Array) -> Array:
    """Round the means of columns whose first cells are integers.

    A wrong guess is harmless: any pivot is exact, and this one only shorter on the wire.
    """
    whole = ((sample == np.rint(sample)) | np.isnan(sample)).all(axis=0)
    return np.where(whole, np.rint(mean), mean)


def of_sparse(cells: Any, missing: float | None, weights: Array | None) -> tuple[Array, ...]:
    """Return the same for a CSC matrix, whose implied cells are zeros: they are never written out."""
    rows, width = cells.shape
    column = np.repeat(np.arange(width), np.diff(cells.indptr))
    values = cells.data.astype(np.float64, copy=False)
    weight = np.ones(rows) if weights is None else weights
    stored = weight[cells.indices]
    absent = np.isnan(values) if missing is None else values == missing
    lost = np.bincount(column, stored * absent, width)
    gone = np.bincount(column, absent, width) == rows
    some = np.diff(cells.indptr) < rows
    # sums of weights are rounded: their difference could be a little below 0
    zeros = np.where(some, weight.sum() - np.bincount(column, stored, width), 0.0).clip(min=0.0)
    values, column, stored = values[~absent], column[~absent], stored[~absent]
    for rule, unusable in (("missing", np.isnan(values)), ("infinity", np.isinf(values))):
        if unusable.any():
            raise BadCells(rule, int(column[unusable][0]))
    count = np.where(gone, 0.0, weight.sum() - lost).clip(min=0.0)
    mean = np.bincount(column, stored * values, width) / np.where(count > 0, count, 1)
    whole = np.bincount(column, values != np.rint(values), width) == 0
    pivot = np.where(whole, np.rint(mean), mean)
    deviations = values - pivot[column]
    deviation = np.bincount(column, stored * deviations, width) - zeros * pivot
    square = np.bincount(column, stored * deviations**2, width) + zeros * pivot**2
    return count, np.where(count > 0, pivot, 0.0), np.where(count > 0, deviation, 0.0), square


@dataclass(frozen=True)
class Exact:
    """An array of numbers ``digits * 2**exponent``: Python integers, one exponent per column."""

    digits: Array
    exponent: Array

    @classmethod
    def of(cls, values: Array) -> Exact:
        """Return the exact values of an array of doubles.

        >>> Exact.of(np.array([0.5, 3.0])).rounded()
        array([0.5, 3. ])
        """
        fractions, exponents = np.frexp(np.atleast_2d(values))
        digits = (fractions * 2.0**53).astype(np.int64)  # a double has 53 bits: nothing is lost
        # each column in units of its finest cell, so that its cells can be added as integers
        none = np.iinfo(exponents.dtype).max
        finest = np.where(digits == 0, none, exponents).min(axis=0, initial=none)
        finest = np.where(finest == none, 0, finest)
        shifts = np.where(digits == 0, 0, exponents - finest)
        whole = digits.astype(object) << shifts.astype(object)
        exponent = finest.astype(np.int64) - 53
        return cls(whole if values.ndim == 2 else whole[0], exponent)

    def sum(self) -> Exact:
        """Return the sum of each column."""
        return Exact(np.add.reduce(self.digits, axis=0, initial=0), self.exponent)

    def __add__(self, other: Exact) -> Exact:
        least = np.minimum(self.exponent, other.exponent)
        left, right = self.exponent - least, other.exponent - least
        digits = (self.digits << left.astype(object)) + (other.digits << right.astype(object))
        return Exact(digits, least)

    def __neg__(self) -> Exact:
        return Exact(-self.digits, self.exponent)

    def __mul__(self, other: Exact) -> Exact:
        return Exact(self.digits * other.digits, self.exponent + other.exponent)

    def twice(self) -> Exact:
        """Return the numbers times two."""
        return Exact(self.digits, self.exponent + 1)

    def over(self, other: Exact) -> Array:
        """Return the quotients, rounded once; NaN where the divisor is 0."""
        found = _divide(self.digits, other.digits, (self.exponent - other.exponent).astype(object))
        return np.asarray(found, dtype=np.float64)

    def rounded(self) -> Array:
        """Return the nearest doubles."""
        return self.over(Exact(np.ones_like(self.digits), np.zeros_like(self.exponent)))


def _quotient(top: int, bottom: int, shift: int) -> float:
    """Return ``top / bottom * 2**shift``: Python divides integers with one rounding."""
    if bottom == 0:
        return float("nan")
    try:
        return (top << shift) / bottom if shift >= 0 else top / (bottom << -shift)
    except OverflowError:
        return float("inf") if (top > 0) == (bottom > 0) else float("-inf")


_divide: Any = np.frompyfunc(_quotient, 3, 1)
