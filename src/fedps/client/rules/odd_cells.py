"""OddCells: columns of which only a few cells differ from the most frequent value.

A sum over such a column is a sum over these few cells: a derived column that is 1 for one person, times an
income, is that income.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from fedps.client.block import TableBlock
from fedps.statistics.base import Array

# Cells of the first rows, which decide for most columns; for the others, so many times as many rows,
# until they are few enough to be looked at one by one.
_HEAD, _MORE, _ONE_BY_ONE = 1 << 15, 16, 64


class OddCells:
    """Counts in each column the cells that differ from the most frequent value, as far as it matters.

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
        self._open: dict[int, _Column] | None = None  # columns that are not decided

    def add(self, block: TableBlock, units: Array | None = None) -> None:
        """Look at a block of rows; ``units`` says whose each row is, where cells count by that."""
        if self._least <= 0 or block.rows == 0:
            return
        if self._open is None:
            self._open = {j: _Column() for j in range(block.width)}
        if self._open and units is None:
            self._decide(block)
        for j in list(self._open):
            column, here = _column(block, j, units)
            self._open[j].add(column, here, self._least)
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
                stored = np.diff(head.indptr)
                enough = (stored >= self._least) & (head.shape[0] - stored >= self._least)
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


def _column(block: TableBlock, position: int, units: Array | None) -> tuple[Array, Array | None]:
    """Return the numbers of a column without NaN, and whose they are."""
    if units is None:
        return block.column(position), None
    cells = block.numbers()[:, [position]]
    column = np.asarray(cells.toarray() if issparse(cells) else cells).ravel()
    known = ~np.isnan(column)
    return column[known], units[known]


class _Column:
    """One column: its most frequent value, as soon as that is sure, and how many cells differ."""

    def __init__(self) -> None:
        self._cells: list[Array] = []  # until the most frequent value is known
        self._units: list[Array] = []
        self._value: float | None = None
        self._odd = 0
        self._odd_units: set[int] = set()

    def add(self, cells: Array, units: Array | None, least: int) -> None:
        if self._value is None:
            self._cells.append(cells)
            cells = np.concatenate(self._cells)
            if units is not None:
                self._units.append(units)
                units = np.concatenate(self._units)
            if cells.size < 2 * least and units is None:
                return
            # if fewer than ``least`` cells differ from one value, that is the one in the middle of
            # any 2 * least cells; and if not, at least as many differ from any other
            some = cells[: 2 * least] if units is None else cells
            self._value = float(np.partition(some, some.size // 2)[some.size // 2])
            self._cells, self._units = [], []
        different = cells != self._value
        self._odd += int(np.count_nonzero(different))
        if units is not None:
            self._odd_units.update(np.unique(units[different]).tolist())

    def odd(self) -> int:
        if self._value is None:
            cells = np.concatenate([np.empty(0), *self._cells])
            if not cells.size:
                return 0
            counts = np.unique(cells, return_counts=True)[1]
            return int(cells.size - counts.max())
        if self._odd_units:
            return len(self._odd_units)
        return self._odd
