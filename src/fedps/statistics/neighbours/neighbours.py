"""Neighbours: the targets of the rows nearest to given ones, and how far away they are."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Literal

import numpy as np

from fedps.statistics.base import Array, BadCells, Block, refuse_columns
from fedps.statistics.neighbours.closest_rows import (
    Euclidean,
    Ruler,
    closest,
    query_batches,
    row_batches,
)
from fedps.statistics.neighbours.incomplete_rows import gapped
from fedps.statistics.neighbours.nearest_base import Nearest, NearestSummary, OfNearest, of_pairs
from fedps.statistics.target.numeric_target import numeric_target

Metric = Literal[
    "euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "canberra", "hamming"
]


class Neighbours(OfNearest, frozen=True, array_like=True, tag="neighbours"):
    """The targets of the ``k`` rows nearest to each query, and their distances.

    ``metric`` is the name of a metric of scipy; ``p`` and ``weights`` (one per column, or none) are
    those of Minkowski's. Without queries it only checks that all cells are finite numbers. Level ROWS:
    shows the targets of single rows, and how far these are from rows that the server chooses. Costs two
    numbers for each query and neighbour.
    """

    of_target: ClassVar[bool] = True

    metric: Metric
    p: float
    weights: Array

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "for each row to predict, the targets of the most similar rows here, and their distances"

    @property
    def wanted(self) -> int:
        """One line for each query."""
        return len(self.queries)

    def empty(self, width: int) -> NearestSummary:
        """Return no neighbours, or refuse queries that do not fit the table."""
        weights = self.weights.dtype == np.float64 and self.weights.shape in ((0,), (width,))
        if not weights or not (self.weights >= 0).all() or not self.p > 0:
            raise BadCells("queries")
        nothing = super().empty(width)
        if np.isnan(self.queries).any() or not np.isfinite(self.weights).all():
            raise BadCells("queries")
        return nothing

    def update(self, summary: NearestSummary, block: Block) -> NearestSummary:
        """Fold in a block of rows."""
        cells = gapped(block)
        refuse_columns(np.isnan(cells), "missing")
        target = numeric_target(block)
        for some in row_batches(len(cells)) if self.wanted else ():
            found = self._nearest(cells[some], target[some], block, some)
            summary = self.merge(summary, NearestSummary(found))
        return summary

    def _nearest(self, cells: Array, target: Array, block: Block, some: slice) -> Nearest:
        """Return the nearest of some rows of a block."""
        ruler: Ruler = _Measured(self, block, some)
        if self.metric == "euclidean":
            ruler = Euclidean(cells, self.queries)
        found = []
        for part in query_batches(self.wanted, len(cells)):
            exact = partial(of_pairs, ruler, np.arange(self.wanted)[part], np.arange(len(cells)))
            found.append(closest(*ruler.bounds(part), self.k, exact))
        rows = np.concatenate([part.rows for part in found])
        return Nearest(np.concatenate([part.distances for part in found]), target[rows])


class _Measured:
    """Distances by any other metric, which scipy measures at the client: they need no bounds."""

    def __init__(self, asked: Neighbours, block: Block, rows: slice) -> None:
        self._asked, self._block, self._rows = asked, block, rows
        self._start, self._distances = 0, np.empty((0, 0))

    def bounds(self, some: slice) -> tuple[Array, Array]:
        """Return the distances themselves."""
        asked = self._asked
        queries = np.asarray(asked.queries[some], dtype=np.float64)
        found = self._block.distances(queries, self._rows, asked.metric, asked.p, asked.weights)
        if not np.isfinite(found).all():
            raise BadCells("range")
        self._start, self._distances = some.start, found
        return found, np.zeros(len(found))

    def exact(self, queries: Array, rows: Array) -> Array:
        """Return the distances of pairs of a query, of those last asked about, and a row."""
        return np.asarray(self._distances[queries - self._start, rows])
