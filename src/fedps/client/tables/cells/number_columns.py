"""The columns of a table as numbers, one after the other: with counts, or as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedps.client.tables.cells.as_numbers import FLOATS, numbers
from fedps.client.tables.cells.distinct_in_arrays import merge_equal, of_array
from fedps.client.tables.cells.native_table import ColumnReader, container_of
from fedps.statistics.base import Distinct


class NumberColumns:
    """The columns of a table as numbers. Raises NotNumbers if they are not."""

    def __init__(self, X: Any) -> None:
        native = _dtypes(X)
        plain = native is not None and all(dtype.kind in "fiub" for dtype in native)
        cells = X if plain else numbers(X)
        self._sparse = hasattr(cells, "indptr")
        self._cells: Any = cells if self._sparse else ColumnReader(cells)
        common = np.result_type(*native) if plain and native else getattr(cells, "dtype", None)
        self.narrow = common == FLOATS[1]

    def tally(self, position: int, *, stored: bool = False) -> Distinct:
        """Return the distinct numbers of a column with their counts, and how many are NaN."""
        found = of_array(self._column(position), counts=True)
        values, counts = found.values.astype(np.float64), found.counts
        assert counts is not None
        zeros = 0 if stored else self._implied(position)
        if zeros:
            at = int(np.searchsorted(values, 0.0))
            values, counts = np.insert(values, at, 0.0), np.insert(counts, at, zeros)
        # different integers beyond 2**53 may be the same double
        return merge_equal(values, counts, nan=found.nan)

    def column(self, position: int, *, stored: bool = False) -> NDArray[Any]:
        """Return the numbers of a column without NaN, as 32-bit or 64-bit floats."""
        cells = self.as_stored(position, stored=stored)
        return cells if cells.dtype.kind == "f" else cells.astype(np.float64)

    def as_stored(self, position: int, *, stored: bool = False) -> NDArray[Any]:
        """Return the numbers of a column without NaN, in the dtype that they have."""
        cells = self._column(position)
        if cells.dtype.kind == "f" and cells.size and np.isnan(cells.min()):
            cells = cells[~np.isnan(cells)]
        zeros = 0 if stored else self._implied(position)
        if zeros:
            cells = np.concatenate([cells, np.zeros(zeros, dtype=cells.dtype)])
        return cells

    def gaps(self, position: int) -> int:
        """Return how many cells of a column are NaN."""
        cells = self._column(position)
        return int(np.count_nonzero(np.isnan(cells))) if cells.dtype.kind == "f" else 0

    def _column(self, position: int) -> NDArray[Any]:
        if not self._sparse:
            return np.asarray(self._cells[position])
        first, last = self._cells.indptr[position : position + 2]
        return np.asarray(self._cells.data[first:last])

    def _implied(self, position: int) -> int:
        """Return the number of zeros that a sparse table does not store."""
        if not self._sparse:
            return 0
        first, last = self._cells.indptr[position : position + 2]
        return int(self._cells.shape[0] - (last - first))


def _dtypes(X: Any) -> list[Any] | None:
    """Return the NumPy dtypes of a table whose columns can be read without conversion."""
    kind = container_of(X)
    if kind == "numpy":
        return [X.dtype]
    if kind != "pandas":
        return None
    dtypes = list(X.dtypes)
    return dtypes if all(isinstance(dtype, np.dtype) for dtype in dtypes) else None
