"""Columns read as other dtypes than they are stored: ``dtypes={"zip": "str"}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from fedps.client.tables.cells.native_table import container_of, names_of, polars
from fedps.errors import UsageError, did_you_mean

READ_AS = ("str", "category", "float", "int", "bool", "datetime")
# as what a CSV file is read from the start: text would lose its leading zeros otherwise
FROM_THE_START = {"str": pa.string(), "category": pa.string(), "float": pa.float64()}
_OTHER_NAMES = {
    **dict.fromkeys(("string", "object", "text", "utf8"), "str"),
    "float64": "float",
    "double": "float",
    "int64": "int",
    "integer": "int",
    "boolean": "bool",
    "datetime64": "datetime",
    "datetime64[ns]": "datetime",
    "datetime64[us]": "datetime",
}


def read_dtypes(dtypes: Any) -> dict[str, str]:
    """Return what columns are to be read as; UsageError for what is not known.

    >>> read_dtypes({"zip": "str", "age": float})
    {'zip': 'str', 'age': 'float'}
    """
    if dtypes is None:
        return {}
    if not isinstance(dtypes, Mapping):
        raise UsageError(f"dtypes is a {type(dtypes).__name__}: give a dict, {{'zip': 'str'}}.")
    found = {}
    for column, given in dtypes.items():
        if not isinstance(column, str):
            raise UsageError(f"dtypes names columns; {column!r} is not the name of one.")
        name = given.__name__ if isinstance(given, type) else str(given)
        name = _OTHER_NAMES.get(name.lower(), name.lower())
        if name not in READ_AS:
            known = ", ".join(READ_AS)
            hint = did_you_mean(name, READ_AS)
            raise UsageError(f"dtypes: {column!r} cannot be read as {name!r}.{hint} Use {known}.")
        found[column] = name
    return found


def cast_columns(X: Any, dtypes: Mapping[str, str]) -> Any:
    """Return a frame with some columns as other dtypes; those that it lacks are left out.

    A column that cannot be read so is a UsageError, which names no cell. Text from whole numbers has no
    decimals: the zip code 1234.0 of a column with gaps is ``"1234"``.

    >>> import pandas as pd
    >>> cast_columns(pd.DataFrame({"zip": [1234.0, None]}), {"zip": "str"})["zip"].tolist()
    ['1234', nan]
    """
    if not dtypes:
        return X
    names = names_of(X)
    if names is None:
        raise UsageError("dtypes= names columns, and this table has no names: give a data frame.")
    cast = _cast_pandas if container_of(X) == "pandas" else _cast_polars
    columns = {}
    for name in (name for name in names if name in dtypes):
        try:
            columns[name] = cast(X[name], dtypes[name])
        except (ValueError, TypeError, ArithmeticError, _polars_error()):
            raise cannot_read(name, dtypes[name]) from None  # the reason quotes a cell
    if not columns:
        return X
    return X.assign(**columns) if hasattr(X, "iloc") else X.with_columns(**columns)


def cannot_read(column: str, dtype: str) -> UsageError:
    """Return the error for a column that cannot be read as a dtype."""
    gaps = " Columns with gaps can be 'float'." if dtype in ("int", "bool") else ""
    return UsageError(
        f"column {column!r} cannot be read as {dtype!r}: some cells are something else.{gaps}"
    )


def _cast_pandas(column: Any, dtype: str) -> Any:
    import pandas as pd

    if dtype == "str":
        gone = column.isna()
        whole = column.astype("Int64") if _whole_numbers(column.to_numpy(), gone) else column
        return whole.astype(str).where(~gone)
    if dtype == "category":
        return column.astype("category")
    if dtype == "datetime":
        return pd.to_datetime(column, format="ISO8601").dt.as_unit("us")  # the same at all clients
    numbers = pd.to_numeric(column)
    if dtype == "float":
        return numbers.astype(np.float64)
    if dtype == "bool":
        _demand(bool(numbers.isin([0, 1]).all()))
    _demand(not numbers.isna().any())
    as_integers = numbers.astype(np.int64)
    _demand(bool((as_integers == numbers).all()))
    return as_integers if dtype == "int" else numbers.astype(bool)


def _cast_polars(column: Any, dtype: str) -> Any:
    pl = polars()
    if dtype == "str":
        gone = column.is_null()
        if column.dtype.is_float():
            gone = gone | column.is_nan()
            if _whole_numbers(column.to_numpy(), gone.to_numpy()):
                column = column.fill_nan(None).cast(pl.Int64)
        return column.cast(pl.String)
    if dtype == "datetime" and column.dtype == pl.String:
        return column.str.to_datetime()
    if dtype == "bool" and column.dtype != pl.Boolean:
        _demand(bool(column.is_in([0, 1]).all()))
    kinds = {"category": pl.Categorical, "float": pl.Float64, "int": pl.Int64, "bool": pl.Boolean}
    made = column.cast(kinds.get(dtype, pl.Datetime("us")))
    if dtype == "int" and column.dtype.is_float():
        _demand(bool((made == column).all()))
    return made


def _whole_numbers(cells: Any, gone: Any) -> bool:
    """Whether all cells of a float column are whole numbers, those apart that are missing."""
    if getattr(cells, "dtype", np.dtype(object)).kind != "f":
        return False
    known = cells[~np.asarray(gone)]
    return bool((np.abs(known) < 2**53).all() and (known == np.floor(known)).all())


def _demand(holds: bool) -> None:
    if not holds:
        raise ValueError


def _polars_error() -> type[Exception]:
    pl = polars()
    return pl.exceptions.PolarsError if pl is not None else ValueError
