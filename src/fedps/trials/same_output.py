"""Whether two outputs of a function have the same cells, but for rounding and the kind of gaps."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

ROUNDING = 1e-5  # of the largest cell of a column: float32 is known to 1e-7, and sums add up errors


class NoTable(Exception):  # noqa: N818 - it is raised and caught, never shown
    """A function returned something that has no rows."""


class Output(NamedTuple):
    """What a function returned: its column names, where it has some, and its cells by column."""

    names: tuple[str, ...] | None
    columns: list[NDArray[Any]]
    rows: int

    def at(self, rows: NDArray[Any]) -> Output:
        """Return some of the rows."""
        return Output(self.names, [column[rows] for column in self.columns], len(rows))


def output_of(returned: Any, rows: int) -> Output:
    """Read what a function returned for so many rows; NoTable if that has no rows."""
    if sparse.issparse(returned):
        returned = returned.toarray()
    if hasattr(returned, "to_frame"):
        returned = returned.to_frame()
    names = None
    if hasattr(returned, "columns"):
        names = tuple(map(str, returned.columns))
        if hasattr(returned, "iloc"):
            columns = [_array(column) for _, column in returned.items()]
        else:
            columns = [_array(column) for column in returned.iter_columns()]
            if not columns:  # a polars frame without columns has no rows, whatever it was made from
                return Output(names, columns, rows)
        return Output(names, columns, len(returned))
    cells = np.asarray(returned)
    if cells.ndim == 0:
        raise NoTable
    flat = cells.reshape(len(cells), math.prod(cells.shape[1:]))
    return Output(None, list(flat.T), len(cells))


def end_to_end(parts: list[Output]) -> Output:
    """Return outputs one after the other; they have the same columns."""
    first = parts[0]
    columns = [
        np.concatenate([part.columns[j].astype(object) for part in parts])
        for j in range(len(first.columns))
    ]
    return Output(first.names, columns, sum(part.rows for part in parts))


def same_names(one: Output, other: Output) -> bool:
    """Whether two outputs have the same columns."""
    return one.names == other.names and len(one.columns) == len(other.columns)


def same_cells(one: Output, other: Output) -> bool:
    """Whether two outputs with the same columns have the same cells."""
    if one.rows != other.rows:
        return False
    return all(map(_same, one.columns, other.columns))


def _array(column: Any) -> NDArray[Any]:
    found = np.asarray(column)
    return found if found.dtype.kind in "biufcmM" else np.asarray(column, dtype=object)


def _same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    try:
        return _close(_numbers(one), _numbers(other))
    except (TypeError, ValueError, OverflowError):
        return all(_equal(a, b) for a, b in zip(one.tolist(), other.tolist(), strict=True))


def _numbers(cells: NDArray[Any]) -> NDArray[Any]:
    """Return cells as numbers, gaps as NaN; TypeError or ValueError where they are none."""
    if cells.dtype.kind in "biufc":
        return cells.astype(np.complex128 if cells.dtype.kind == "c" else np.float64)
    if cells.dtype.kind != "O" or any(isinstance(cell, str | bytes) for cell in cells):
        raise TypeError
    plain = [np.nan if _is_gap(cell) else cell for cell in cells]
    return np.array(plain, dtype=object).astype(np.float64)


def _close(one: NDArray[Any], other: NDArray[Any]) -> bool:
    size = np.abs(one[np.isfinite(one)])
    with np.errstate(all="ignore"):
        rounding = ROUNDING * float(size.max()) if size.size else 0.0
        return bool(np.allclose(one, other, rtol=ROUNDING, atol=rounding, equal_nan=True))


def _equal(one: Any, other: Any) -> bool:
    if _is_gap(one) or _is_gap(other):
        return _is_gap(one) and _is_gap(other)
    return bool(np.all(one == other))


def _is_gap(cell: Any) -> bool:
    """Whether a cell is None, NaN, NaT or pandas' NA."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating) and bool(np.isnan(cell))
