"""KMeans: scikit-learn's algorithm over the rows of all clients, from counts and sums.

A round learns the mean and the spread of all rows, the starts take theirs (see
:mod:`fedps.plans.rows.kmeans.starts`), then there is one round per step, and one per step that leaves a
cluster without rows. All ``n_init`` runs take their steps in the same rounds. Three things differ
from scikit-learn:

* Sums are rounded once, here, and distances by another routine than its own, so centres differ by
  some 1e-16 of the size of the rows; for 32-bit tables, which it adds up in 32 bits, by some 1e-7.
  A row exactly between two centres goes to the side that such a difference chooses. The same holds
  between its ``lloyd`` and its ``elkan``, which are one here: without ties they find the same.
* Of several clusters without rows the first gets the row that is farthest from all centres, and of
  rows that are equally far it is the first; in scikit-learn both depend on a partial sort.
* ``labels_`` are one number per row and stay with the clients: the fitted estimator has none.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from fedps.errors import NotFederated, UsageError
from fedps.learned import Learned
from fedps.learned.models import KMeansNumbers
from fedps.plans.rows.kmeans.runs import best_of, run_from
from fedps.plans.rows.kmeans.starts import AllRows, drawn_starts
from fedps.plans.shared.parameters import learned
from fedps.plans.shared.warned import warn_of_few
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.questions.models import runs_of
from fedps.statistics import Finite, Moments, RowCounts, Statistic
from fedps.statistics.base import Array

HOW_IT_STARTS = ("init", "n_init", "random_state", "copy_x")


def k_means(kmeans: Any, view: View) -> Plan[Learned]:
    """Learn the centres of the clusters."""
    given = _given(kmeans)
    runs = _runs(kmeans, given)
    first: list[Statistic[Any, Any]] = [Moments(), RowCounts(), Finite()]
    moments, heights, _ = yield from gather(ask(statistic, view) for statistic in first)
    if view.rows < kmeans.n_clusters:
        raise UsageError(
            f"n_samples={view.rows} should be >= n_clusters={kmeans.n_clusters}: all clients together "
            "have no more rows. Lower n_clusters."
        )
    kind = np.dtype(np.float32 if heights.narrow and heights.rows.size else np.float64)
    rows = AllRows(heights.rows, np.nan_to_num(moments.mean), kind)
    if given is None:
        starts = yield from drawn_starts(kmeans, runs, view, rows)
    else:
        starts = [_less_mean(given, rows)]
    tolerance = _tolerance(kmeans, moments.variance, kind)
    limits = (float(tolerance), int(kmeans.max_iter))
    outcomes = yield from gather(run_from(view, start, rows.mean, *limits) for start in starts)
    best = best_of(outcomes)
    warn_of_few(best.clusters.counts)
    if best.held:
        _warn_of_held()
    numbers = KMeansNumbers(
        centres=best.centres + rows.mean.astype(kind),
        inertia=best.clusters.inertia,
        steps=best.steps,
        tolerance=tolerance,
        runs=runs,
    )
    return learned(kmeans, numbers, without=HOW_IT_STARTS)


def _given(kmeans: Any) -> Array | None:
    """Return the centres that the user gives, or None where they are to be drawn."""
    if isinstance(kmeans.init, str):
        return None
    if callable(kmeans.init):
        raise NotFederated(
            "KMeans(init=<function>) would run the function on the rows of all clients, which no one "
            "holds. Give centres as an array, or init='k-means++' or 'random'."
        )
    try:
        given: Array = check_array(kmeans.init, dtype=[np.float64, np.float32], order="C")
    except ValueError as error:
        raise UsageError(f"KMeans cannot start from init=: {error}") from None
    if len(given) != kmeans.n_clusters:
        raise UsageError(
            f"the shape of the initial centers {given.shape} does not match the number of clusters "
            f"{kmeans.n_clusters}."
        )
    return given


def _runs(kmeans: Any, given: Array | None) -> int:
    """Return how many runs there are to choose from."""
    if given is not None and kmeans.n_init not in ("auto", 1):
        warnings.warn(
            "Explicit initial center position passed: performing only one init in KMeans instead of "
            f"n_init={kmeans.n_init}.",
            RuntimeWarning,
            stacklevel=2,
        )
    return runs_of(kmeans)


def _less_mean(given: Array, rows: AllRows) -> Array:
    """Return the centres that the user gives in the precision of the rows, less their mean."""
    if not rows.heights.size:  # in a rehearsal, which does not know what steps before give
        return np.zeros((len(given), rows.mean.size), dtype=rows.kind)
    if given.shape[1] != rows.mean.size:
        raise UsageError(
            f"the shape of the initial centers {given.shape} does not match the number of features of "
            f"the data {rows.mean.size}."
        )
    return np.asarray(given.astype(rows.kind) - rows.mean.astype(rows.kind))


def _tolerance(kmeans: Any, variance: Array, kind: np.dtype[Any]) -> Any:
    """Return how little centres may move in the last step: a share of the mean variance."""
    if kmeans.tol == 0:
        return 0
    return np.mean(np.nan_to_num(variance).astype(kind)) * kmeans.tol


def _warn_of_held() -> None:
    warnings.warn(
        "KMeans may differ from a pooled fit: some client's policy (min_rows) lets rows change their "
        "cluster only if enough of them do, so that some stay although another centre is nearer.",
        ConvergenceWarning,
        stacklevel=2,
    )
