"""The output of a transformer for some rows, as Arrow tables of a bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from fedps.client.tables import names_of, shape
from fedps.client.tables.cells.native_table import kind_of
from fedps.errors import UsageError

_DENSE_CELLS = 1 << 23  # how many cells of a sparse output are made dense at a time: 64 MB


def output_names(fitted: Any, output: Any, target: str | None) -> list[str]:
    """Return the names of the output's columns: its own, scikit-learn's, or x0, x1, ..."""
    own = names_of(output)
    width = shape(output)[1] if len(output.shape) == 2 else 1
    if own is not None:
        names = list(own)
    elif target is not None:
        classes = [str(label) for label in fitted.classes_]
        names = [f"{target}_{label}" for label in classes[-width:]] if width > 1 else [target]
    else:
        try:
            names = [str(name) for name in fitted.get_feature_names_out()]
        except (AttributeError, ValueError):  # a function in it does not tell its output names
            names = [f"x{i}" for i in range(width)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(
            f"two output columns have the name {twice!r}. Use verbose_feature_names_out=True."
        )
    return names


def as_arrow(output: Any, names: list[str]) -> Iterator[Any]:
    """Yield some output as Arrow tables; a sparse one in pieces that fit in memory."""
    if sparse.issparse(output):
        rows = max(1, _DENSE_CELLS // max(1, len(names)))
        stored = output.tocsr()
        for start in range(0, max(1, output.shape[0]), rows):
            yield _of_array(stored[start : start + rows].toarray(), names)
    elif kind_of(output) == "pandas":
        frame = output.set_axis(names, axis=1).reset_index(drop=True)
        yield pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()
    elif kind_of(output) == "polars":
        yield output.to_arrow()
    else:
        yield _of_array(np.asarray(output), names)


def _of_array(array: Any, names: list[str]) -> Any:
    columns = [array] if array.ndim == 1 else [array[:, j] for j in range(array.shape[1])]
    return pa.table([_column(column) for column in columns], names=names)


def _column(cells: Any) -> Any:
    """Return an array as an Arrow column."""
    if cells.dtype.kind == "U":
        return pa.array(cells.tolist(), pa.string())
    try:
        return pa.array(np.ascontiguousarray(cells))
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        pass  # Arrow's text can quote a cell
    raise UsageError("an output column has cells of several types, which no file can hold.")


def is_mixed(output: Any) -> bool:
    """Whether an output is an array of objects, into which columns of different types were merged."""
    return isinstance(output, np.ndarray) and output.dtype.kind == "O" and output.ndim == 2
