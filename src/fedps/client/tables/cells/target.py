"""A target as scikit-learn takes it: a 1-D array, a list of label sets, or an indicator matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.utils import column_or_1d

from fedps.client.tables.cells.distinct_labels import holds_sets
from fedps.client.tables.libraries import is_series, kind_of
from fedps.errors import UsageError

_ACCEPTED = "a 1-D array, a Series, a list, a list of label collections or an indicator matrix"


def as_target(y: Any) -> Any:
    """Return a target ready for scikit-learn; collections of labels stay as they are.

    >>> as_target([1, 2]), as_target([("a", "b"), ("b",)])
    (array([1, 2]), [('a', 'b'), ('b',)])
    """
    if isinstance(y, (pa.Array, pa.ChunkedArray)):
        return _from_arrow(y)
    if is_series(y):
        return _from_series(y)
    if kind_of(y) in ("pandas", "polars"):
        return _from_series(y[y.columns[0]]) if y.shape[1] == 1 else y.to_numpy()
    if sparse.issparse(y):
        return y
    if isinstance(y, (list, tuple)):
        return y if holds_sets(y) else _checked(_from_list(y))
    if isinstance(y, np.ndarray):
        return _checked(y)
    raise UsageError(_wrong(y))


def _wrong(y: Any) -> str:
    return f"a target of type {type(y).__name__} cannot be read. Pass {_ACCEPTED}."


def _checked(y: Any) -> Any:
    if y.ndim not in (1, 2):
        msg = f"a target must have 1 or 2 dimensions, not {y.ndim}. Pass {_ACCEPTED}."
        raise UsageError(msg)
    return y


def _from_list(y: Any) -> Any:
    try:
        return np.asarray(y)
    except ValueError:  # numpy cannot make one array of rows of different lengths
        pass
    raise UsageError(_wrong(y))


def _from_arrow(y: Any) -> Any:
    nested = pa.types.is_list(y.type) or pa.types.is_large_list(y.type)
    if nested:
        return y.to_pylist()
    return y.to_numpy() if isinstance(y, pa.ChunkedArray) else y.to_numpy(zero_copy_only=False)


def _from_series(y: Any) -> Any:
    if hasattr(y, "to_arrow"):  # polars
        return y.to_list() if y.dtype.is_nested() else column_or_1d(y)
    if isinstance(y.dtype, np.dtype):
        return y.to_numpy()
    if hasattr(y.dtype, "pyarrow_dtype") and y.dtype.kind == "O":
        return _from_arrow(y.array.__arrow_array__()) if _is_nested(y) else y.to_numpy()
    if getattr(y.dtype, "kind", "O") in "iufb":
        return y  # scikit-learn's label transformers read nullable numbers in different ways
    if getattr(y.dtype, "storage", None) == "pyarrow":
        return y  # text whose distinct values are found without making objects of all
    return column_or_1d(y)  # scikit-learn's own reading of categorical labels and other text


def _is_nested(y: Any) -> bool:
    kind = y.dtype.pyarrow_dtype
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))
