"""Tables of made-up cells like a made-up row: with and without gaps, of few or many distinct values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fedps.assembly.dummy_rows.dummy_row import like

FLAVOURS = 4  # positive numbers, words; years, numerals; around zero, dates; 0 and 1, sentences
SIGNED = 2
FAR_ROW = 7  # the row that is far from all others
_FIRST = datetime(2020, 1, 1)  # noqa: DTZ001 - a dtype adds its own zone


def dummy_table(
    row: Any, rows: int, *, flavour: int = 0, distinct: int | None = None, gaps: float = 0.0
) -> Any:
    """Return a table like a made-up row in container, names and dtypes; always the same one.

    Parameters
    ----------
    row : table
        The row.
    rows : int
        How many rows to make.
    flavour : int
        Which kind of cells, where a dtype leaves that open: less than ``FLAVOURS``.
    distinct : int or None
        How many different values a column has; None: nearly all are different.
    gaps : float
        The share of cells that are missing, in columns whose dtype can hold that.

    Examples
    --------
    >>> dummy_table(np.array([["x"]], dtype=object), 3, flavour=1)
    array([['7'],
           ['0'],
           ['14']], dtype=object)
    """
    rng = np.random.default_rng(flavour)
    width = row.shape[1]
    cells, dtypes = first_cells(row), _dtypes_of(row)
    number = np.arange(rows) if distinct is None else np.arange(rows) % distinct
    made: dict[Any, NDArray[Any]] = {}
    columns = []
    for cell, dtype in zip(cells, dtypes, strict=True):
        key = type(cell), dtype
        if key not in made:
            made[key] = _cells(cell, dtype, number, flavour)
        mixed = made[key][_mixed(rng, rows)]
        columns.append(_with_gaps(mixed, row, dtype, rng.random(rows) < gaps) if gaps else mixed)
    if isinstance(row, np.ndarray) and row.dtype.kind in "biuf":
        table = np.array(columns).T if columns else np.empty((rows, width))
        return np.ascontiguousarray(table.astype(row.dtype))
    return like(row, columns)


def copied_rows(table: Any, rows: Sequence[int] | NDArray[Any]) -> Any:
    """Return copies of some rows of a table, as another client has them: with its own categories."""
    if not hasattr(table, "iloc"):
        return table[np.asarray(rows, dtype=np.int64)]
    found = table.iloc[rows].reset_index(drop=True)
    for j, dtype in enumerate(found.dtypes):
        if str(dtype) == "category":
            found.isetitem(j, found.iloc[:, j].cat.remove_unused_categories())
    return found


def _mixed(rng: np.random.Generator, rows: int) -> NDArray[Any]:
    """Return the rows in another order, but for the far one."""
    order = rng.permutation(rows)
    if rows > FAR_ROW:
        at = int(np.flatnonzero(order == FAR_ROW)[0])
        order[at], order[FAR_ROW] = order[FAR_ROW], FAR_ROW
    return order


def first_cells(row: Any) -> list[Any]:
    """Return the first row's cells as Python objects."""
    if sparse.issparse(row):
        return [row.dtype.type(1).item()] * row.shape[1]
    if isinstance(row, np.ndarray):
        kind = row.dtype.kind
        return list(row[0]) if kind in "mM" else row[0].tolist()
    if hasattr(row, "iloc"):
        return [row[name].iloc[0] for name in row] if row.columns.is_unique else _by_position(row)
    return list(row.row(0))


def _by_position(row: Any) -> list[Any]:
    return [row.iloc[0, j] for j in range(row.shape[1])]


def _dtypes_of(row: Any) -> list[str]:
    if isinstance(row, np.ndarray) or sparse.issparse(row):
        return [str(row.dtype)] * row.shape[1]
    return [str(dtype) for dtype in row.dtypes]


