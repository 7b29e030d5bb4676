"""KNNImputer where each client has other columns: how far rows are from each other, added up.

Every client says which cells are missing. Then, for some incomplete rows at a time, every client
says how far they are from all rows in the cells that both have here. The server adds that up, finds
for each missing cell the nearest rows that have it, and gives the column's owner their positions and
weights. The owner takes the mean of its own cells: no cell leaves its client. Of equally near rows
the first ones are taken; a row that has no cell in common with any that could fill it gets the
column's mean, as in scikit-learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fedps.learned import Facts, Learned, PerClient
from fedps.models.columns_nearest import nearest_rows
from fedps.models.knn_imputer import ONLY_TO_FILL, marker_of
from fedps.models.neighbours import weights_of
from fedps.plans.parameters import params_of
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import GapMask, RowDistances
from fedps.statistics.aligned import MOST_CELLS
from fedps.statistics.base import Array

NEXT = (
    "how far each row with missing cells is from each other row, in the columns of each client, one "
    "round for each million of distances (level ROWS)"
)


class Filling(NamedTuple):
    """For some missing cells: where they are, and which rows fill them with what weight."""

    rows: Array  # (cells,)
    columns: Array  # (cells,)
    donors: Array  # (cells, k); -1 is none
    weights: Array  # (cells, k)


def knn_imputer(imputer: Any, view: View) -> Plan[Learned]:
    """Learn which rows fill each missing cell, and with what weight."""
    marker = marker_of(imputer)
    masks = yield from ask(GapMask(marker), view, further=NEXT)
    gaps = np.hstack(masks or (np.zeros((0, 0), dtype=bool),))
    wanted = gaps & ~gaps.all(axis=0)
    rows = np.flatnonzero(wanted.any(axis=1))
    step = max(1, MOST_CELLS // max(1, len(gaps)))
    found: list[Filling] = []
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        squares = yield from ask(RowDistances(some, marker), view)
        found += _fillings(imputer, _distances(squares, gaps, some), gaps, wanted, some)
    widths = [mask.shape[1] for mask in masks] or [0] * view.pooled.clients
    arrays = _told(_joined(found, int(imputer.n_neighbors)), widths)
    return Learned("KNNImputer", params_of(imputer, ONLY_TO_FILL), Facts(arrays))


def _distances(squares: Array, gaps: Array, rows: Array) -> Array:
    """Return nan-euclidean distances: as if the cells that both have stood for all; inf for none."""
    present = (~gaps).astype(np.float32)
    common = (present[rows] @ present.T).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.sqrt(squares * (gaps.shape[1] / common))
    found[common == 0] = np.inf
    return np.asarray(found)


def _fillings(
    imputer: Any, distances: Array, gaps: Array, wanted: Array, rows: Array
) -> list[Filling]:
    """Return what fills the missing cells of some rows, column by column."""
    found = []
    for column in np.flatnonzero(wanted[rows].any(axis=0)):
        receivers = np.flatnonzero(wanted[rows, column])
        donors = np.flatnonzero(~gaps[:, column])
        k = min(int(imputer.n_neighbors), len(donors))
        away = distances[np.ix_(receivers, donors)]
        near = nearest_rows(away, k)
        weights = _weights(imputer, np.take_along_axis(away, near, axis=1))
        own = np.full(len(receivers), column)
        found.append(Filling(rows[receivers], own, donors[near], weights))
    return found


def _weights(imputer: Any, distances: Array) -> Array:
    """Return a weight for each donor, as scikit-learn has it; NaN only where no donor has a distance."""
    none = np.isinf(distances)
    known = np.where(none, np.nan, distances)
    weights = weights_of(known, imputer.weights)
    if weights is None:
        weights = np.where(none, 0.0, 1.0)
    weights = np.where(np.isnan(weights), 0.0, weights)
    weights[none.all(axis=1)] = np.nan
    return np.asarray(weights)


def _joined(found: Sequence[Filling], k: int) -> Filling:
    """Return all fillings as one, with lines of one length."""
    k = max((part.donors.shape[1] for part in found), default=min(k, 1))
    none = np.empty(0, dtype=np.int64)
    wide = [(0, 0), (0, 0)]
    donors, weights = [np.empty((0, k), dtype=np.int64)], [np.empty((0, k))]
    for part in found:
        wide[1] = (0, k - part.donors.shape[1])
        donors.append(np.pad(part.donors, wide, constant_values=-1))
        weights.append(np.pad(part.weights, wide))
    return Filling(
        np.concatenate([none, *(part.rows for part in found)]),
        np.concatenate([none, *(part.columns for part in found)]),
        np.concatenate(donors),
        np.concatenate(weights),
    )


def _told(found: Filling, widths: Sequence[int]) -> dict[str, PerClient]:
    """Return for each client what fills its own cells, column by column and row by row."""
    ends = np.cumsum(widths)
    order = np.lexsort((found.rows, found.columns))
    found = Filling(*(field[order] for field in found))
    cuts = np.searchsorted(found.columns, ends[:-1])
    columns = np.split(found.columns, cuts)
    starts = ends - np.asarray(widths)
    return {
        "rows": PerClient(tuple(np.split(found.rows, cuts))),
        "columns": PerClient(tuple(own - s for own, s in zip(columns, starts, strict=True))),
        "donors": PerClient(tuple(np.split(found.donors, cuts))),
        "donor_weights": PerClient(tuple(np.split(found.weights, cuts))),
    }
