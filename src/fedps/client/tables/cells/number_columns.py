"""The columns of a table as numbers, one after the other or all at once: with counts, or as they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedps.client.tables.cells.as_numbers import FLOATS, numbers
from fedps.client.tables.cells.distinct_in_arrays import merge_equal, of_array
from fedps.client.tables.cells.distinct_in_lines import may_be_few, of_sorted_lines
from fedps.client.tables.cells.native_table import ColumnReader, container_of
from fedps.client.tables.cells.sorted_lines import sort_lines
from fedps.statistics.base import Distinct, DistinctLists
from fedps.statistics.ragged import Ragged


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

        self._width = int(cells.shape[1])

    def by_column(self, columns: slice) -> NDArray[Any] | None:
        """Return a line for each of some columns, of 32-bit or 64-bit floats; None if these are stored apart."""
        lines = None if self._sparse else self._cells.lines(columns)
        return lines if lines is None or lines.dtype.kind == "f" else lines.astype(np.float64)

    def tables(self, *, stored: bool = False) -> DistinctLists:
        """Return the distinct numbers of all columns with their counts, and how many cells are NaN."""
        lines = None if self._sparse else self._cells.lines(slice(None))
        if lines is None:
            return _together(self.tally(j, stored=stored) for j in range(self._width))
        few = may_be_few(lines)
        others = lines[~few] if few.any() else lines
        sort_lines(others)
        found = of_sorted_lines(others)
        if not few.any():
            return found
        counted = (_as_doubles(of_array(line, counts=True)) for line in lines[few])
        each = zip(found.values, found.counts, found.nan.tolist(), strict=True)
        ordered = (Distinct(values, counts, 0, nan) for values, counts, nan in each)
        return _together(next(counted if is_few else ordered) for is_few in few.tolist())

    def tally(self, position: int, *, stored: bool = False) -> Distinct:
        """Return the distinct numbers of a column with their counts, and how many are NaN."""
        zeros = 0 if stored else self._implied(position)
        return _as_doubles(of_array(self._column(position), counts=True), zeros)

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


def _as_doubles(found: Distinct, zeros: int = 0) -> Distinct:
    """Return distinct numbers as 64-bit floats, with so many zeros more."""
    values, counts = found.values.astype(np.float64), found.counts
    assert counts is not None
    if zeros:
        at = int(np.searchsorted(values, 0.0))
        values, counts = np.insert(values, at, 0.0), np.insert(counts, at, zeros)
    # different integers beyond 2**53 may be the same double
    return merge_equal(values, counts, nan=found.nan)


def _together(columns: Iterable[Distinct]) -> DistinctLists:
    """Return the distinct numbers of single columns."""
    some = list(columns)
    values = Ragged(column.values for column in some)
    counts = Ragged(np.asarray(column.counts) for column in some)
    nan = np.array([column.nan for column in some], dtype=np.int64)
    # adding 0.0 turns -0.0 into 0.0: which of the two stays must not depend on the order
    return DistinctLists(values.of(values.flat + 0.0), counts, nan)


def _dtypes(X: Any) -> list[Any] | None:
    """Return the NumPy dtypes of a table whose columns can be read without conversion."""
    kind = container_of(X)
    if kind == "numpy":
        return [X.dtype]
    if kind != "pandas":
        return None
    dtypes = list(X.dtypes)
    return dtypes if all(isinstance(dtype, np.dtype) for dtype in dtypes) else None
