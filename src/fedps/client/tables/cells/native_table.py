"""Shape, names and columns of any native table: ndarray, scipy sparse, pandas or polars."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fedps.statistics.cells.schema import Container


def pandas() -> Any:
    """Return pandas if the program has imported it, else None."""
    return _loaded("pandas")


def polars() -> Any:
    """Return polars if the program has imported it, else None."""
    return _loaded("polars")


def _loaded(name: str) -> Any:
    module = sys.modules.get(name)
    # Another client's thread may be importing it right now; then no table can be from it yet.
    if module is None or getattr(module.__spec__, "_initializing", False):
        return None
    return module


def kind_of(X: Any) -> Container | None:
    """Return the container of a native table, or None for anything else.

    >>> kind_of(np.eye(2)), kind_of(sparse.csr_array((2, 2))), kind_of("text")
    ('numpy', 'sparse', None)
    """
    if isinstance(X, np.ndarray):
        return "numpy"
    if sparse.issparse(X):
        return "sparse"
    if (pd := pandas()) is not None and isinstance(X, pd.DataFrame):
        return "pandas"
    if (pl := polars()) is not None and isinstance(X, pl.DataFrame):
        return "polars"
    return None


def container_of(X: Any) -> Container:
    """Return the container of a native table; raise TypeError for anything else."""
    kind = kind_of(X)
    if kind is None:
        msg = f"{type(X).__name__} is not a table"
        raise TypeError(msg)
    return kind


def is_series(y: Any) -> bool:
    """Return whether y is a pandas or polars Series (or a pandas Index)."""
    if (pd := pandas()) is not None and isinstance(y, (pd.Series, pd.Index)):
        return True
    return (pl := polars()) is not None and isinstance(y, pl.Series)


_COLUMNS_AT_ONCE = 8  # doubles in a cache line of 64 bytes
_ROWS_AT_ONCE = 1 << 12


def shape(X: Any) -> tuple[int, int]:
    """Return the number of rows and of columns."""
    rows, width = X.shape
    return int(rows), int(width)


def names_of(X: Any) -> tuple[str, ...] | None:
    """Return the column names, or None if scikit-learn would not keep them."""
    if container_of(X) in ("numpy", "sparse"):
        return None
    names = tuple(X.columns)
    # scikit-learn sets feature_names_in_ only if every name is a string.
    return names if all(isinstance(name, str) for name in names) else None


def positions_of(X: Any, names: Iterable[str]) -> list[int]:
    """Return the positions of the named columns; raise KeyError with the first unknown name."""
    known = {name: position for position, name in enumerate(names_of(X) or ())}
    return [known[name] for name in names]


def take(X: Any, positions: Sequence[int]) -> Any:
    """Return the columns at the positions, in that order, in the same container.

    All columns in order are the table itself, neighbouring ones a view of it where possible. No columns
    of a polars frame are an array, since a polars frame without columns has no rows.
    """
    width = X.shape[1]
    positions = list(positions)
    run = _as_slice(positions)
    if run is not None and len(positions) == width:
        return X
    kind = container_of(X)
    if kind == "pandas":
        return X.take(positions, axis=1) if run is None else X.iloc[:, run]
    if kind == "polars" and not positions:
        return np.empty((X.shape[0], 0))
    if kind == "sparse" and X.format not in ("csr", "csc"):
        X = X.tocsc()
    return X[:, positions if run is None else run]


def _as_slice(positions: list[int]) -> slice | None:
    """Return the slice that equals the positions if these are consecutive."""
    if not positions:
        return slice(0, 0)
    start, stop = positions[0], positions[-1] + 1
    return slice(start, stop) if positions == list(range(start, stop)) else None


def first_rows(X: Any, n: int) -> Any:
    """Return the first n rows, or all if there are fewer, in the same container."""
    kind = container_of(X)
    if kind == "pandas":
        return X.iloc[:n]
    if kind == "sparse" and X.format not in ("csr", "csc"):
        X = X.tocsr()
    return X[:n]


def unshared(X: Any, *, writable: bool) -> Any:
    """Return a table through which nobody changes the one that it is from.

    If it must be ``writable``, it is a copy; otherwise an array that refuses to be written to, or a frame
    whose columns can be replaced.
    """
    kind = container_of(X)
    if kind == "polars":
        return X  # it never changes
    if writable:
        return X.copy()
    if kind == "numpy":
        X = X.view()
        X.flags.writeable = False
    return X.copy(deep=False) if kind == "pandas" else X


def take_rows(X: Any, positions: NDArray[np.intp] | slice) -> Any:
    """Return the rows at the positions, in that order, in the same container."""
    kind = container_of(X)
    if kind == "pandas":
        return X.iloc[positions]
    if kind == "sparse" and X.format not in ("csr", "csc"):
        X = X.tocsr()
    return X[positions]


def column_at(X: Any, position: int) -> Any:
    """Return one column: a Series of a frame, a 1-D array of an ndarray, a csc column of sparse."""
    kind = container_of(X)
    if kind == "numpy":
        return X[:, position]
    if kind == "pandas":
        return X.iloc[:, position]
    if kind == "polars":
        return X.to_series(position)
    if X.format not in ("csr", "csc"):
        X = X.tocsc()
    return X[:, [position]].tocsc()


class ColumnReader:
    """Reads the columns of a table, one after the other, as fast as its storage allows."""

    def __init__(self, X: Any) -> None:
        self._table = _as_one_array(X)
        self._start = -1
        self._some: Any = None

    def __getitem__(self, position: int) -> Any:
        """Return one column: see :func:`column_at`."""
        X = self._table
        if not isinstance(X, np.ndarray) or X.dtype.kind not in "iuf" or X.flags.f_contiguous:
            return column_at(X, position)
        # Cells of a column are far apart in memory: some columns are copied at once, since the cells of
        # neighbouring columns come with them anyway.
        start = position - position % _COLUMNS_AT_ONCE
        if start != self._start:
            self._start, self._some = start, _transposed(X[:, start : start + _COLUMNS_AT_ONCE])
        return self._some[position - start]

    def lines(self, columns: slice) -> NDArray[Any] | None:
        """Return a copy of some columns with a line for each; None where these are stored apart."""
        X = self._table
        if not isinstance(X, np.ndarray) or X.dtype.kind not in "iuf" or not X.size:
            return None
        return X[:, columns].T.copy() if X.flags.f_contiguous else _transposed(X[:, columns])


def _as_one_array(X: Any) -> Any:
    """Return the NumPy array of a pandas frame that is a single one inside, else the table itself."""
    if container_of(X) != "pandas" or 0 in X.shape:
        return X
    first = X.iloc[:, 0]
    if not isinstance(first.dtype, np.dtype):
        return X
    shared = np.may_share_memory(X.iloc[:1].to_numpy(), first.to_numpy()[:1])
    return X.to_numpy() if shared else X


def _transposed(X: NDArray[Any]) -> NDArray[Any]:
    """Return a transposed copy, made some rows at a time, which the processor can cache."""
    found = np.empty(X.shape[::-1], dtype=X.dtype)
    for start in range(0, X.shape[0], _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        found[:, rows] = X[rows].T
    return found
