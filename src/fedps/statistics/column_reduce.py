"""Fast reductions over the rows of a dense array, in row-major as in column-major order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fedps.statistics.base import Array

CELLS_AT_ONCE = 1 << 17  # a megabyte of doubles: still in the processor's cache when read again
LONG_ROW = 1 << 10  # cells: NumPy's overhead for each row is then small beside the work on it


def cached_pieces(cells: Array) -> Iterator[slice]:
    """Yield slices of rows, each of which fits into the processor's cache."""
    rows, width = cells.shape
    step = max(1, CELLS_AT_ONCE // max(width, 1))
    for start in range(0, rows, step):
        yield slice(start, start + step)


def reduce_columns(ufunc: Any, cells: Array, dtype: Any = None) -> Array:
    """Return ``ufunc.reduce(cells, axis=0)``.

    NumPy reduces a row-major array row by row, which is slow for short rows. So several rows are
    taken as one long row first.

    >>> reduce_columns(np.add, np.ones((1000, 2)))
    array([1000., 1000.])
    """
    rows, width = cells.shape
    together = LONG_ROW // max(width, 1)
    if together < 2 or rows < 2 * together or not cells.flags.c_contiguous:
        return np.asarray(ufunc.reduce(cells, axis=0, dtype=dtype))
    even = rows - rows % together
    long = ufunc.reduce(cells[:even].reshape(-1, together * width), axis=0, dtype=dtype)
    found = ufunc.reduce(long.reshape(together, width), axis=0, dtype=dtype)
    if even == rows:
        return np.asarray(found)
    return np.asarray(ufunc(found, ufunc.reduce(cells[even:], axis=0, dtype=dtype)))


def any_nan(cells: Array) -> bool:
    """Return whether any cell is NaN, without a mask of all cells: ``min`` propagates NaN."""
    return bool(cells.size) and bool(np.isnan(cells.min()))


def count_true(mask: Array) -> Array:
    """Return how many cells of each column are true."""
    return reduce_columns(np.add, mask, dtype=np.int64)
