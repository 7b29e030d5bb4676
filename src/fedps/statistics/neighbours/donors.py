"""Donors: for each missing cell of given rows, the values there in the nearest rows that have one."""

from __future__ import annotations

from functools import partial

import numpy as np

from fedps.statistics.base import Array, Block
from fedps.statistics.neighbours.closest_rows import Euclidean, closest, query_batches, row_batches
from fedps.statistics.neighbours.incomplete_rows import gapped
from fedps.statistics.neighbours.nearest_base import Nearest, NearestSummary, OfNearest, of_pairs


class Donors(OfNearest, frozen=True, array_like=True, tag="donors"):
    """For each missing cell of each query, the values there in the ``k`` nearest rows that have one.

    And the distance of each of these rows. Missing cells of the queries are NaN; those of the table
    equal ``marker``. Distances are scikit-learn's ``nan_euclidean``. Level ROWS: shows cells of single
    rows, and how far these are from rows of other clients. Costs two numbers for each missing cell and
    neighbour.
    """

    marker: float = float("nan")

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return (
            "for each missing cell of the incomplete rows of all clients, the values there in the most "
            "similar rows here, and their distances"
        )

    @property
    def wanted(self) -> int:
        """One line for each missing cell."""
        return int(np.count_nonzero(np.isnan(self.queries)))

    def update(self, summary: NearestSummary, block: Block) -> NearestSummary:
        """Fold in a block of rows."""
        cells = gapped(block, self.marker)
        for some in row_batches(len(cells)) if self.wanted else ():
            summary = self.merge(summary, NearestSummary(self._nearest(cells[some])))
        return summary

    def _nearest(self, cells: Array) -> Nearest:
        """Return for each missing cell the values in the nearest of some rows."""
        gaps = np.isnan(self.queries)
        ruler = Euclidean(cells, self.queries)
        lines = (np.cumsum(gaps) - 1).reshape(gaps.shape)
        donors = [np.flatnonzero(~np.isnan(column)) for column in cells.T]
        k = min(self.k, len(cells))
        found = Nearest(np.full((self.wanted, k), np.inf), np.zeros((self.wanted, k)))
        for some in query_batches(len(gaps), len(cells)):
            bounds, slack = ruler.bounds(some)
            for j in np.flatnonzero(gaps[some].any(axis=0)):
                who, rows = np.flatnonzero(gaps[some, j]), donors[j]
                exact = partial(of_pairs, ruler, who + some.start, rows)
                near = closest(_part(bounds, who, rows), slack[who], k, exact)
                at, width = lines[some][who, j], near.rows.shape[1]
                known = np.isfinite(near.distances)
                held = np.where(known, rows[near.rows], 0)
                found.distances[at, :width] = near.distances
                found.values[at, :width] = np.where(known, cells[held, j], 0.0)
        return found


def _part(bounds: Array, who: Array, rows: Array) -> Array:
    """Return some lines and columns, without a copy if these are all."""
    some = bounds if len(who) == len(bounds) else bounds.take(who, axis=0)
    return some if len(rows) == some.shape[1] else some.take(rows, axis=1)
