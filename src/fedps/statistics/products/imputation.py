"""Imputation: the initial values of missing cells, and the regressions that replace them in turn.

It runs on a client's rows, and on the server on the few rows that replace them (condensed_rows.py):
an imputed cell is a linear function of the other cells and of 1, and so is every sum of such rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from fedps.statistics.base import LARGEST_TO_SQUARE, Array, BadCells, Block, refuse_columns

_MOST_STEPS = 1 << 20  # columns times sweeps, far beyond any fit: each is work for the client
_ROWS_AT_ONCE = 1 << 16  # imputed rows are a copy: only of so many at a time


class Imputation(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Steps that impute one column each, from all others as they are at that step.

    ``pivot``, a number near each column's mean, is subtracted from the cells, so that no precision is
    lost far from zero. ``start`` (minus the pivot) is the initial value of missing cells. Step t sets a
    missing cell of column ``columns[t]`` to the sum of its row times ``weights[t]``, plus
    ``intercepts[t]``, clipped to ``lower`` and ``upper`` where there are such bounds. ``missing`` is
    scikit-learn's ``missing_values``.
    """

    missing: float
    pivot: Array
    start: Array
    columns: Array
    weights: Array
    intercepts: Array
    lower: Array
    upper: Array

    def demand(self, width: int) -> None:
        """Raise BadCells unless this can run on a table with ``width`` columns."""
        steps = self.columns.size
        if steps > _MOST_STEPS:
            raise BadCells("too large")
        numbers = (self.pivot, self.start, self.weights, self.intercepts)
        shapes = ((width,), (width,), (steps, width), (steps,))
        fits = all(_is(n, np.float64, s) for n, s in zip(numbers, shapes, strict=True))
        for bound in (self.lower, self.upper):
            fits &= _is(bound, np.float64, (width,) if bound.size else (0,))
        if not (fits and _is(self.columns, np.int64, (steps,))):
            raise BadCells("width")
        known = ((self.columns >= 0) & (self.columns < width)).all()
        finite = all(np.isfinite(n).all() for n in numbers)
        if not (known and finite) or np.isnan([*self.lower, *self.upper]).any():
            raise BadCells("width")


def _is(array: Array, dtype: type, shape: tuple[int, ...]) -> bool:
    return bool(array.dtype == dtype) and array.shape == shape


class ImputedRows(NamedTuple):
    """Rows to impute, with a pivot subtracted; ``ones`` is 1 in each, or what replaces it."""

    ones: Array
    cells: Array  # changed by every step
    gaps: Array


def started(imputation: Imputation, cells: Array, gaps: Array) -> ImputedRows:
    """Return a client's rows minus the pivot, with initial values in missing cells."""
    return filled(np.ones(len(cells)), cells - imputation.pivot, gaps, imputation.start)


def filled(ones: Array, cells: Array, gaps: Array, start: Array) -> ImputedRows:
    """Return rows with initial values in missing cells."""
    return ImputedRows(ones, np.where(gaps, ones[:, None] * start, cells), gaps)


def impute(rows: ImputedRows, column: int, weights: Array, intercept: float) -> Array:
    """Replace the missing cells of a column, and return which rows have any."""
    which = np.flatnonzero(rows.gaps[:, column])
    some = rows.cells if len(which) == len(rows.cells) else rows.cells[which]
    rows.cells[which, column] = some @ weights + rows.ones[which] * intercept
    return which


def impute_in_turn(imputation: Imputation, rows: ImputedRows) -> Iterator[bool]:
    """Run one step after the other, and yield after each whether a cell was clipped."""
    steps = zip(imputation.columns.tolist(), imputation.weights, imputation.intercepts, strict=True)
    for column, weights, intercept in steps:
        which = impute(rows, column, weights, intercept)
        yield bool(len(which)) and _bounded(imputation, rows, column, which)


def _bounded(imputation: Imputation, rows: ImputedRows, column: int, which: Array) -> bool:
    """Clip imputed cells to the bounds; return whether one was beyond."""
    pivot, beyond = imputation.pivot[column], False
    for bound, keep in ((imputation.lower, np.maximum), (imputation.upper, np.minimum)):
        if len(bound) and np.isfinite(bound[column]):
            cells = rows.cells[which, column]
            kept = keep(cells, bound[column] - pivot)
            beyond |= bool((kept != cells).any())
            rows.cells[which, column] = kept
    return beyond


def observed(block: Block, missing: float) -> Iterator[tuple[Array, Array]]:
    """Yield a block's numbers, 0 where missing, and which of them are missing, in batches of rows."""
    numbers: Any = block.numbers()
    if hasattr(numbers, "indptr"):
        raise BadCells("sparse")
    for start in range(0, len(numbers), _ROWS_AT_ONCE):
        cells = numbers[start : start + _ROWS_AT_ONCE].astype(np.float64)
        nan = np.isnan(cells)
        gaps = nan if np.isnan(missing) else cells == missing
        if gaps is not nan:  # scikit-learn accepts NaN only if it is the marker
            refuse_columns(nan, "missing")
        cells[gaps] = 0.0
        largest = np.abs(cells).max(axis=0, initial=0.0)
        rule = "infinity" if np.isinf(largest).any() else "range"
        refuse_columns(~(largest <= LARGEST_TO_SQUARE), rule)
        yield cells, gaps
