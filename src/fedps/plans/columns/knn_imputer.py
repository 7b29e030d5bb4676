"""KNNImputer with ``split="columns"``: distances between rows, added up over the clients.

Every client says which cells are missing. Then, for some incomplete rows at a time, every client
says how far they are from all rows in the cells that both have here. The server adds that up, finds
for each missing cell the nearest rows that have it, and gives the column's owner their positions and
weights. The owner takes the mean of its own cells: no cell leaves its client.

Distances of a large table are asked for in two steps, the second of which rides with the next rows:
first to an eighth, which leaves a few rows that can be among the nearest, and of these exactly.

Of equally near rows the first ones are taken; a row that has no cell in common with any that could
fill it gets the column's mean, as in scikit-learn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.learned import Learned
from fedps.plans.columns.donor_rows import (
    DonorPairs,
    DonorRows,
    near_pairs,
    nearest_donors,
    part_numbers,
)
from fedps.plans.shared.parameters import learned_for_owners
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.questions.markers import knn_marker_of
from fedps.statistics import CoarseDistances, GapMask, PairDistances, RowDistances
from fedps.statistics.aligned.aligned_base import MOST_CELLS
from fedps.statistics.aligned.coarse_distances import MOST_CODES, Rough
from fedps.statistics.base import Array

FEW_DISTANCES = 1 << 18  # up to so many are sent exactly at once: that saves a round

_NEXT = (
    "how far each row with missing cells is from each other row, in the columns of each client; where "
    "these are many, to an eighth and then exactly of the nearest (level ROWS)"
)


def knn_imputer_across_owners(imputer: Any, view: View) -> Plan[Learned]:
    """Learn which rows fill each missing cell, and with what weight."""
    marker = knn_marker_of(imputer)
    masks = yield from ask(GapMask(marker), view, further=_NEXT)
    gaps = np.hstack(masks or (np.zeros((0, 0), dtype=bool),))
    rows = np.flatnonzero((gaps & ~gaps.all(axis=0)).any(axis=1))
    if len(rows) * len(gaps) <= FEW_DISTANCES:
        found = [(yield from _exactly(imputer, view, gaps, rows))]
    else:
        found = yield from _coarsely(imputer, view, gaps, rows)
    widths = [mask.shape[1] for mask in masks] or [0] * view.pooled.clients
    return learned_for_owners(imputer, part_numbers(found, widths))


def _exactly(imputer: Any, view: View, gaps: Array, rows: Array) -> Plan[DonorRows]:
    """Find donors by the distances of all rows at once."""
    squares = np.zeros((0, len(gaps)))
    if rows.size:
        squares = yield from ask(RowDistances(rows, knn_marker_of(imputer)), view)
    pairs = near_pairs(imputer, gaps, rows, Rough(squares, 1.0, 0.0))
    line = np.searchsorted(rows, pairs.rows[pairs.cell])
    return nearest_donors(imputer, gaps, pairs, squares[line, pairs.donor])


def _coarsely(imputer: Any, view: View, gaps: Array, rows: Array) -> Plan[list[DonorRows]]:
    """Find donors by rough distances first, some rows at a time."""
    step = max(1, MOST_CODES // len(gaps))
    found: list[Any] = []
    waiting: list[Plan[Any]] = []
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        asked = ask(CoarseDistances(some, knn_marker_of(imputer)), view)
        rough, *before = yield from gather([asked, *waiting])
        found += before
        waiting = [_refined(imputer, view, gaps, near_pairs(imputer, gaps, some, rough))]
    found += yield from gather(waiting)
    return found


def _refined(imputer: Any, view: View, gaps: Array, pairs: DonorPairs) -> Plan[DonorRows]:
    """Choose donors by exact distances of those that can be among the nearest."""
    keys, back = np.unique(pairs.rows[pairs.cell] * len(gaps) + pairs.donor, return_inverse=True)
    squares = [np.zeros(0)]
    for start in range(0, len(keys), MOST_CELLS):
        rows, others = np.divmod(keys[start : start + MOST_CELLS], len(gaps))
        exact = PairDistances(rows, others, knn_marker_of(imputer))
        squares.append((yield from ask(exact, view)))
    return nearest_donors(imputer, gaps, pairs, np.concatenate(squares)[back])
