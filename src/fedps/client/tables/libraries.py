"""Which library a table is from, found out without importing a library that the user has not."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
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
