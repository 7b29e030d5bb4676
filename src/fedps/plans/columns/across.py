"""Models and imputers where each client has other columns of the same rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn import linear_model, neighbors
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute import IterativeImputer, KNNImputer

from fedps.learned import Learned, Nothing
from fedps.plans.columns.bayesian_ridge import bayesian_ridge_across_owners, predict_ridge
from fedps.plans.columns.iterative_imputer import iterative_imputer_across_owners
from fedps.plans.columns.knn_imputer import knn_imputer_across_owners
from fedps.plans.columns.knn_regressor import (
    k_neighbors_regressor_across_owners,
    predict_neighbours,
)
from fedps.plans.shared.parameters import learned
from fedps.protocol.plan import Plan, View
from fedps.statistics.base import Array

PlanAcrossOwners = Callable[[Any, View], Plan[Learned]]


def _unless_alone(make_plan: PlanAcrossOwners) -> PlanAcrossOwners:
    """Return a plan that asks nothing where one client has all columns: it fits them on its own."""

    def plan(estimator: Any, view: View) -> Plan[Learned]:
        if sum(width > 0 for width in view.widths) <= 1:
            inner = getattr(estimator, "estimator", None)
            return learned(estimator, Nothing(), *([] if inner is None else [learned(inner)]))
        return (yield from make_plan(estimator, view))

    return plan


ACROSS: dict[type, PlanAcrossOwners] = {
    IterativeImputer: _unless_alone(iterative_imputer_across_owners),
    KNNImputer: _unless_alone(knn_imputer_across_owners),
    linear_model.BayesianRidge: bayesian_ridge_across_owners,
    neighbors.KNeighborsRegressor: k_neighbors_regressor_across_owners,
}

PREDICTIONS: dict[str, Callable[[Learned, View], Plan[Array]]] = {
    "BayesianRidge": predict_ridge,
    "KNeighborsRegressor": predict_neighbours,
}
