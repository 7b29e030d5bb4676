"""Nearest neighbours on row-partitioned tables: queries out, values of the nearest rows back.

The paper's Algorithm 4 asks for distances first and for the values of the winners then. Here both
come in one round: the server so learns the values of up to k rows of each client, and not only those
of the k that are nearest of all. Queries travel in chunks, one round each, so that messages and
memory are bounded; most tables need one. Of equally far rows those of the first client win, and of
its rows the first: scikit-learn's choice among them depends on how it sorts all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fedps.errors import UsageError
from fedps.learned import Kept, Learned, needed
from fedps.learned.models import KNeighborsRegressorNumbers
from fedps.plans.shared.parameters import learned
from fedps.protocol.plan import Plan, View, ask
from fedps.questions.metrics import metric_of
from fedps.statistics import Neighbours, Statistic
from fedps.statistics.base import Array
from fedps.statistics.neighbours.nearest_base import Nearest

QUERIES_AT_ONCE = 1 << 18  # numbers of the queries in a chunk, and values asked for

# they say how a prediction is made, which the server does: clients need not know
ONLY_TO_PREDICT = ("n_neighbors", "weights", "algorithm", "leaf_size", "metric", "metric_params")

_LATER = (
    "each prediction sends the rows to be predicted to all clients, one round a chunk, and shows the "
    "server the target of the rows there that are most like them, and how far each is (level ROWS)"
)


def k_neighbors_regressor(regressor: Any, view: View) -> Plan[Learned]:
    """Learn nothing, as the rows stay with the clients; check that they are numbers."""
    metric = metric_of(regressor)
    nothing = Neighbours(np.empty((0, 0)), 1, metric.name, metric.p, metric.weights)
    yield from ask(nothing, view, further=_LATER)
    numbers = KNeighborsRegressorNumbers(rows=view.rows, view=Kept(view))
    return learned(regressor, numbers, without=ONLY_TO_PREDICT)


def predict_from_nearest(
    regressor: Any, numbers: KNeighborsRegressorNumbers, queries: Array
) -> Plan[Array]:
    """Return a prediction for each query, from the rows of all clients that are nearest to it."""
    rows, k = int(numbers.rows), int(regressor.n_neighbors)
    if k > rows:
        raise UsageError(
            f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = {rows}: "
            "all clients together have no more rows. Lower n_neighbors."
        )
    metric = metric_of(regressor)

    def look(some: Array) -> Statistic[Any, Nearest]:
        return Neighbours(some, k, metric.name, metric.p, metric.weights)

    lines = np.ones(len(queries), dtype=np.int64)
    found = yield from in_chunks(queries, lines, k, look, needed(numbers.view).value)
    weights = weights_of(found.distances, regressor.weights)
    if weights is None:
        return found.values.mean(axis=1) if len(queries) else np.empty(0)
    return np.asarray((found.values * weights).sum(axis=1) / weights.sum(axis=1))


def in_chunks(
    queries: Array,
    lines: Array,
    k: int,
    look: Callable[[Array], Statistic[Any, Nearest]],
    view: View,
) -> Plan[Nearest]:
    """Return the nearest rows of each query, asked for in as few rounds as messages allow.

    ``lines`` is how many values are looked for by each query.
    """
    found = [Nearest(np.empty((0, k)), np.empty((0, k)))]
    for some in _chunks(lines, queries.shape[1], k):
        answer = yield from ask(look(queries[some]), view)
        found.append(_wide(answer, k))
    return Nearest(
        np.concatenate([part.distances for part in found]),
        np.concatenate([part.values for part in found]),
    )


def _chunks(lines: Array, width: int, k: int) -> Iterator[slice]:
    """Yield runs of queries that are not too many, nor look for too many values."""
    cost = np.cumsum(np.maximum(lines * k, width))
    start = 0
    while start < len(lines):
        before = cost[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(cost, before + QUERIES_AT_ONCE, side="right")))
        yield slice(start, stop)
        start = stop


def _wide(found: Nearest, k: int) -> Nearest:
    """Return neighbours in lines of a given length: infinitely far where there are fewer."""
    short = ((0, 0), (0, k - found.distances.shape[1]))
    distances = np.pad(found.distances, short, constant_values=np.inf)
    return Nearest(distances, np.pad(found.values, short))


def weights_of(distances: Array, weights: Any) -> Array | None:
    """Return a weight for each neighbour, as scikit-learn has it; None where all are equal.

    >>> weights_of(np.array([[0.0, 2.0], [1.0, 2.0]]), "distance")
    array([[1. , 0. ],
           [1. , 0.5]])
    """
    if weights in (None, "uniform"):
        return None
    if callable(weights):
        own = weights(distances)
        return None if own is None else np.asarray(own)
    with np.errstate(divide="ignore"):
        found = 1.0 / distances
    same = np.isinf(found)  # where some rows are the query itself, only they count
    touched = same.any(axis=1)
    found[touched] = same[touched]
    return np.asarray(found)
