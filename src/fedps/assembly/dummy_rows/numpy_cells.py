"""Made-up cells and wide-enough dtypes for NumPy tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_LONGEST_TEXT = 4096  # characters of a text dtype: a dtype comes from a peer, so it may be absurd


def numpy_dtype(text: str) -> np.dtype[Any]:
    """Return the NumPy dtype that a text names; object where it names none that is plain.

    >>> numpy_dtype("<i8"), numpy_dtype("f8,f8")
    (dtype('int64'), dtype('O'))
    """
    try:
        dtype: np.dtype[Any] = np.dtype(text)
    except (TypeError, ValueError, SyntaxError):
        return np.dtype(object)
    plain = dtype.kind in "biufcMmUSO" and dtype.fields is None and dtype.subdtype is None
    # NumPy 2.0 lets an absurd length overflow to a negative one
    return dtype if plain and 0 <= dtype.itemsize <= 4 * _LONGEST_TEXT else np.dtype(object)


def made_up(dtype: str) -> NDArray[Any]:
    """Return a 1-D array of one valid cell: 1, True, "x" or a date.

    >>> made_up("|O")
    array(['x'], dtype=object)
    """
    kind = numpy_dtype(dtype)
    if kind.kind in "OUS":
        return np.array(["x"], dtype=kind)
    return np.ones(1, dtype=np.int64).astype(kind)


def arrays_pooled(dtypes: tuple[str, ...]) -> str:
    """Return the dtype of arrays of those dtypes put together.

    >>> arrays_pooled(("<U3", "<U5")), arrays_pooled(("<U3", "<f8"))
    ('<U5', '|O')
    """
    kinds = [numpy_dtype(dtype) for dtype in dtypes]
    if len({kind.kind in "US" for kind in kinds}) > 1:
        return "|O"  # NumPy would write the numbers as text
    try:
        return np.result_type(*kinds).str
    except TypeError:
        return "|O"


def array_like(dtype: np.dtype[Any], columns: list[Any]) -> NDArray[Any]:
    """Return a 2-D array of the columns, of the dtype where that can hold their cells."""
    if dtype.kind == "O":
        cells = [objects(column) for column in columns]
    else:
        cells = [np.asarray(column) for column in columns]
        for column in cells:
            dtype = widened(dtype, column)
        if dtype.kind == "O":
            cells = [objects(column) for column in columns]
    rows = len(cells[0]) if cells else 0
    table = np.empty((rows, len(cells)), dtype=dtype)
    for position, column in enumerate(cells):
        table[:, position] = column
    return table


def objects(column: Any) -> NDArray[Any]:
    """Return cells as an object array of Python scalars."""
    cells = column.tolist() if hasattr(column, "tolist") else list(column)
    return np.fromiter(cells, dtype=object, count=len(cells))


def widened(dtype: np.dtype[Any], column: NDArray[Any]) -> np.dtype[Any]:
    """Return a dtype that holds the cells: the same wherever it does.

    >>> widened(np.dtype("int64"), np.array([np.nan]))
    dtype('float64')
    """
    if column.size == 0:
        return dtype
    if dtype.kind in "biuf" and column.dtype.kind in "biuf":
        return dtype if _fits(dtype, column) else np.result_type(dtype, column.dtype)
    if dtype.kind == "U" and column.dtype.kind == "O" and all(map(_is_text, column.tolist())):
        column = column.astype(str)
    if dtype.kind == column.dtype.kind:
        return np.result_type(dtype, column.dtype)
    return np.dtype(object)


def _is_text(cell: Any) -> bool:
    return isinstance(cell, str)


def _fits(dtype: np.dtype[Any], column: NDArray[Any]) -> bool:
    if dtype.kind == "f" or column.dtype == dtype:
        return True  # a float32 table stays one: its numbers were rounded before
    if dtype.kind == "b" and column.dtype.kind != "b":
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.array_equal(column.astype(dtype), column))
