"""The rows of a table that are closest to given queries: which they are, and how far away.

A product of matrices gives all distances fast but rounded. It only selects candidates; these are
measured again from differences, so that rounding never decides which rows are the closest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from fedps.statistics.base import LARGEST_TO_SQUARE, Array, BadCells

# Bounds on memory: 8 MB of distances, and as many rows or pairs as make a few MB of cells.
PIECE = 1 << 20  # distances held at once
STRIPE = 1 << 15  # rows worked on at once
PAIRS = 1 << 15  # distances measured again at once
_LARGEST_FLOAT = np.finfo(np.float64).max


class Closest(NamedTuple):
    """For each query the closest rows, nearest first, and their distances: infinite if there is none."""

    distances: Array
    rows: Array


class Ruler(Protocol):
    """Measures how far the rows of a table are from some queries."""

    def bounds(self, some: slice) -> tuple[Array, Array]:
        """Return upper bounds on a monotone function of the distances of some queries to all rows.

        Also, for each query, by how much a bound may exceed that function. A row without a distance
        has an infinite bound.
        """

    def exact(self, queries: Array, rows: Array) -> Array:
        """Return the distances of pairs of a query and a row."""


def query_batches(queries: int, rows: int) -> Iterator[slice]:
    """Yield slices of the queries whose distances to all rows take bounded memory."""
    step = max(1, PIECE // max(rows, 1))
    for start in range(0, queries, step):
        yield slice(start, min(start + step, queries))


def row_batches(rows: int) -> Iterator[slice]:
    """Yield slices of the rows of a table: what is computed from each takes bounded memory."""
    for start in range(0, rows, STRIPE):
        yield slice(start, min(start + STRIPE, rows))


def closest(bounds: Array, slack: Array, k: int, exact: Callable[[Array, Array], Array]) -> Closest:
    """Return the k rows closest to each query; of equally distant rows the first.

    Every row that could be among them by its bound is measured exactly, so that rounding in the
    bounds does not matter.
    """
    queries, rows = bounds.shape
    k = min(k, rows)
    found = Closest(np.full((queries, k), np.inf), np.zeros((queries, k), np.intp))
    if not found.rows.size:
        return found
    # at least k rows are within the k-th bound, and no bound exceeds its row by more than the slack
    limit = np.partition(bounds, k - 1, axis=1)[:, k - 1] + slack
    near = np.flatnonzero(bounds <= np.minimum(limit, _LARGEST_FLOAT)[:, None])
    who, row = np.divmod(near, rows)
    far = exact(who, row)
    order = np.lexsort((far, who))  # stable: of equally distant rows the first stays first
    who, row, far = who[order], row[order], far[order]
    rank = np.arange(who.size) - np.searchsorted(who, np.arange(queries))[who]
    kept = rank < k
    place = who[kept], rank[kept]
    found.distances[place], found.rows[place] = far[kept], row[kept]
    return found


class Euclidean:
    """Euclidean distances over the columns that both rows have, scaled up to all columns.

    This is scikit-learn's ``nan_euclidean``: the plain distance if no cell is missing, and no distance
    between rows without a common column. Bounds come from a product of matrices of rows minus the
    columns' means; the distances themselves from differences.
    """

    def __init__(self, cells: Array, queries: Array) -> None:
        self._cells = np.asarray(cells, dtype=np.float64)
        self._queries = queries
        self._width = self._cells.shape[1]
        self._centre = _middle(self._cells)
        y, here = _filled(self._cells - self._centre)
        self._gaps = not here.all() or bool(np.isnan(queries).any())
        # the rounding error of a product of so many columns, relative to the squares
        self._off = (3 * self._width + 16) * np.finfo(np.float64).eps
        squares = (y * y).sum(axis=1)
        side = (squares + 1e-300) * self._off  # above 0 also for a row of zeros
        self._worst = side.max(initial=0.0)
        ones = np.ones(len(y))
        if self._gaps:
            self._right = np.column_stack([here, y * y, y, ones, side]).T.copy()
            self._here = here.T.astype(np.float64)
        else:
            self._right = np.column_stack([y, ones, squares + side]).T.copy()

    def bounds(self, some: slice) -> tuple[Array, Array]:
        """Return upper bounds on the squared distances of some queries, and by how much they exceed."""
        x, there = _filled(np.asarray(self._queries[some], dtype=np.float64) - self._centre)
        squares, ones = (x * x).sum(axis=1), np.ones(len(x))
        side = (squares + 1e-300) * self._off
        # scaling up to all columns multiplies an error by at most their number
        slack = 2 * self._width * (side + self._worst)
        if not self._gaps:
            return np.column_stack([-2 * x, squares + side, ones]) @ self._right, slack
        found = np.column_stack([x * x, there, -2 * x, side, ones]) @ self._right
        common = there.astype(np.float64) @ self._here
        with np.errstate(divide="ignore"):
            np.divide(self._width, common, out=common)
        # rows without a common column are infinitely far: 0 times infinity would be NaN
        np.maximum(found, np.finfo(np.float64).tiny, out=found)
        found *= common
        return found, slack

    def exact(self, queries: Array, rows: Array) -> Array:
        """Return the distances of pairs of a query and a row, from their differences."""
        found = np.empty(len(rows))
        for start in range(0, len(rows), PAIRS):
            some = slice(start, start + PAIRS)
            apart = self._queries[queries[some]].astype(np.float64) - self._cells[rows[some]]
            squares = apart * apart
            if not self._gaps:
                found[some] = np.sqrt(squares.sum(axis=1))
                continue
            lost = np.isnan(squares)
            squares[lost] = 0.0
            common = self._width - np.count_nonzero(lost, axis=1)
            found[some] = np.sqrt(squares.sum(axis=1) / common * self._width)
        return found


def _middle(cells: Array) -> Array:
    """Return the means of the columns: far from them, products would round distances away."""
    there = ~np.isnan(cells)
    with np.errstate(over="ignore"):  # what is too large is refused
        total = np.where(there, cells, 0.0).sum(axis=0)
    return np.asarray(total / np.maximum(np.count_nonzero(there, axis=0), 1))


def _filled(cells: Array) -> tuple[Array, Array]:
    """Return cells with 0 for missing ones, and which are not missing."""
    there = ~np.isnan(cells)
    cells[~there] = 0.0
    if cells.size and max(cells.max(), -cells.min()) > LARGEST_TO_SQUARE:
        raise BadCells("range", int(np.abs(cells).max(axis=0).argmax()))
    return cells, there
