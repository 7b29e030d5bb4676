"""One-row tables of made-up cells: stand-ins with the dtypes of tables that stay elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

from fedps.assembly.dummy_rows.array_cells import (
    array_like,
    arrays_pooled,
    made_up,
    pandas_dtype_name,
    pandas_like,
    pandas_pooled,
    pandas_row,
)
from fedps.assembly.dummy_rows.polars_cells import (
    polars_from_pandas,
    polars_like,
    polars_pooled,
    polars_row,
)


def dummy_row(
    container: str, names: Sequence[str] | None, width: int, dtypes: Sequence[str]
) -> Any:
    """Return a one-row table with those names and dtypes, its cells made up but valid.

    A single dtype stands for all columns.

    >>> dummy_row("numpy", None, 2, ["<i8"])
    array([[1, 1]])
    """
    if container in ("numpy", "sparse"):
        row = np.repeat(made_up(dtypes[0] if dtypes else "<f8"), width).reshape(1, width)
        return row if container == "numpy" else sparse.csr_matrix(row)
    each = list(dtypes) * width if len(dtypes) == 1 else list(dtypes)
    return pandas_row(names, each) if container == "pandas" else polars_row(names, each)


def pooled_dtypes(per_client: Sequence[Sequence[str]], container: str) -> list[str]:
    """Return the dtype of each column once the rows of all clients stand in one table.

    A client's single dtype stands for all its columns. One dtype comes back where all agree on one.

    >>> pooled_dtypes([["<i8"], ["<f8"]], "numpy")
    ['<f8']
    """
    first = list(per_client[0])
    if all(list(other) == first for other in per_client):
        return first
    width = max(map(len, per_client))
    rows = [list(row) * width if len(row) == 1 else list(row) for row in per_client]
    return [_pooled(tuple(dict.fromkeys(column)), container) for column in zip(*rows, strict=True)]


@lru_cache(maxsize=1024)
def dtype_in(container: str, dtype: str, source: str) -> str:
    """Return the dtype that a column of one frame library has in another.

    >>> dtype_in("pandas", "Float32", "polars"), dtype_in("pandas", "object", "pandas")
    ('float32', 'object')
    """
    if source == "polars" and container == "pandas":
        return pandas_dtype_name(polars_row(None, [dtype]).to_pandas().dtypes.iloc[0])
    if source == "pandas" and container == "polars":
        return polars_from_pandas(pandas_row(None, [dtype]))
    return dtype


@lru_cache(maxsize=1024)
def _pooled(dtypes: tuple[str, ...], container: str) -> str:
    if len(dtypes) == 1:
        return dtypes[0]
    if container == "pandas":
        return pandas_pooled(dtypes)
    if container == "polars":
        return polars_pooled(dtypes)
    return arrays_pooled(dtypes)


def like(table: Any, columns: list[Any]) -> Any:
    """Return a table like another in container, names and dtypes, but with different cells.

    ``columns[j]`` are the cells of column j. A dtype that cannot hold them is widened.

    >>> like(np.array([[1, 2]]), [[5, 6], [7.5, 8]])
    array([[5. , 7.5],
           [6. , 8. ]])
    """
    if sparse.issparse(table):
        return sparse.csr_matrix(array_like(table.dtype, columns))
    if isinstance(table, np.ndarray):
        return array_like(table.dtype, columns)
    return pandas_like(table, columns) if hasattr(table, "iloc") else polars_like(table, columns)