def _cells(cell: Any, dtype: str, number: NDArray[Any], flavour: int) -> NDArray[Any]:
    """Return a cell for each number, of the kind of a given cell: the same cell for the same number."""
    if isinstance(cell, bool | np.bool_):
        return np.asarray(number % 2 == 0)
    if isinstance(cell, int | np.integer):
        return _integers(dtype, number, flavour)
    if isinstance(cell, float | np.floating):
        return _floats(number, flavour)
    if isinstance(cell, np.datetime64 | np.timedelta64):
        days: NDArray[Any] = number.astype("m8[D]")
        return np.array(days + cell, dtype=cell.dtype)
    made: list[Any]
    if isinstance(cell, str):
        made = [_text(int(i), flavour) for i in number]
    elif isinstance(cell, datetime):
        made = [_FIRST + timedelta(hours=7 * int(i)) for i in number]
    elif isinstance(cell, date):
        made = [_FIRST.date() + timedelta(days=int(i)) for i in number]
    elif isinstance(cell, timedelta):
        made = [timedelta(hours=7 * int(i)) for i in number]
    elif isinstance(cell, time):
        made = [time(int(i) % 24, int(i) // 24 % 60) for i in number]
    elif isinstance(cell, Decimal):
        made = [Decimal(int(i)) for i in number]
    elif isinstance(cell, bytes):
        made = [_text(int(i), flavour).encode() for i in number]
    else:  # a list, say: there is no telling what else may stand there
        made = [cell] * len(number)
    return _objects(made)


def _objects(cells: list[Any]) -> NDArray[Any]:
    found = np.empty(len(cells), dtype=object)
    for i, cell in enumerate(cells):
        found[i] = cell
    return found


def _integers(dtype: str, number: NDArray[Any], flavour: int) -> NDArray[Any]:
    starts = (1, 1950, 0, 0)[flavour]
    found = number % 2 if flavour == 3 else number + starts
    if flavour == 0:
        found = np.where(number == FAR_ROW, 20 * len(number), found)
    unsigned = dtype.lower().startswith("u")
    if flavour == 2 and not unsigned:
        found = found - len(number) // 2
    bits = re.search(r"\d+", dtype)
    most = 2 ** (min(int(bits[0]) if bits else 64, 64) - 1) - 1
    return np.asarray(found if most > 20 * len(number) + 1950 else found % most)


def _floats(number: NDArray[Any], flavour: int) -> NDArray[Any]:
    if flavour == 0:
        return np.where(number == FAR_ROW, 40.0 * len(number), (number + 1) * 1.37)
    if flavour == 1:
        return number + 1950.0
    if flavour == 2:
        found = (number - len(number) // 2) / max(len(number), 1)
        return np.where(number == FAR_ROW, 40.0, found)
    return (number % 2).astype(np.float64)


def _text(number: int, flavour: int) -> str:
    if flavour == 0:
        return chr(ord("a") + number % 26) + (str(number // 26) if number >= 26 else "")
    if flavour == 1:
        return str(7 * number)
    if flavour == 2:
        return (_FIRST + timedelta(days=number)).date().isoformat()
    return f"Word {number} of a sentence, and more of it"


def _with_gaps(
    cells: NDArray[Any], row: Any, dtype: str, missing: NDArray[Any]
) -> NDArray[Any] | list[Any]:
    """Return the cells, some of them missing, where a column of the table can hold that."""
    array = isinstance(row, np.ndarray) or sparse.issparse(row)
    if cells.dtype.kind == "f":
        return np.where(missing, np.nan, cells)
    if cells.dtype.kind in "mM":
        return np.where(missing, np.array("NaT", dtype=cells.dtype), cells)
    numpy_kind = re.fullmatch(r"(u?int\d+|bool|[<>|=]?[US]\d+|str\d+)", dtype) is not None
    if (array and cells.dtype.kind != "O") or (numpy_kind and not hasattr(row, "row")):
        return cells
    found = cells.astype(object)
    found[missing] = np.nan if dtype == "object" and not array else None
    return found
