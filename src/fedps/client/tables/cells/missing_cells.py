"""How many cells of each column are missing, as scikit-learn's ``missing_values`` means it."""

from __future__ import annotations

import numbers
import operator
from itertools import repeat
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from fedps.client.tables.cells.native_table import column_at, container_of, pandas


def missing(X: Any, marker: Any) -> NDArray[np.int64]:
    """Return per column the number of cells equal to the marker: NaN, None, pd.NA or a value.

    Of a sparse table only stored cells are counted, as in scikit-learn.

    >>> missing(np.array([[1.0, np.nan], [2.0, np.nan]]), np.nan)
    array([0, 2])
    """
    kind = container_of(X)
    if kind == "sparse":
        return _of_sparse(X, marker)
    if kind == "numpy":
        return _counted(marked(X, marker), X.shape[1])
    if kind == "pandas" and _is_one_array(X):
        return missing(X.to_numpy(), marker)
    counts = [_of_series(column_at(X, position), marker) for position in range(X.shape[1])]
    return np.array(counts, dtype=np.int64)


def gaps_by_kind(X: Any) -> NDArray[np.int64]:
    """Return two lines: how many cells of each column are None, and how many are another missing value.

    >>> gaps_by_kind(np.array([["a", None], [np.nan, None]], dtype=object)).tolist()
    [[0, 2], [1, 0]]
    """
    kind = container_of(X)
    if kind in ("numpy", "sparse"):
        none = _counted(none_objects(X), X.shape[1]) if kind == "numpy" else 0
        return np.array([none + np.zeros(X.shape[1], dtype=np.int64), missing(X, float("nan"))])
    gaps = [_kinds_in(column_at(X, position)) for position in range(X.shape[1])]
    return np.array(gaps, dtype=np.int64).reshape(-1, 2).T


def times_at(X: Any) -> list[int]:
    """Return the positions of the columns that hold times, or lengths of time."""
    kind = container_of(X)
    if kind in ("numpy", "sparse"):
        return [0] if X.dtype.kind in "mM" else []
    if kind == "polars":
        return [j for j, dtype in enumerate(X.dtypes) if dtype.is_temporal()]
    kinds = (getattr(dtype, "categories", dtype) for dtype in X.dtypes)
    return [
        j
        for j, kind in enumerate(kinds)
        if getattr(getattr(kind, "dtype", kind), "kind", "O") in "mM"
    ]


def is_of_floats(X: Any) -> bool:
    """Whether scikit-learn reads a table as an array of floats, in which it looks for infinite ones."""
    kind = container_of(X)
    if kind in ("numpy", "sparse"):
        return bool(X.dtype.kind == "f")
    if kind == "polars":
        return all(dtype.is_numeric() for dtype in X.dtypes)
    return all(getattr(dtype, "kind", "O") in "biuf" for dtype in X.dtypes)


def _kinds_in(column: Any) -> tuple[int, int]:
    if not hasattr(column, "iloc"):
        gaps = column.null_count()
        return (gaps, 0) if is_none_in_polars(column.dtype) else (0, gaps + _nans(column))
    gone = column.isna().to_numpy()
    if column.dtype != object:
        return 0, int(np.count_nonzero(gone))
    none = int(np.count_nonzero(none_objects(column.to_numpy()[gone])))
    return none, int(np.count_nonzero(gone)) - none


def _nans(column: Any) -> int:
    return int(column.is_nan().sum() or 0) if column.dtype.is_float() else 0


def is_none_in_polars(dtype: Any) -> bool:
    """Return whether a polars column's nulls are None in an array: not of numbers, dates, and no type at all."""
    plain = (dtype.is_numeric() and not dtype.is_decimal()) or str(dtype) == "Null"
    return not plain and not dtype.is_temporal()


def _is_one_array(X: Any) -> bool:
    """Return whether a pandas frame is a single NumPy array of numbers inside."""
    dtypes = set(X.dtypes)
    return len(dtypes) == 1 and isinstance(dtype := dtypes.pop(), np.dtype) and dtype.kind != "O"


