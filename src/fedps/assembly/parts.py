"""Which object stands in for an estimator at a client that has some of the columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fedps.assembly.part_iterative import PartIterativeImputer
from fedps.assembly.part_knn import PartKNNImputer
from fedps.assembly.part_neighbours import PartKNeighborsRegressor
from fedps.assembly.part_norms import PartNormalizer
from fedps.assembly.part_ridge import PartBayesianRidge
from fedps.learned import Facts

STAND_INS: dict[str, Callable[[Any, Facts], Any]] = {
    "BayesianRidge": PartBayesianRidge.of,
    "IterativeImputer": PartIterativeImputer.of,
    "KNNImputer": PartKNNImputer.of,
    "KNeighborsRegressor": PartKNeighborsRegressor.of,
    "Normalizer": PartNormalizer.of,
}
