"""Dominance: how much of a column's sum of squared deviations one cell, or one unit, has."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from fedps.client.block import TableBlock
from fedps.statistics.base import Array


class Dominance:
    """Adds up, in one pass, what tells the largest share of a cell or a unit in each column.

    Parameters
    ----------
    most : float
        The largest share that is allowed.

    Examples
    --------
    >>> from fedps.client.tables import Chunk
    >>> rows = np.stack([np.arange(20.0), np.append(np.arange(19.0), 1e6)], axis=1)
    >>> dominance = Dominance(0.9)
    >>> dominance.add(TableBlock(rows, Chunk(rows, None)))
    >>> dominance.over
    [1]
    """

    def __init__(self, most: float) -> None:
        self._most = most
        self._centre: Array | None = None  # near the cells, so that differences keep their digits
        self._sums = np.zeros((3, 0, 0))  # of each unit and column: cells, sums, squares
        self._ends = np.zeros((2, 0))

    def add(self, block: TableBlock, units: Array | None = None) -> None:
        """Take in a block of rows; ``units`` says whose each row is, where cells count by that."""
        cells = block.numbers()
        cells = np.asarray(cells.toarray() if issparse(cells) else cells, dtype=np.float64)
        if not cells.size:
            return
        if self._centre is None:
            first = cells[np.argmax(~np.isnan(cells), axis=0), np.arange(cells.shape[1])]
            self._centre = np.nan_to_num(first)
            self._sums = np.zeros((3, 0, cells.shape[1]))
            self._ends = np.array([[np.inf], [-np.inf]]) * np.ones(cells.shape[1])
        away = cells - self._centre
        known = ~np.isnan(away)
        away = np.where(known, away, 0.0)
        ends = np.where(known, away, np.inf).min(axis=0), np.where(known, away, -np.inf).max(axis=0)
        self._ends = np.stack(
            [np.minimum(self._ends[0], ends[0]), np.maximum(self._ends[1], ends[1])]
        )
        with np.errstate(all="ignore"):  # cells may be too large to square
            self._add_sums((known, away, away**2), units)

    def _add_sums(self, parts: tuple[Array, ...], units: Array | None) -> None:
        more = (1 if units is None else int(units.max()) + 1) - self._sums.shape[1]
        self._sums = np.pad(self._sums, ((0, 0), (0, max(more, 0)), (0, 0)))
        for i, part in enumerate(parts):
            if units is None:
                self._sums[i, 0] += part.sum(axis=0)
            else:
                np.add.at(self._sums[i], units, part)

    @property
    def over(self) -> list[int]:
        """The columns in which one cell, or one unit, has too large a share."""
        cells, sums, squares = self._sums
        if not cells.size:
            return []
        total = cells.sum(axis=0)
        with np.errstate(all="ignore"):
            mean = sums.sum(axis=0) / np.maximum(total, 1)
            every = squares - 2 * mean * sums + cells * mean**2
            spread = every.sum(axis=0)
            largest = every.max(axis=0)
            if len(cells) == 1:  # no units: the cell farthest from the mean
                largest = np.maximum((self._ends[0] - mean) ** 2, (self._ends[1] - mean) ** 2)
            share = np.where((total > 1) & (spread > 0), largest / spread, 0.0)
        # what is not a number is about cells too large to square: nobody can say that none dominates
        return np.flatnonzero(~(share <= self._most)).tolist()
