"""Where k-means starts: the rows that scikit-learn would draw from the rows of all clients.

Draws come from NumPy's ``RandomState`` in scikit-learn's order, so a seed gives the same rows as with
the rows pooled. k-means++ finds its rows by running sums of squared distances: where a draw falls
between two rows closer than such a sum is rounded (some 1e-16 of it; 1e-7 for 32-bit tables, which
scikit-learn adds up in 32 bits), where two trials are equally good (two rows that are near each other
and to no other row), or where there are fewer distinct rows than clusters and all that is left are
roundings, the two can pick different rows.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from fedps.draws.pooled_rows import check_pooled
from fedps.learned import PerClient
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.questions.models import trials_of
from fedps.statistics import PickedRows, Potentials
from fedps.statistics.base import Array


class AllRows(NamedTuple):
    """What is known of all rows: how many each client has, their mean, and their precision."""

    heights: Array
    mean: Array
    kind: np.dtype[Any]


def drawn_starts(kmeans: Any, runs: int, view: View, rows: AllRows) -> Plan[list[Array]]:
    """Return the first centres of each run, less the mean of all rows.

    One round for ``init="random"``, two per centre for k-means++; all runs side by side.
    """
    if view.pooled.remote:
        check_pooled(view.pooled.heights, "Give the first centres as an array, KMeans(init=...)")
    state = check_random_state(deepcopy(kmeans.random_state))  # the user's stays as it was
    equal = np.ones(view.rows, dtype=rows.kind)
    equal /= equal.sum()
    clusters = int(kmeans.n_clusters)
    if kmeans.init == "random":
        chosen = [
            state.choice(view.rows, size=clusters, replace=False, p=equal) for _ in range(runs)
        ]
        found = yield from _rows_numbered(view, rows, np.concatenate(chosen))
        return list(found.reshape(runs, clusters, -1))
    trials = trials_of(kmeans)
    draws = [
        (int(state.choice(view.rows, p=equal)), _uniform(state, clusters - 1, trials))
        for _ in range(runs)
    ]
    return (yield from gather(_plus_plus(view, rows, *draw) for draw in draws))


def _uniform(state: Any, times: int, trials: int) -> list[Array]:
    return [state.uniform(size=trials) for _ in range(times)]


def _plus_plus(view: View, rows: AllRows, first: int, draws: list[Array]) -> Plan[Array]:
    """Draw rows that are far from those drawn before; of some trials the best one is taken."""
    centres = yield from _rows_numbered(view, rows, np.array([first]))
    none = np.empty((0, centres.shape[1]), dtype=rows.kind)
    reached = yield from ask(Potentials(none, centres, rows.mean), view)
    potentials = reached[:, 0]
    for shares in draws:
        places = shares * potentials.sum()
        candidates = yield from _rows_reached(view, rows, centres, potentials, places)
        reached = yield from ask(Potentials(centres, candidates, rows.mean), view)
        best = int(reached.sum(axis=0).argmin())
        potentials = reached[:, best]
        centres = np.concatenate([centres, candidates[best : best + 1]])
    return centres


def _rows_numbered(view: View, rows: AllRows, numbers: Array) -> Plan[Array]:
    """Return rows by their numbers among all rows."""
    none = np.empty((0, rows.mean.size), dtype=rows.kind)
    # half a row further: the row at which the count of rows passes the number
    places = numbers + 0.5
    return (yield from _rows_reached(view, rows, none, rows.heights.astype(np.float64), places))


def _rows_reached(
    view: View, rows: AllRows, centres: Array, potentials: Array, places: Array
) -> Plan[Array]:
    """Return the rows at which the sum of potentials, over the rows of all clients, reaches each place."""
    ends = potentials.cumsum()
    filled = np.flatnonzero(rows.heights)
    owners = _owners(ends, filled, places)
    before = ends - potentials
    offsets = [
        np.where(owners == client, np.maximum(places - before[client], 0.0), np.nan)
        for client in range(len(potentials))
    ]
    wanted = PickedRows(centres, rows.mean, places.size)
    found = yield from ask(wanted, view.give(PerClient(tuple(offsets))))
    assert found.found.all() or not filled.size, "rows that were there are gone"
    return found.rows


def _owners(ends: Array, filled: Array, places: Array) -> Array:
    """Return at which client the sum reaches each place: one that has rows.

    >>> _owners(np.array([0.0, 2.0, 2.0, 5.0]), np.array([1, 3]), np.array([0.0, 2.0, 2.5, 9.0]))
    array([1, 1, 3, 3])
    """
    if not filled.size:  # in a rehearsal
        return np.full(places.size, -1)
    found = np.minimum(np.searchsorted(ends[filled], places), filled.size - 1)
    return np.asarray(filled[found])
