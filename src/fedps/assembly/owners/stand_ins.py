"""Which object stands in for an estimator at a client that has some of the columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fedps.assembly.owners.bayesian_ridge import PartBayesianRidge
from fedps.assembly.owners.iterative_imputer import PartIterativeImputer
from fedps.assembly.owners.knn_imputer import PartKNNImputer
from fedps.assembly.owners.knn_regressor import PartKNeighborsRegressor
from fedps.assembly.owners.normalizer import PartNormalizer

STAND_INS: dict[str, Callable[[Any, Any], Any]] = {
    "BayesianRidge": PartBayesianRidge.of,
    "IterativeImputer": PartIterativeImputer.of,
    "KNNImputer": PartKNNImputer.of,
    "KNeighborsRegressor": PartKNeighborsRegressor.of,
    "Normalizer": PartNormalizer.of,
}