def _of_series(column: Any, marker: Any) -> int:
    pd = pandas()
    absent = is_nan_marker(marker) or (pd is not None and marker is pd.NA)
    if absent and hasattr(column, "iloc") and column.dtype != object:
        return int(column.isna().sum())  # the dtype's own mask: no Python objects are made
    if isinstance(marker, str) and getattr(column.dtype, "storage", None) == "pyarrow":
        return pc.sum(pc.equal(column.array.__arrow_array__(), marker)).as_py() or 0
    return int(np.count_nonzero(marked(cells(column), marker)))


def _counted(mask: NDArray[Any], width: int) -> NDArray[np.int64]:
    if mask.shape[0] == 0:
        return np.zeros(width, dtype=np.int64)
    return np.asarray(np.count_nonzero(mask, axis=0), dtype=np.int64)


def _of_sparse(X: Any, marker: Any) -> NDArray[np.int64]:
    columns = X.tocsc()
    before = np.concatenate(([0], np.cumsum(marked(columns.data, marker), dtype=np.int64)))
    return np.asarray(np.diff(before[columns.indptr]), dtype=np.int64)


def cells(column: Any) -> NDArray[Any]:
    """Return a Series as scikit-learn sees it: nullable numbers are floats with NaN."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype) or pandas() is None or not hasattr(column, "iloc"):
        return np.asarray(column.to_numpy())
    if dtype.kind in "biuf" and not isinstance(dtype, pandas().CategoricalDtype):
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(column)


def marked(A: NDArray[Any], marker: Any) -> NDArray[np.bool_]:
    """Return where an array equals the marker, following ``sklearn.utils._mask``."""
    pd = pandas()
    if pd is not None and marker is pd.NA:
        return np.asarray(pd.isna(A))
    if is_nan_marker(marker):
        if A.dtype.kind in "fc":
            return np.asarray(np.isnan(A))
        return nan_objects(A) if A.dtype.kind == "O" else np.zeros(A.shape, dtype=bool)
    if A.dtype.kind != "O" and isinstance(marker, str) != (A.dtype.kind == "U"):
        # NumPy cannot compare numbers with text; element by element they are not equal.
        return np.zeros(A.shape, dtype=bool)
    return none_objects(A) if marker is None else _equal(A, marker)


def _equal(A: NDArray[Any], marker: Any) -> NDArray[np.bool_]:
    try:
        return np.asarray(marker == A, dtype=bool)
    except TypeError:
        if (pd := pandas()) is None:
            raise
        # pd.NA == value is neither true nor false; here no missing cell equals a value.
        kept = ~pd.isna(A)
        found = np.zeros(A.shape, dtype=bool)
        found[kept] = A[kept] == marker
        return found


def is_nan_marker(marker: Any) -> bool:
    """Return whether a marker is a float NaN (and not None, pd.NA or a number).

    >>> is_nan_marker(float("nan")), is_nan_marker(None), is_nan_marker(0)
    (True, False, False)
    """
    return isinstance(marker, numbers.Real) and bool(marker != marker)  # noqa: PLR0124


def nan_objects(A: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where an object array holds NaN or pd.NA, but not None."""
    try:
        return np.asarray(A != A, dtype=bool)  # noqa: PLR0124 - only NaN differs from itself
    except (TypeError, ValueError):  # pd.NA, or a cell that is itself an array
        if (pd := pandas()) is None:
            raise
        return np.asarray(pd.isna(A)) & ~none_objects(A)


def none_objects(A: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where an array holds None."""
    if A.dtype.kind != "O":
        return np.zeros(A.shape, dtype=bool)
    # Identity, not ==: pd.NA == None has no truth value.
    found = map(operator.is_, A.ravel().tolist(), repeat(None))
    return np.fromiter(found, dtype=bool, count=A.size).reshape(A.shape)
