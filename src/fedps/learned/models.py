"""What is learned for regressions, clusters and nearest neighbours."""

from __future__ import annotations

from typing import Any

from fedps.learned.numbers import Numbers
from fedps.learned.per_client import Array, Kept


class BayesianRidgeNumbers(Numbers):
    """The attributes of a fitted BayesianRidge, without their last underscore."""

    coef: Array
    intercept: float
    alpha: float
    lambda_: float
    sigma: Array
    scores: Array  # empty unless compute_score
    n_iter: int
    X_offset: Array


class KMeansNumbers(Numbers):
    """The centres of the clusters and how they were found."""

    centres: Array
    inertia: float
    steps: int
    tolerance: float
    runs: int


class KNeighborsRegressorNumbers(Numbers):
    """The number of rows that it was fitted on, and the view to ask for the nearest of them."""

    rows: int
    view: Kept[Any] | None = None
