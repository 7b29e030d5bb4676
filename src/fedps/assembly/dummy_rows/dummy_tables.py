"""Tables of made-up cells like a made-up row: with and without gaps, of few or many distinct values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fedps.assembly.dummy_rows.dummy_cells import FAR_CELL, Flavour, many_cells
from fedps.assembly.dummy_rows.dummy_row import like


def dummy_table(
    row: Any,
    rows: int,
    *,
    flavour: Flavour = Flavour.WORDS,
    distinct: int | None = None,
    gaps: float = 0.0,
) -> Any:
    """Return a table like a made-up row in container, names and dtypes; always the same one.

    Parameters
    ----------
    row : table
        The row.
    rows : int
        How many rows to make. Where there are more, row 7 is far from the others.
    flavour : Flavour
        Which kind of cells, where a dtype leaves that open.
    distinct : int or None
        How many different values a column has; None: nearly all are different.
    gaps : float
        The share of cells that are missing, in columns whose dtype can hold that.

    Examples
    --------
    >>> dummy_table(np.array([["x"]], dtype=object), 3, flavour=Flavour.NUMERALS)
    array([['0'],
           ['7'],
           ['14']], dtype=object)
    """
    rng = np.random.default_rng(flavour)
    number = np.arange(rows) if distinct is None else np.arange(rows) % distinct
    made: dict[Any, NDArray[Any]] = {}
    columns = []
    for cell, dtype in zip(first_cells(row), _dtypes_of(row), strict=True):
        key = type(cell), dtype
        if key not in made:
            made[key] = many_cells(cell, dtype, number, flavour)
        mixed = made[key][_mixed(rng, rows)]
        columns.append(_with_gaps(mixed, row, dtype, rng.random(rows) < gaps) if gaps else mixed)
    if isinstance(row, np.ndarray) and row.dtype.kind in "biuf":  # like is slow for many columns
        table = np.array(columns).T if columns else np.empty((rows, 0))
        return np.ascontiguousarray(table.astype(row.dtype))
    return _in_dtypes_of(row, like(row, columns))


def _in_dtypes_of(row: Any, table: Any) -> Any:
    """Return a table in the dtypes of a row: text with pandas' NA is objects where it is to be fitted."""
    if not hasattr(table, "iloc"):
        return table
    wanted = {
        name: "category" if str(dtype) == "category" else dtype
        for name, dtype in row.dtypes.items()
        if table.dtypes[name] == np.dtype(object) and not isinstance(dtype, np.dtype)
    }
    return table.astype(wanted) if wanted else table


def copied_rows(table: Any, rows: Sequence[int] | NDArray[Any]) -> Any:
    """Return copies of some rows of a table, as another client has them: with its own categories."""
    if not hasattr(table, "iloc"):
        return table[np.asarray(rows, dtype=np.int64)]
    found = table.iloc[rows].reset_index(drop=True)
    for j, dtype in enumerate(found.dtypes):
        if str(dtype) == "category":
            found.isetitem(j, found.iloc[:, j].cat.remove_unused_categories())
    return found


def first_cells(table: Any) -> list[Any]:
    """Return the cells of the first row."""
    if sparse.issparse(table):
        return [table.dtype.type(1).item()] * table.shape[1]
    if isinstance(table, np.ndarray):
        return list(table[0]) if table.dtype.kind in "mM" else list(table[0].tolist())
    if hasattr(table, "iloc"):
        return [table.iloc[:, j].iloc[0] for j in range(table.shape[1])]
    return list(table.row(0))


def _dtypes_of(row: Any) -> list[str]:
    if isinstance(row, np.ndarray) or sparse.issparse(row):
        return [str(row.dtype)] * row.shape[1]
    return [str(dtype) for dtype in row.dtypes]


def _mixed(rng: np.random.Generator, rows: int) -> NDArray[Any]:
    """Return the rows in another order, but for the far one."""
    order = rng.permutation(rows)
    if rows > FAR_CELL:
        at = int(np.flatnonzero(order == FAR_CELL)[0])
        order[at], order[FAR_CELL] = order[FAR_CELL], FAR_CELL
    return order


def _with_gaps(cells: NDArray[Any], row: Any, dtype: str, missing: NDArray[Any]) -> NDArray[Any]:
    """Return the cells, some of them missing, where a column of the table can hold that."""
    array = isinstance(row, np.ndarray) or sparse.issparse(row)
    if cells.dtype.kind == "f":
        return np.where(missing, np.nan, cells)
    if cells.dtype.kind in "mM":
        return np.where(missing, np.array("NaT", dtype=cells.dtype), cells)
    if array and row.dtype.kind != "O":
        return cells
    if hasattr(row, "iloc") and re.fullmatch(r"u?int\d+|bool", dtype):
        return cells
    found = cells.astype(object)
    found[missing] = np.nan if dtype == "object" and not array else None
    return found
