"""Made-up cells and wide-enough dtypes for NumPy arrays and pandas frames.

pandas is imported on first use.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, time
from decimal import Decimal
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
    text = {"U": str, "S": bytes}.get(dtype.kind)
    if text and column.dtype.kind == "O" and all(isinstance(x, text) for x in column.tolist()):
        column = column.astype(text)
    if dtype.kind == column.dtype.kind:
        return np.result_type(dtype, column.dtype)
    return np.dtype(object)


def _fits(dtype: np.dtype[Any], column: NDArray[Any]) -> bool:
    if dtype.kind == "f" or column.dtype == dtype:
        return True  # a float32 table stays one: its numbers were rounded before
    if dtype.kind == "b" and column.dtype.kind != "b":
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.array_equal(column.astype(dtype), column))


CATEGORY = "category:"
LONGEST_NAME = 256  # characters of a dtype: it comes from a peer, and parsing takes time


def pandas_row(names: Sequence[str] | None, dtypes: list[str]) -> Any:
    """Return a frame of one row with those names and dtypes."""
    import pandas as pd

    cells = {dtype: _cell(dtype) for dtype in dict.fromkeys(dtypes)}
    if len(cells) == 1 and isinstance(cells[dtypes[0]].dtype, np.dtype):
        # one block: a frame of thousands of columns is slow to put together from each
        row = np.repeat(cells[dtypes[0]].to_numpy()[None, :], len(dtypes), axis=1)
        frame = pd.DataFrame(row, dtype=row.dtype)
    else:
        frame = pd.DataFrame(dict(enumerate(cells[dtype] for dtype in dtypes)), index=range(1))
    frame.columns = pd.RangeIndex(len(dtypes)) if names is None else pd.Index(list(names))
    return frame


def _cell(dtype: str) -> Any:
    """Return a Series of one valid cell; an object "x" for a dtype that pandas does not know."""
    import pandas as pd

    if dtype.startswith(CATEGORY):
        cells = made_up(dtype.removeprefix(CATEGORY))
        return pd.Series(pd.Categorical(cells, categories=pd.Index(cells, dtype=cells.dtype)))
    known = _dtype(dtype)
    for cell in _candidates(known):
        try:
            series = pd.Series([cell], dtype=known)
        except (TypeError, ValueError, ArithmeticError, NotImplementedError):
            continue
        if series.notna().all():  # Arrow's times of day make NA of what is not one
            return series
    return pd.Series(["x"], dtype=object)


def _dtype(text: str) -> Any:
    import pandas as pd

    sparse = re.fullmatch(r"Sparse\[(\w+), ([\w.+-]+)\]", text)
    try:
        if sparse:
            return pd.SparseDtype(sparse[1], numpy_dtype(sparse[1]).type(sparse[2]).item())
        return pd.api.types.pandas_dtype(text) if len(text) <= LONGEST_NAME else np.dtype(object)
    except (TypeError, ValueError, NotImplementedError):
        return np.dtype(object)


def _candidates(dtype: Any) -> list[Any]:
    kind = getattr(dtype, "kind", "O")
    if kind == "b":
        return [True]
    if kind in "iufc":
        return [1]
    if kind in "mM":
        return [1, "2020-01-01"]
    return ["x", date(2020, 1, 1), time(12), Decimal(1), b"x", [1]]


def pandas_dtype_name(dtype: Any) -> str:
    """Return a dtype as a schema spells it."""
    if isinstance(dtype, np.dtype) or dtype.name != "category":
        return str(dtype)
    return CATEGORY + np.asarray(dtype.categories[:0]).dtype.str


def pandas_pooled(dtypes: tuple[str, ...]) -> str:
    """Return what ``pandas.concat`` makes of columns of those dtypes; of numbers, numbers.

    >>> pandas_pooled(("int64", "float64")), pandas_pooled(("Int64", "double[pyarrow]"))
    ('float64', 'Float64')
    """
    import pandas as pd

    if all(dtype.startswith(CATEGORY) for dtype in dtypes):
        return CATEGORY + arrays_pooled(tuple(dtype.removeprefix(CATEGORY) for dtype in dtypes))
    # Frames, not Series: pandas joins a bool and an int column to int64 here, but to object there.
    frames = [_cell(dtype).to_frame() for dtype in dtypes]
    found = pd.concat(frames, ignore_index=True).dtypes.iloc[0]
    kinds = {getattr(frame.dtypes.iloc[0], "kind", "O") for frame in frames}
    if found == np.dtype("O") and kinds <= set("iuf"):  # nullable numbers that pandas does not join
        return "Float64" if "f" in kinds else "Int64"
    return pandas_dtype_name(found)


def pandas_like(table: Any, columns: list[Any]) -> Any:
    """Return a frame with the names and dtypes of another, but different cells."""
    import pandas as pd

    dtypes = list(table.dtypes)
    if len(set(dtypes)) == 1 and isinstance(dtypes[0], np.dtype) and dtypes[0].kind == "f":
        block = np.array([np.asarray(cells, dtype=dtypes[0]) for cells in columns]).T
        frame = pd.DataFrame(block)
    else:
        series = [_series(dtype, cells) for dtype, cells in zip(dtypes, columns, strict=True)]
        frame = pd.DataFrame(dict(enumerate(series)))
    frame.columns = table.columns
    return frame


def _series(dtype: Any, cells: Any) -> Any:
    import pandas as pd

    if getattr(cells, "dtype", np.dtype("O")).kind in "mM":
        return _times(dtype, pd.Series(cells))
    if _would_change_gaps(dtype, cells):
        return pd.Series(objects(cells), dtype=object)
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.Series(_categorical(dtype, cells))
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        array = np.asarray(cells)
        wide = widened(dtype, array)
        return pd.Series(objects(cells) if wide.kind == "O" else array.astype(wide), dtype=wide)
    if isinstance(dtype, np.dtype) and dtype.kind in "mM" and np.asarray(cells).dtype.kind in "iuf":
        # numbers of this unit; pandas 2 takes them for nanoseconds
        return pd.Series(np.asarray(cells).astype(np.int64).astype(dtype))
    wider = ("Float64",) if getattr(dtype, "kind", "O") in "biu" else ()
    for wanted in (dtype, *wider):
        try:
            return pd.Series(objects(cells), dtype=wanted)
        except (TypeError, ValueError, ArithmeticError, NotImplementedError):
            continue
    return pd.Series(objects(cells), dtype=object)


def _times(dtype: Any, times: Any) -> Any:
    """Return times in a dtype, those with a time zone from UTC; as they are where it cannot hold them."""
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype):
        known = dtype.categories.dtype
        return (times.astype(known) if known.kind in "mM" else times).astype("category")
    if isinstance(dtype, pd.DatetimeTZDtype):
        return times.dt.tz_localize("UTC").astype(dtype)
    return times.astype(dtype) if dtype.kind in "mM" else times


def _would_change_gaps(dtype: Any, cells: Any) -> bool:
    """Whether a dtype that is not of numbers or times would make other missing values of some cells."""
    import pandas as pd

    if getattr(dtype, "kind", "O") in "iufcmM" or isinstance(dtype, np.dtype):
        return False
    gap = getattr(dtype, "na_value", np.nan)
    if gap is pd.NA and dtype.kind != "b":  # which scikit-learn does not take
        return bool(pd.isna(objects(cells)).any())
    return any(cell is None for cell in cells)


def _categorical(dtype: Any, cells: Any) -> Any:
    """Return a categorical with the same categories, or its own where they do not suffice."""
    import pandas as pd

    values = objects(cells)
    known = pd.isna(values) | np.asarray(pd.Index(values, dtype=object).isin(dtype.categories))
    if known.all():
        return pd.Categorical(values, dtype=dtype)
    present = list(dict.fromkeys(values[~pd.isna(values)].tolist()))
    text = any(isinstance(value, str) for value in present)
    return pd.Categorical(values, categories=pd.Index(present, dtype=object if text else None))
