"""Nearest-neighbours regression with ``split="columns"``: the paper's Algorithm 5.

Every client says how far, in its own columns, the rows to predict are from the rows that it learned
from. The server adds that up, and gives the client that has the target the positions of the nearest
rows and their weights; it answers with the means. No cell and no target leaves its client alone
(unless the nearest row is a single one). Rows to predict go in chunks, one round each, and the means
of a chunk ride with the next. Of equally far rows the first ones are taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.errors import NotFederated, UsageError
from fedps.learned import Kept, Learned, PerClient, needed
from fedps.learned.owners import KNeighborsRegressorPartNumbers
from fedps.plans.columns.bayesian_ridge import target_owner
from fedps.plans.columns.nearest_rows import k_nearest_rows
from fedps.plans.rows.knn_regressor import weights_of
from fedps.plans.shared.parameters import learned_for_owners
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.questions.metrics import Distance, metric_of
from fedps.statistics import DonorMeans, Partial, RowDistances
from fedps.statistics.aligned.aligned_base import MOST_CELLS
from fedps.statistics.base import Array

_LATER = (
    "each prediction shows the server how far every row to predict is from every row that was learned "
    "from, in the columns of each client, and the mean target of the nearest ones (level ROWS)"
)


def k_neighbors_regressor_across_owners(regressor: Any, view: View) -> Plan[Learned]:
    """Learn nothing, as the rows stay with the clients; check that they are numbers."""
    distance = metric_of(regressor)
    owner = target_owner(view, "KNeighborsRegressor")
    weights = _column_weights(distance, view)
    none = PerClient((np.empty((2, 0, 1)),) * view.pooled.clients)
    yield from gather(
        [
            ask(RowDistances(np.empty(0, dtype=np.int64), None), view, further=_LATER),
            ask(DonorMeans(0), view.own_rows.give(none)),
        ]
    )
    numbers = KNeighborsRegressorPartNumbers(
        metric=distance.name,
        p=distance.p,
        column_weights=weights,
        settings=Kept(regressor),
        rows=Kept(view.rows),
        owner=Kept(owner),
    )
    return learned_for_owners(regressor, numbers)


def _column_weights(distance: Distance, view: View) -> PerClient[Array]:
    """Return the weights of each client's columns; none where all are equal."""
    if distance.weights.size == 0:
        return PerClient((np.empty(0),) * view.pooled.clients)
    if view.is_transformed:
        raise NotFederated(
            "metric_params={'w': ...} has a weight for each column, and after another step only the "
            "owners know which columns there are. Leave it out, or scale the columns."
        )
    widths = view.widths
    if distance.weights.size != sum(widths):
        raise UsageError(
            f"metric_params={{'w': ...}} has {distance.weights.size} weights; all clients together have "
            f"{sum(widths)} columns."
        )
    return PerClient(tuple(distance.weights[np.array(own, dtype=int)] for own in view.places))


def predict_neighbours(model: Learned, view: View) -> Plan[Array]:
    """Return a prediction for each row, from the rows that are nearest to it in all columns."""
    numbers = model.numbers_as(KNeighborsRegressorPartNumbers)
    regressor, rows = needed(numbers.settings).value, needed(numbers.rows).value
    _demand_enough(int(regressor.n_neighbors), rows)
    how = "max" if numbers.metric == "chebyshev" else "sum"
    step = max(1, MOST_CELLS // rows)
    found: list[Array] = [np.empty(0)]
    waiting: list[Plan[Array]] = []
    for start in range(0, 2**40, step):
        distances = ask(Partial(start, start + step, rows, how), view)  # type: ignore[arg-type]
        parts, *means = yield from gather([distances, *waiting])
        found += means
        waiting = [_means(numbers, view, parts)] if len(parts) else []
        if len(parts) < step:
            break
    found += yield from gather(waiting)
    return np.concatenate(found)


def _demand_enough(k: int, rows: int) -> None:
    if k > rows:
        raise UsageError(
            f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = {rows}. "
            "Lower n_neighbors."
        )


def _means(numbers: KNeighborsRegressorPartNumbers, view: View, parts: Array) -> Plan[Array]:
    """Ask the owner of the target for the weighted means over the nearest rows."""
    regressor = needed(numbers.settings).value
    near = k_nearest_rows(parts, int(regressor.n_neighbors))
    distances = _rooted(np.take_along_axis(parts, near, axis=1), numbers)
    weights = weights_of(distances, regressor.weights)
    if weights is None:
        weights = np.ones_like(distances)
    nothing = np.empty((2, 0, 1))
    layers = np.stack([near.astype(np.float64), weights])
    owner = needed(numbers.owner).value
    given = [layers if i == owner else nothing for i in range(view.pooled.clients)]
    return ask(DonorMeans(len(near)), view.own_rows.give(PerClient(tuple(given))))


def _rooted(sums: Array, numbers: KNeighborsRegressorPartNumbers) -> Array:
    """Return distances from what the clients' columns add up to."""
    name, p = numbers.metric, float(numbers.p)
    if name == "euclidean":
        return np.sqrt(sums)
    return np.asarray(sums ** (1 / p)) if name == "minkowski" else sums
