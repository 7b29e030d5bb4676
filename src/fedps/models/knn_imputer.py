"""KNNImputer where clients hold rows: incomplete rows go to all, what the nearest rows hold back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fedps.errors import NotFederated, UsageError
from fedps.learned import Facts, Kept, Learned, PerClient
from fedps.models.neighbours import in_chunks, weights_of
from fedps.plans.parameters import is_nan, params_of
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.statistics import Donors, Incomplete, Missing, Moments, Statistic
from fedps.statistics.base import Array
from fedps.statistics.neighbours import Nearest

NAN = float("nan")

# they say how gaps are filled, which is the server's affair
ONLY_TO_FILL = ("n_neighbors", "weights", "metric")

LATER = (
    "transform sends the incomplete rows to all clients, one round a chunk, and shows the server what "
    "stands at their gaps in the rows there that are most like them, and how far each is (level ROWS)"
)
NEXT = (
    "the server sends these rows to all clients, one round a chunk, and is shown what stands at their "
    "gaps in the rows there that are most like them, and how far each is (level ROWS)"
)


def knn_imputer(imputer: Any, view: View) -> Plan[Learned]:
    """Learn which columns have gaps; and, where the filled rows are used, what fills them.

    One round; with the filled rows one more for each chunk of incomplete rows. A column that is
    nothing but gaps at one client and not at others takes another: then all its rows are incomplete.
    """
    marker = _marker(imputer)
    # without queries, donors only show whether they may be asked, and that all are numbers
    first: Statistic[Any, Any] = Incomplete(marker) if view.used else Donors(np.empty((0, 0)), 1)
    counts, means, found = yield from gather(
        [
            ask(Missing(marker), view),
            ask(_means(marker), view),
            ask(first, view, further=NEXT if view.used else LATER),
        ]
    )
    arrays: dict[str, Any] = {"missing": counts, "rows": view.rows, "view": Kept(view)}
    if view.used:
        empty = counts == view.rows
        heights = np.array([len(places) for places in found.places])
        alone = (found.present == 0) & ~empty
        if alone.any():
            ignored = tuple(np.flatnonzero(empty).tolist())
            found = yield from ask(Incomplete(marker, ignored), view)
            heights = np.array([len(places) for places in found.places])
        values = yield from _fillings(imputer, found.rows, view, view.rows - counts, means.mean)
        gaps = np.isnan(found.rows) & ~empty
        owners = np.repeat(np.arange(len(heights)), heights)
        arrays |= _told(gaps, owners, found.places, values)
    return Learned("KNNImputer", params_of(imputer, ONLY_TO_FILL), Facts(arrays))


def fillings(imputer: Any, known: Facts, queries: Array) -> Plan[Array]:
    """Return what fills each gap of rows that the server has, row by row: NaN marks gaps.

    Gaps in columns that nobody has anything in are left out.
    """
    view, donors = known["view"].values, int(known["rows"]) - known["missing"]
    marker = _marker(imputer)
    # the means ride along with the first chunk
    means, values = yield from gather(
        [ask(_means(marker), view), _neighbours(imputer, queries, view, donors)]
    )
    return _filled(imputer, queries, values, donors, means.mean)


def _fillings(imputer: Any, queries: Array, view: View, donors: Array, means: Array) -> Plan[Array]:
    values = yield from _neighbours(imputer, queries, view, donors)
    return _filled(imputer, queries, values, donors, means)


def _neighbours(imputer: Any, queries: Array, view: View, donors: Array) -> Plan[Nearest]:
    """Return for each gap what the nearest rows of all clients hold there."""
    k = max(1, min(int(imputer.n_neighbors), int(donors.max(initial=1))))
    marker = _marker(imputer)
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
    distances = np.where(np.isinf(distances), NAN, distances)
    weights = weights_of(distances, imputer.weights)
    if weights is None:
        weights = np.ones_like(distances)
        weights[np.isnan(distances)] = 0.0
    weights = np.where(np.isnan(weights), 0.0, weights)
    return np.asarray(np.ma.average(np.ma.array(values), axis=1, weights=weights).data)


def _told(
    gaps: Array, owners: Array, places: Sequence[Array], values: Array
) -> dict[str, PerClient]:
    """Return for each client where its gaps are, counted cell by cell, and what fills each."""
    row, column = np.nonzero(gaps)
    own = np.concatenate([np.empty(0, np.int64), *places])
    cells = own[row] * gaps.shape[1] + column
    ends = np.searchsorted(owners[row], np.arange(len(places) + 1))
    each = [slice(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]
    return {
        "gaps": PerClient(tuple(cells[some] for some in each)),
        "fillings": PerClient(tuple(values[some] for some in each)),
    }


def _means(marker: float) -> Moments:
    """Ask for the mean of each column: it fills a gap in a row that is comparable to no other."""
    return Moments(order=1, missing=None if is_nan(marker) else marker)


def _marker(imputer: Any) -> float:
    """Return the marker of missing values as a number, as it travels."""
    if callable(imputer.metric):
        raise NotFederated(
            "KNNImputer(metric=...) with a function would run it at the clients, which run no function "
            "of a server. Use metric='nan_euclidean'."
        )
    marker = imputer.missing_values
    if type(marker).__name__ == "NAType" or not isinstance(marker, int | float | np.number):
        raise UsageError(
            f"KNNImputer(missing_values={marker!r}) marks no number. Use np.nan, or a number."
        )
    return float(marker)
