"""The schema of a native table: names, dtypes, number of rows and all-missing columns."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedps.client.tables.cells.missing_cells import nan_objects, none_objects
from fedps.client.tables.cells.native_table import column_at, first_rows, names_of, shape
from fedps.client.tables.libraries import container_of
from fedps.statistics.cells.schema import Schema


def schema_of(X: Any) -> Schema:
    """Return the schema of a native table.

    >>> schema_of(np.array([[1.0, np.nan]]))
    Schema(container='numpy', names=None, width=2, dtypes=('<f8',), rows=1, empty=(1,))
    """
    rows, width = shape(X)
    return Schema(container_of(X), names_of(X), width, dtypes_of(X), rows, empty_columns(X))


def dtypes_of(X: Any) -> tuple[str, ...]:
    """Return each column's dtype as text, or a single one if all are equal."""
    kind = container_of(X)
    if kind in ("numpy", "sparse"):
        return (X.dtype.str,)
    dtype_name = cache(_pandas_dtype if kind == "pandas" else _polars_dtype)
    dtypes = tuple(map(dtype_name, X.dtypes))
    return dtypes[:1] if len(set(dtypes)) == 1 else dtypes


def _pandas_dtype(dtype: Any) -> str:
    if isinstance(dtype, np.dtype) or dtype.name != "category":
        return str(dtype)
    # The categories of a client are data, which a schema must not show; their dtype is not.
    categories = dtype.categories
    return "category:" + np.asarray(categories[:0] if categories is not None else []).dtype.str


def _polars_dtype(dtype: Any) -> str:
    text = str(dtype)
    name = text.partition("(")[0]
    return name if name in ("Categorical", "Enum") else text


def empty_columns(X: Any) -> tuple[int, ...]:
    """Return the positions of all-missing columns."""
    rows, width = shape(X)
    if rows == 0:
        return tuple(range(width))
    if container_of(X) == "sparse":
        return _empty_sparse(X)
    head = first_rows(X, 1)  # a column with a value in the first row need not be read
    if isinstance(X, np.ndarray):
        candidates = np.flatnonzero(absent(head[0])).tolist()
    elif hasattr(X, "iloc"):
        candidates = np.flatnonzero(head.isna().to_numpy()).tolist()
    else:
        candidates = [j for j in range(width) if bool(absent(column_at(head, j))[0])]
    return tuple(j for j in candidates if bool(absent(column_at(X, j)).all()))


def _empty_sparse(X: Any) -> tuple[int, ...]:
    if X.dtype.kind != "f":
        return ()
    columns = X.tocsc()
    before = np.concatenate(([0], np.cumsum(np.isnan(columns.data))))
    return tuple(np.flatnonzero(np.diff(before[columns.indptr]) == X.shape[0]).tolist())


def absent(column: Any) -> NDArray[np.bool_]:
    """Return which cells of a 1-D array or Series are missing: None, NaN, pd.NA, NaT or null."""
    if hasattr(column, "iloc"):
        return np.asarray(column.isna())
    if not isinstance(column, np.ndarray):
        floats = column.dtype.is_float()
        return np.asarray(column.is_nan().fill_null(True) if floats else column.is_null())
    if column.dtype.kind in "fc":
        return np.isnan(column)
    if column.dtype.kind == "O":
        return none_objects(column) | nan_objects(column)
    return np.isnat(column) if column.dtype.kind in "mM" else np.zeros(column.shape, dtype=bool)
