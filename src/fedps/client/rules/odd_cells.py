"""OddCells: columns of which only a few cells differ from the most frequent value.

A sum over such a column is a sum over these few cells: a derived column that is 1 for one person, times an
income, is that income.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse

from fedps.client.block import TableBlock
from fedps.statistics.base import Array

# Cells of the first rows, which decide for most columns; for the others, so many times as many rows,
# until they are few enough to be looked at one by one.
_HEAD, _MORE, _ONE_BY_ONE = 1 << 13, 16, 64


class OddCells:
    """Counts in each column the cells that differ from the most frequent value, as far as it matters.

    Where cells count by units: the units that have a cell which differs from one value, for the value where
    these are the fewest.

    Parameters
    ----------
    least : int
        The fewest such cells, unless there are none.

    Examples
    --------
    >>> from fedps.client.block import TableBlock
    >>> from fedps.client.tables import Chunk
    >>> rows = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [7.0, 4.0], [0.0, 5.0]])
    >>> odd = OddCells(2)
    >>> odd.add(TableBlock(rows, Chunk(rows, None)))
    >>> odd.few
    [0]
    """

    def __init__(self, least: int) -> None:
        self._least = least
        self._open: dict[int, _Column | _UnitColumn] | None = None  # columns that are not decided

    def add(self, block: TableBlock, units: Array | None = None) -> None:
        """Look at a block of rows; ``units`` says whose each row is, where cells count by that."""
        if self._least <= 0 or block.rows == 0:
            return
        if self._open is None:
            kind = partial(_Column, self._least) if units is None else _UnitColumn
            self._open = {j: kind() for j in range(block.width)}
        if self._open and units is None:
            self._decide(block)
        for j in list(self._open):
            self._open[j].add(block, j, units)
            if self._open[j].odd() >= self._least:
                del self._open[j]

    @property
    def few(self) -> list[int]:
        """The columns with too few such cells, but some."""
        found = self._open or {}
        return [j for j, column in found.items() if 0 < column.odd() < self._least]

    def _decide(self, block: TableBlock) -> None:
        """Close the columns for which the first rows are enough, or some more."""
        assert self._open is not None
        rows = max(_HEAD // block.width, 4 * self._least)
        while self._open:
            columns = list(self._open)
            head = block.head(rows, columns)
            if issparse(head):
                at, gone = _columns_of(head), np.isnan(head.data)
                some = np.bincount(at, (head.data != 0) & ~gone, len(columns))
                zeros = head.shape[0] - some - np.bincount(at, gone, len(columns))
                enough = (some >= self._least) & (zeros >= self._least)
            else:
                enough = _differ(head, self._least)
            for j in np.array(columns)[enough].tolist():
                del self._open[j]
            few = block.is_frame and len(self._open) <= _ONE_BY_ONE
            if rows >= block.rows or few:
                return
            rows *= _MORE


def _differ(head: Array, least: int) -> Array:
    """Return in which columns at least so many of some cells differ from any one value."""
    rows = len(head)
    if rows < 2 * least:
        return np.zeros(head.shape[1], dtype=bool)
    ends = np.partition(head, (least - 1, rows - least), axis=0)
    # a value that all but fewer than ``least`` cells have is at both of these positions
    found = ends[least - 1] < ends[rows - least]
    for j in np.flatnonzero(np.isnan(head).any(axis=0)).tolist():
        known = head[~np.isnan(head[:, j]), j]
        found[j] = known.size < rows and bool(_differ(known[:, None], least)[0])
    return np.asarray(found)


def _columns_of(cells: Any) -> Array:
    """Return the column of each stored cell of a CSC matrix."""
    return np.repeat(np.arange(cells.shape[1]), np.diff(cells.indptr))


class _Column:
    """One column: its most frequent value, as soon as that is sure, and how many cells differ."""

    def __init__(self, least: int) -> None:
        self._least = least
        self._cells: list[Array] = []  # until the most frequent value is known
        self._value: Any = None
        self._odd = 0

    def add(self, block: TableBlock, position: int, _: Array | None) -> None:
        cells = block.column_as_stored(position)
        if self._value is None:
            self._cells.append(cells)
            cells = np.concatenate(self._cells) if len(self._cells) > 1 else cells
            if cells.size < 2 * self._least:
                return
            # if fewer than ``least`` cells differ from one value, that is the one in the middle of
            # any 2 * least cells; and if not, at least as many differ from any other
            some = cells[: 2 * self._least]
            self._value = np.partition(some, self._least)[self._least]
            self._cells = []
        for start in range(0, cells.size, _HEAD):
            if self._odd < self._least:
                self._odd += int(np.count_nonzero(cells[start : start + _HEAD] != self._value))

    def odd(self) -> int:
        if self._value is not None:
            return self._odd
        cells = np.concatenate([np.empty(0), *self._cells])
        return cells.size - _most_equal(cells)


class _UnitColumn:
    """One column: how many units have a cell that differs from the value that most units have only."""

    def __init__(self) -> None:
        self._ends = np.empty((2, 0))  # the smallest and the largest value of each unit

    def add(self, block: TableBlock, position: int, units: Array | None) -> None:
        assert units is not None
        cells = block.numbers()[:, [position]]
        column = np.asarray(cells.toarray() if issparse(cells) else cells, dtype=float).ravel()
        known = ~np.isnan(column)
        more = int(units.max(initial=-1)) + 1 - self._ends.shape[1]
        new = np.repeat([[np.inf], [-np.inf]], max(more, 0), axis=1)
        self._ends = np.concatenate([self._ends, new], axis=1)
        np.minimum.at(self._ends[0], units[known], column[known])
        np.maximum.at(self._ends[1], units[known], column[known])

    def odd(self) -> int:
        lower, upper = self._ends
        return int(np.count_nonzero(lower <= upper)) - _most_equal(lower[lower == upper])


def _most_equal(cells: Array) -> int:
    """Return how many of some cells have the same value at most."""
    return int(np.unique(cells, return_counts=True)[1].max(initial=0))
