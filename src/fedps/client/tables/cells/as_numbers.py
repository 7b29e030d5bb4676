"""A table as numbers, as scikit-learn's validation would convert it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from fedps.client.tables.cells.native_table import container_of, take

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))  # dtypes that are kept; others become float64


class NotNumbers(Exception):  # noqa: N818 - named for what the column is
    """The column at a position has something that is not a number. Carries no cell."""

    def __init__(self, position: int) -> None:
        super().__init__(f"the column at position {position} does not hold numbers")
        self.position = position


def numbers(X: Any) -> Any:
    """Return the cells as a 2-D float array, or as csc for sparse; missing ones are NaN.

    The same as ``check_array(X, dtype=(float64, float32))``: float64 and float32 are not copied.

    >>> numbers(np.array([[1, 2]]))
    array([[1., 2.]])
    """
    try:
        return _converted(X)
    except (TypeError, ValueError, OverflowError):
        # NumPy's message quotes the cell, so neither it nor its traceback may survive: the new
        # exception is raised outside of this block.
        position = _culprit(X)
    raise NotNumbers(position)


def _converted(X: Any) -> Any:
    kind = container_of(X)
    if kind == "numpy":
        return _floats(X)
    if kind == "polars":
        # scikit-learn does not see the dtypes of a polars frame, and makes float64 of float32.
        return _floats(X.to_numpy()).astype(np.float64, copy=False)
    if kind == "sparse":
        columns = X.tocsc()
        return columns if columns.dtype in FLOATS else _real(columns).astype(np.float64)
    return _frame(X)


def _real(A: Any) -> Any:
    if A.dtype.kind == "c":
        raise TypeError("complex")
    return A


def _floats(A: NDArray[Any]) -> NDArray[Any]:
    return A if A.dtype in FLOATS else _real(A).astype(np.float64)


def _frame(X: Any) -> Any:
    """Convert a pandas frame, without scikit-learn's overhead if all dtypes are NumPy's."""
    dtypes = set(X.dtypes)
    if dtypes and all(isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in dtypes):
        common = np.result_type(*dtypes)
        wanted = common if common in FLOATS else FLOATS[0]
        return X.to_numpy(dtype=wanted)
    if X.shape[1] == 0:
        return np.empty(X.shape)
    if any(_categories_of_dates(dtype) for dtype in dtypes):
        raise TypeError("dates")  # a missing one would be a number
    return check_array(
        X,
        accept_sparse="csc",
        dtype=FLOATS,
        ensure_all_finite=False,
        ensure_min_samples=0,
        ensure_min_features=0,
    )


def _categories_of_dates(dtype: Any) -> bool:
    categories = getattr(dtype, "categories", None)
    return categories is not None and getattr(categories.dtype, "kind", "") in "mM"


def _culprit(X: Any) -> int:
    """Return the first column that cannot be converted by itself (0 if each one can)."""
    for position in range(X.shape[1]):
        try:
            _converted(take(X, [position]))
        except (TypeError, ValueError, OverflowError):
            return position
    return 0


def infinite(A: Any) -> int | None:
    """Return the position of the first column with an infinity, or None.

    >>> infinite(np.array([[1.0, np.inf]])), infinite(np.array([[1.0, np.nan]]))
    (1, None)
    """
    cells = A.data if sparse.issparse(A) else A
    if not _may_hold_infinity(cells):
        return None
    if sparse.issparse(A):
        columns = A.tocsc()
        where = np.flatnonzero(np.isinf(columns.data))
        # The column of the first infinity is the last one that starts at or before it.
        found = np.searchsorted(columns.indptr, where[:1], side="right") - 1
    else:
        found = np.flatnonzero(np.isinf(A).any(axis=0))
    return int(found[0]) if found.size else None


def _may_hold_infinity(cells: NDArray[Any]) -> bool:
    """Return False if the sum, or else the extremes, exclude an infinity: faster than a mask."""
    if cells.size == 0 or cells.dtype.kind != "f":
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        total = cells.sum()
        if np.isfinite(total):
            return False
        largest = np.fmax.reduce(cells, axis=None)
        smallest = np.fmin.reduce(cells, axis=None)
    return bool(np.isinf(largest) or np.isinf(smallest))
