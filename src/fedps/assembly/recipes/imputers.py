"""Imputers from their statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.assembly.dummy_rows.polars_cells import with_floats, with_objects
from fedps.learned import Array, needed
from fedps.learned.imputers import MissingIndicatorNumbers, SimpleImputerNumbers


def assemble_simple_imputer(imputer: Any, numbers: SimpleImputerNumbers, table: Any) -> Any:
    """Fit on a row that is there and one that is not, then put the statistics in."""
    numeric = imputer.strategy in ("mean", "median")
    marker = imputer.missing_values
    rows = rows_with_gaps(table, marker, numbers.missing, numbers.rows, numeric=numeric)
    imputer.fit(rows)
    if imputer.strategy != "constant":
        imputer.statistics_ = _typed(needed(numbers.statistics), imputer.statistics_)
    return rows


def _typed(statistics: Array, own: Array) -> Array:
    """Return statistics in the types that scikit-learn's own have: with pandas' NA, numbers are objects."""
    if own.dtype != object:
        return statistics.astype(own.dtype)
    found = statistics.astype(object)
    for j, (value, like_this) in enumerate(zip(found, own, strict=True)):
        whole = isinstance(value, float) and value == value // 1
        if whole and isinstance(like_this, int | np.integer | np.bool_):
            found[j] = type(like_this)(value)
    return found


def assemble_missing_indicator(indicator: Any, numbers: MissingIndicatorNumbers, table: Any) -> Any:
    """Fit on a row that is there and one that is not."""
    rows = rows_with_gaps(table, indicator.missing_values, numbers.missing, numbers.rows)
    indicator.fit(rows)
    return rows


def rows_with_gaps(
    table: Any, marker: Any, missing: Array, total: int, *, numeric: bool = False
) -> Any:
    """Return two rows; cells are missing where some client's are, and both where all are.

    ``missing`` is how many cells of each column are, of ``total`` rows.
    """
    made_up = [1] * table.shape[1] if numeric else _first_row(table)
    present = [_other_than(marker, cell) for cell in made_up]
    cells = []
    for cell, gaps in zip(present, missing.tolist(), strict=True):
        gap = _gap(marker, cell)
        cells.append([gap if gaps == total else cell, gap if gaps else cell])
    if hasattr(table, "indptr"):
        return _sparse_rows(table, cells)
    if hasattr(table, "to_series"):
        return with_floats(like(with_objects(table), cells))
    return like(table, cells)


def _gap(marker: Any, cell: Any) -> Any:
    """Return a missing cell: not all of scikit-learn takes pandas' NA itself, although it is the marker."""
    if type(marker).__name__ != "NAType":
        return marker
    return None if isinstance(cell, str) else np.nan


def _sparse_rows(table: Any, cells: list[list[Any]]) -> Any:
    """Return sparse rows that store their cells, zeros included."""
    whole = all(float(cell).is_integer() for column in cells for cell in column)
    dtype = table.dtype if whole or table.dtype.kind == "f" else np.float64
    return type(table)(np.array(cells, dtype=dtype).T)


def _first_row(table: Any) -> list[Any]:
    if hasattr(table, "indptr"):
        return list(table.toarray()[0].tolist())
    if isinstance(table, np.ndarray):
        return list(table[0].tolist())
    return [table[name].to_numpy()[0] for name in table.columns]


def _other_than(marker: Any, cell: Any) -> Any:
    """Return a cell that is not the marker of a missing value."""
    try:
        same = bool(cell == marker)
    except TypeError:  # pd.NA has no truth value
        same = False
    if not same:
        return cell
    return cell + "x" if isinstance(cell, str) else cell + 1
