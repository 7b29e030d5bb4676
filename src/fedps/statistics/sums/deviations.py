"""Sums of deviations from a pivot: what a client computes for moments, piece by piece."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.statistics.base import Array, BadCells
from fedps.statistics.column_reduce import cached_pieces, count_true, reduce_columns

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
