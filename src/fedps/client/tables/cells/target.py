"""A target as scikit-learn takes it: a 1-D array, a list of label sets, or an indicator matrix.

And as statistics take it: a plain array of one number or text per row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import column_or_1d

from fedps.client.tables.cells.distinct_labels import holds_sets
from fedps.client.tables.cells.missing_cells import cells, nan_objects, none_objects
from fedps.client.tables.cells.native_table import is_series, kind_of, pandas
from fedps.errors import UsageError
from fedps.statistics import BadCells

_ACCEPTED = "a 1-D array, a Series, a list, a list of label collections or an indicator matrix"


def as_target(y: Any) -> Any:
    """Return a target as scikit-learn takes it; collections of labels stay as they are.

    >>> as_target([1, 2]), as_target([("a", "b"), ("b",)])
    (array([1, 2]), [('a', 'b'), ('b',)])
    """
    if isinstance(y, (pa.Array, pa.ChunkedArray)):
        return _from_arrow(y)
    pd = pandas()
    if pd is not None and isinstance(y, pd.api.extensions.ExtensionArray):
        y = pd.Series(y)
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
    except ValueError:  # NumPy cannot make one array from rows of different lengths
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
        return y  # text whose distinct values are found without making Python objects of all
    return column_or_1d(y)  # as scikit-learn reads categorical labels and other text


def _is_nested(y: Any) -> bool:
    kind = y.dtype.pyarrow_dtype
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def plain_target(y: Any) -> NDArray[Any]:
    """Return a target of one column as an array: numbers, or text as objects. None may be missing.

    >>> plain_target(np.array(["no", "yes"]))
    array(['no', 'yes'], dtype=object)
    """
    if y is None:
        raise BadCells("no target")
    if sparse.issparse(y) or isinstance(y, (list, tuple)):
        raise BadCells("target shape")
    flat = cells(y) if is_series(y) else np.asarray(y)
    if flat.ndim == 2 and flat.shape[1] == 1:
        flat = flat[:, 0]
    if flat.ndim != 1:
        raise BadCells("target shape")
    if flat.dtype.kind == "f":
        if not np.isfinite(flat).all():
            raise BadCells("missing target" if np.isnan(flat).any() else "infinity", what="target")
        return flat
    if flat.dtype.kind in "biu":
        return flat
    if flat.dtype.kind not in "OU":
        raise BadCells("target kind")
    return _plain_objects(flat.astype(object))


def _plain_objects(flat: NDArray[Any]) -> NDArray[Any]:
    """Return the array if it is all text or all numbers; otherwise refuse it."""
    if none_objects(flat).any() or nan_objects(flat).any():
        raise BadCells("missing target", what="target")
    kinds = set(map(type, flat.tolist()))
    texts = {kind for kind in kinds if issubclass(kind, str)}
    numbers = all(issubclass(kind, (int, float, np.integer, np.floating)) for kind in kinds)
    if texts != kinds and not numbers:
        raise BadCells("target kind")
    return flat
