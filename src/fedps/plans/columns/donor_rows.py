"""Which rows fill missing cells, from distances that several clients' columns add up to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fedps.learned import PerClient
from fedps.learned.owners import KNNImputerPartNumbers
from fedps.plans.rows.knn_regressor import weights_of
from fedps.statistics.aligned.coarse_distances import Rough
from fedps.statistics.base import Array


class DonorPairs(NamedTuple):
    """Missing cells, and rows that can be among the nearest that have them."""

    rows: Array  # (cells,), where the missing cells are
    columns: Array  # (cells,)
    wanted: Array  # (cells,), how many donors each is to have
    cell: Array  # (pairs,), which cell a pair is about
    donor: Array  # (pairs,)


class DonorRows(NamedTuple):
    """Missing cells, and which rows fill them with what weight."""

    rows: Array  # (cells,)
    columns: Array  # (cells,)
    donors: Array  # (cells, k), the nearest first; -1 is none
    weights: Array  # (cells, k); NaN where no donor has a distance


def near_pairs(imputer: Any, gaps: Array, rows: Array, rough: Rough) -> DonorPairs:
    """Return the rows that can be among the nearest, by bounds on the squared distances of ``rows``."""
    least = _scaled(rough.low, gaps, rows)
    wanted = gaps[rows] & ~gaps.all(axis=0)
    parts, cells = [_nothing()], 0
    for column in np.flatnonzero(wanted.any(axis=0)):
        receivers = np.flatnonzero(wanted[:, column])
        donors = np.flatnonzero(~gaps[:, column])
        k = min(int(imputer.n_neighbors), len(donors))
        here = least[np.ix_(receivers, donors)]
        last = np.partition(here, k - 1, axis=1)[:, k - 1 : k]
        # one common cell stands for all at most
        most = last * rough.stretch + rough.extra * gaps.shape[1]
        line, place = np.nonzero((here <= most) & np.isfinite(here))
        own = np.full(len(receivers), column), np.full(len(receivers), k)
        parts.append(DonorPairs(rows[receivers], *own, line + cells, donors[place]))
        cells += len(receivers)
    return DonorPairs(*map(np.concatenate, zip(*parts, strict=True)))


def _nothing() -> DonorPairs:
    return DonorPairs(*(np.empty(0, dtype=np.int64) for _ in DonorPairs._fields))


def _scaled(squares: Array, gaps: Array, rows: Array) -> Array:
    """Return squares as if the cells that both rows have stood for all; infinite where there are none."""
    present = (~gaps).astype(np.float32)
    common = (present[rows] @ present.T).astype(squares.dtype)
    none = common == 0
    common[none] = 1.0
    found = squares * (gaps.shape[1] / common)
    found[none] = np.inf
    return np.asarray(found)


def nearest_donors(imputer: Any, gaps: Array, pairs: DonorPairs, squares: Array) -> DonorRows:
    """Return the nearest of each cell's pairs; the first of equals come first."""
    common = (~gaps[pairs.rows[pairs.cell]] & ~gaps[pairs.donor]).sum(axis=1)
    away = np.sqrt(squares * (gaps.shape[1] / np.maximum(common, 1)))
    order = np.lexsort((pairs.donor, away, pairs.cell))
    cell, donor, away = pairs.cell[order], pairs.donor[order], away[order]
    rank = np.arange(len(cell)) - np.searchsorted(cell, cell)
    kept = rank < pairs.wanted[cell]
    k = int(pairs.wanted.max(initial=1))
    donors = np.full((len(pairs.rows), k), -1)
    distances = np.full((len(pairs.rows), k), np.inf)
    donors[cell[kept], rank[kept]] = donor[kept]
    distances[cell[kept], rank[kept]] = away[kept]
    weights = np.zeros(distances.shape)
    for number in np.unique(pairs.wanted):  # a function of the user's sees as many as there can be
        cells = np.flatnonzero(pairs.wanted == number)
        weights[cells, :number] = _weights(imputer, distances[cells, :number])
    return DonorRows(pairs.rows, pairs.columns, donors, weights)


def _weights(imputer: Any, distances: Array) -> Array:
    """Return a weight for each donor, as scikit-learn has it; NaN where no donor has a distance."""
    none = np.isinf(distances)
    weights = weights_of(np.where(none, np.nan, distances), imputer.weights)
    if weights is None:
        weights = np.where(none, 0.0, 1.0)
    weights = np.where(np.isnan(weights), 0.0, weights)
    weights[none.all(axis=1)] = np.nan
    return np.asarray(weights)


def part_numbers(found: Sequence[DonorRows], widths: Sequence[int]) -> KNNImputerPartNumbers:
    """Return for each client what fills its own cells, column by column and row by row."""
    k = max((part.donors.shape[1] for part in found), default=1)
    whole = DonorRows(
        np.concatenate([np.empty(0, dtype=np.int64), *(part.rows for part in found)]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.columns for part in found)]),
        np.concatenate(
            [np.empty((0, k), dtype=np.int64), *(_wide(p.donors, k, -1) for p in found)]
        ),
        np.concatenate([np.empty((0, k)), *(_wide(part.weights, k, 0) for part in found)]),
    )
    order = np.lexsort((whole.rows, whole.columns))
    ends = np.cumsum(widths)
    cuts = np.searchsorted(whole.columns[order], ends[:-1])
    rows, columns, donors, weights = (np.split(field[order], cuts) for field in whole)
    starts = ends - np.asarray(widths)
    return KNNImputerPartNumbers(
        rows=PerClient(tuple(rows)),
        columns=PerClient(tuple(own - s for own, s in zip(columns, starts, strict=True))),
        donors=PerClient(tuple(donors)),
        donor_weights=PerClient(tuple(weights)),
    )


def _wide(lines: Array, width: int, empty: int) -> Array:
    """Return lines filled up to a width."""
    return np.pad(lines, ((0, 0), (0, width - lines.shape[1])), constant_values=empty)
