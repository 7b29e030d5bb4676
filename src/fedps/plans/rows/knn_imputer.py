"""KNNImputer on row-partitioned tables: incomplete rows out, what the nearest rows hold back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from fedps.learned import Kept, Learned, PerClient, needed
from fedps.learned.imputers import KNNImputerNumbers
from fedps.plans.rows.knn_regressor import in_chunks, weights_of
from fedps.plans.shared.parameters import learned
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.questions.imputers import gaps_of, means_of
from fedps.questions.markers import NAN_MARKER, knn_marker_of
from fedps.statistics import Donors, Incomplete, Statistic
from fedps.statistics.base import Array
from fedps.statistics.neighbours.incomplete_rows import IncompleteRows
from fedps.statistics.neighbours.nearest_base import Nearest

# they say how gaps are filled, which the server does: clients need not know
ONLY_TO_FILL = ("n_neighbors", "weights", "metric")

_LATER = (
    "transform sends the incomplete rows to all clients, one round a chunk, and shows the server what "
    "stands at their gaps in the rows there that are most like them, and how far each is (level ROWS)"
)
_NEXT = (
    "the server sends these rows to all clients, one round a chunk, and is shown what stands at their "
    "gaps in the rows there that are most like them, and how far each is (level ROWS)"
)


def knn_imputer(imputer: Any, view: View) -> Plan[Learned]:
    """Learn which columns have gaps; and, where the filled rows are used, what fills them.

    One round; with the filled rows one more for each chunk of incomplete rows. A column that is
    nothing but gaps at one client and not at others takes another: then all its rows are incomplete.
    """
    marker = knn_marker_of(imputer)
    # without queries, donors only show that they may be asked, and that all cells are numbers
    first: Statistic[Any, Any] = (
        Incomplete(marker) if view.used else Donors(np.empty((0, 0)), 1, marker)
    )
    plans: list[Plan[Any]] = [
        ask(gaps_of(marker), view),
        ask(means_of(imputer), view),
        ask(first, view, further=_NEXT if view.used else _LATER),
    ]
    counts, means, found = yield from gather(plans)
    gaps = fillings = None
    if view.used:
        gaps, fillings = yield from _fill_own(imputer, view, counts, means.mean, found)
    numbers = KNNImputerNumbers(
        missing=counts, rows=view.rows, view=Kept(view), gaps=gaps, fillings=fillings
    )
    return learned(imputer, numbers, without=ONLY_TO_FILL)


def _fill_own(
    imputer: Any, view: View, counts: Array, means: Array, found: IncompleteRows
) -> Plan[tuple[PerClient[Array], PerClient[Array]]]:
    """Return for each client where the gaps of its own rows are, and what fills them."""
    empty = counts == view.rows
    if ((found.present == 0) & ~empty).any():
        ignored = tuple(np.flatnonzero(empty).tolist())
        found = yield from ask(Incomplete(knn_marker_of(imputer), ignored), view)
    donors = view.rows - counts
    near = yield from _neighbours(imputer, found.rows, view, donors)
    values = _filled(imputer, found.rows, near, donors, means)
    return _told(np.isnan(found.rows) & ~empty, found.places, values)


def fill_gaps(imputer: Any, numbers: KNNImputerNumbers, queries: Array) -> Plan[Array]:
    """Return what fills each gap of rows that the server has, row by row: NaN marks gaps.

    Gaps in columns that are all missing are left out.
    """
    view, donors = needed(numbers.view).value, int(numbers.rows) - numbers.missing
    # the means ride along with the first chunk
    plans: list[Plan[Any]] = [
        ask(means_of(imputer), view),
        _neighbours(imputer, queries, view, donors),
    ]
    means, values = yield from gather(plans)
    return _filled(imputer, queries, values, donors, means.mean)


def _neighbours(imputer: Any, queries: Array, view: View, donors: Array) -> Plan[Nearest]:
    """Return for each gap what the nearest rows of all clients hold there."""
    k = max(1, min(int(imputer.n_neighbors), int(donors.max(initial=1))))
    marker = knn_marker_of(imputer)
    lines = np.count_nonzero(np.isnan(queries), axis=1)
    return (yield from in_chunks(queries, lines, k, lambda some: Donors(some, k, marker), view))


def _filled(imputer: Any, queries: Array, found: Nearest, donors: Array, means: Array) -> Array:
    """Return the weighted mean of the donors of each gap, row by row."""
    rows, columns = np.nonzero(np.isnan(queries))
    values = np.empty(len(rows))
    for j in np.flatnonzero(donors > 0):
        at = np.flatnonzero(columns == j)
        # as scikit-learn has it: of fewer donors than neighbours are wanted, all
        k = min(int(imputer.n_neighbors), int(donors[j]))
        values[at] = _average(imputer, found.distances[at, :k], found.values[at, :k])
        alone = at[np.isinf(found.distances[at, 0])]
        values[alone] = means[j]
    return np.asarray(values[donors[columns] > 0])


def _average(imputer: Any, distances: Array, values: Array) -> Array:
    """Return the weighted mean of each line, of those who have a distance."""
    distances = np.where(np.isinf(distances), NAN_MARKER, distances)
    weights = weights_of(distances, imputer.weights)
    if weights is None:
        weights = np.ones_like(distances)
        weights[np.isnan(distances)] = 0.0
    weights = np.where(np.isnan(weights), 0.0, weights)
    return np.asarray(np.ma.average(np.ma.array(values), axis=1, weights=weights).data)


def _told(
    gaps: Array, places: Sequence[Array], values: Array
) -> tuple[PerClient[Array], PerClient[Array]]:
    """Return for each client where its gaps are, counted cell by cell, and what fills each."""
    row, column = np.nonzero(gaps)
    cells = np.concatenate([np.empty(0, np.int64), *places])[row] * gaps.shape[1] + column
    ends = np.searchsorted(row, np.cumsum([0, *map(len, places)]))
    each = [slice(start, stop) for start, stop in pairwise(ends)]
    own = PerClient(tuple(cells[some] for some in each))
    return own, PerClient(tuple(values[some] for some in each))
