"""Imputations: what missing cells start from, and the regressions that then replace them in turn.

The same run on a client's rows, and on the server on a few rows that stand for all (see patterns.py):
an imputed cell is a linear function of the other cells and of 1, and so is every sum of such rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from fedps.statistics.base import LARGEST_TO_SQUARE, Array, BadCells, Block

_MOST_STEPS = 1 << 20
_ROWS_AT_ONCE = 1 << 16  # so that few rows are held a second time


class Imputation(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Steps that impute one column each, from all others as they are by then.

    Cells are taken less ``pivot``, a number near each column's mean, so that far from zero nothing is
    lost. ``start`` (less the pivot) fills missing cells first. Step t makes a missing cell of column
    ``columns[t]`` the sum of its row times ``weights[t]``, plus ``intercepts[t]``, no less than
    ``lower`` and no more than ``upper`` where there are such bounds. ``missing`` marks missing cells.
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
        """Raise BadCells unless this can be run on a table of such a width."""
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
    """Rows to impute, less a pivot; ``ones`` is what stands for 1 in each."""

    ones: Array
    cells: Array  # changed by every step
    gaps: Array


def started(imputation: Imputation, cells: Array, gaps: Array) -> ImputedRows:
    """Return a client's rows less the pivot, with what missing cells start from in them."""
    return filled(np.ones(len(cells)), cells - imputation.pivot, gaps, imputation.start)


def filled(ones: Array, cells: Array, gaps: Array, start: Array) -> ImputedRows:
    """Return rows with what missing cells start from in them."""
    return ImputedRows(ones, np.where(gaps, ones[:, None] * start, cells), gaps)


def impute(rows: ImputedRows, column: int, weights: Array, intercept: float) -> Array:
    """Replace the missing cells of a column, and return which rows have any."""
    which = np.flatnonzero(rows.gaps[:, column])
    some = rows.cells if len(which) == len(rows.cells) else rows.cells[which]
    rows.cells[which, column] = some @ weights + rows.ones[which] * intercept
    return which


def impute_in_turn(imputation: Imputation, rows: ImputedRows) -> Iterator[bool]:
    """Take one step after the other; yield whether a bound held a cell back."""
    steps = zip(imputation.columns.tolist(), imputation.weights, imputation.intercepts, strict=True)
    for column, weights, intercept in steps:
        which = impute(rows, column, weights, intercept)
        yield bool(len(which)) and _bounded(imputation, rows, column, which)


def _bounded(imputation: Imputation, rows: ImputedRows, column: int, which: Array) -> bool:
    """Keep imputed cells within the bounds; return whether one was beyond."""
    pivot, beyond = imputation.pivot[column], False
    for bound, keep in ((imputation.lower, np.maximum), (imputation.upper, np.minimum)):
        if len(bound) and np.isfinite(bound[column]):
            cells = rows.cells[which, column]
            kept = keep(cells, bound[column] - pivot)
            beyond |= bool((kept != cells).any())
            rows.cells[which, column] = kept
    return beyond


def observed(block: Block, missing: float) -> Iterator[tuple[Array, Array]]:
    """Yield a block's numbers and which of them are missing, some rows at a time."""
    numbers: Any = block.numbers()
    if hasattr(numbers, "indptr"):
        raise BadCells("sparse")
    for start in range(0, len(numbers), _ROWS_AT_ONCE):
        cells = numbers[start : start + _ROWS_AT_ONCE].astype(np.float64)
        nan = np.isnan(cells)
        gaps = nan if np.isnan(missing) else cells == missing
        if gaps is not nan and nan.any():  # scikit-learn takes NaN only where it is the marker
            raise BadCells("missing", _first(nan.any(axis=0)))
        cells[gaps] = 0.0
        largest = np.abs(cells).max(axis=0, initial=0.0)
        if not (largest <= LARGEST_TO_SQUARE).all():
            rule = "infinity" if np.isinf(largest).any() else "range"
            raise BadCells(rule, _first(~(largest <= LARGEST_TO_SQUARE)))
        yield cells, gaps


def _first(columns: Array) -> int:
    return int(np.flatnonzero(columns)[0])
