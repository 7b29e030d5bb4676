"""Each row's category as a number: its position among the distinct values of the column."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy import sparse

from fedps.client.tables.cells.distinct_values import times_of
from fedps.client.tables.cells.missing_cells import cells
from fedps.client.tables.cells.native_table import pandas
from fedps.statistics import Distinct


def codes_of(column: Any, found: Distinct) -> NDArray[np.intp]:
    """Return for each cell of a column its position among the distinct values.

    None comes after the last value, NaN (and any other missing cell) after that.

    >>> codes_of(np.array(["b", None, "a"], object), Distinct(np.array(["a", "b"], object), None, 1, 0))
    array([1, 2, 0])
    """
    if sparse.issparse(column):
        column = column.toarray()[:, 0]
    values, pd = found.values, pandas()
    if pd is not None and hasattr(column, "iloc"):
        if isinstance(column.dtype, pd.CategoricalDtype):
            known = np.asarray(column.array.categories)
            places = np.append(_places(known, values), len(values) + 1)
            return np.asarray(places[column.array.codes])
        if column.dtype.kind in "mM":
            return _places(times_of(column), values)
        if _is_arrow_text(column, pd):
            return _of_arrow(column.array.__arrow_array__(), values)
    return _places(column if isinstance(column, np.ndarray) else cells(column), values)


def _places(column: NDArray[Any], values: NDArray[Any]) -> NDArray[np.intp]:
    none, nan = len(values), len(values) + 1
    if column.dtype.kind in "OUS" or values.dtype.kind == "O":
        place = {value: i for i, value in enumerate(values.tolist())} | {None: none}
        items = map(place.get, column.tolist(), repeat(nan))
        return np.fromiter(items, np.intp, len(column))
    codes = np.searchsorted(values, column)
    if column.dtype.kind in "fmM":
        codes[np.isnan(column)] = nan
    return codes


def _is_arrow_text(column: Any, pd: Any) -> bool:
    if isinstance(column.dtype, pd.StringDtype):
        return bool(column.dtype.storage != "python")
    kind = getattr(column.dtype, "pyarrow_dtype", None)
    return kind is not None and (pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _of_arrow(column: Any, values: NDArray[Any]) -> NDArray[np.intp]:
    """Return positions of Arrow text, without making Python objects of its cells."""
    found = pc.index_in(column, value_set=pa.array(values.tolist(), type=column.type))
    places = pc.fill_null(found, len(values) + 1)
    if isinstance(places, pa.ChunkedArray):
        places = places.combine_chunks()
    return np.asarray(places, dtype=np.intp)
