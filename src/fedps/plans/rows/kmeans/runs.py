"""Runs of k-means: step by step from first centres to where they come to rest."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fedps.plans.shared.lloyd import averages
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import FarthestRows, RowClusters
from fedps.statistics.base import Array
from fedps.statistics.clusters.farthest_rows import FarRows
from fedps.statistics.clusters.row_clusters import RowSums


class Outcome(NamedTuple):
    """What a run comes to: its centres, less the mean, and what its clusters are.

    ``held`` says that some client kept rows in their clusters, in some step.
    """

    centres: Array
    steps: int
    clusters: RowSums
    held: bool = False


def run_from(
    view: View, centres: Array, mean: Array, tolerance: float, most_steps: int
) -> Plan[Outcome]:
    """Take steps until the centres rest.

    Where no row changes its cluster, which ends a run of scikit-learn, sums are the same to the bit.
    No centre moves then, unless it has no rows: with more clusters than distinct rows such a centre
    would be moved for ever. Clusters whose centres did not move are known already; else they are
    asked for once more.
    """
    steps, resting, held = 0, False, False
    before = None
    while not resting:
        further = "a round for each further step of k-means"
        found = yield from ask(RowClusters(centres, mean), view, further=further)
        held = held or found.held
        empty = int(np.count_nonzero(found.counts == 0))
        far = None
        if empty:
            far = yield from ask(FarthestRows(centres, mean, empty), view)
        moved = _moved(found, far, centres.dtype)
        shift = float(((moved - centres) ** 2).sum())
        centres, steps = moved, steps + 1
        nothing = not found.counts.any()  # in a rehearsal
        resting = not shift > tolerance or steps == most_steps or nothing
        resting = resting or (before is not None and _same_rows(found, before))
        before = found
    if shift != 0:
        found = yield from ask(RowClusters(centres, mean), view)
    return Outcome(centres, steps, found, held or found.held)


def _same_rows(found: RowSums, before: RowSums) -> bool:
    """Whether each cluster has the rows that it had before."""
    same = np.array_equal(found.counts, before.counts)
    return same and np.array_equal(found.sums, before.sums)


def _moved(found: RowSums, far: FarRows | None, kind: np.dtype[Any]) -> Array:
    """Return where the centres go: to the means of their rows; an empty one to the farthest row."""
    weights, totals = found.counts.copy(), found.sums.copy()
    # with no row away from its centre there are more clusters than distinct rows
    if far is not None and far.away.any():
        empty = np.flatnonzero(weights == 0)
        # those that gave a row may be empty now, but have had their turn
        for new, old, row in zip(empty, far.labels, far.rows.astype(np.float64), strict=False):
            totals[old] -= row
            weights[old] -= 1
            totals[new], weights[new] = row, 1
    return averages(weights, totals.astype(kind))


def best_of(outcomes: list[Outcome]) -> Outcome:
    """Return the outcome whose rows are nearest to their centres; of the same clusters the first."""
    best = outcomes[0]
    for other in outcomes[1:]:
        if other.clusters.inertia < best.clusters.inertia and not _are_same(other, best):
            best = other
    return best


def _are_same(one: Outcome, other: Outcome) -> bool:
    """Whether two runs found the same clusters, perhaps in another order.

    Sums of the same rows are the same to the bit.
    """
    tables = []
    for outcome in (one, other):
        table = np.column_stack([outcome.clusters.counts, outcome.clusters.sums])
        tables.append(table[np.lexsort(table.T)])
    return np.array_equal(tables[0], tables[1])
