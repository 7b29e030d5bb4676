"""One estimator for each class of statistics of the paper's Table 2, and what the paper says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sklearn.impute import KNNImputer
from sklearn.linear_model import BayesianRidge
from sklearn.preprocessing import (
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

import fedps
from experiments.paper import FOLDS, bins


class Statistic(NamedTuple):
    """What is fitted on which kinds of data, the paper's cost, and its exponents along each axis.

    ``most`` are the largest sizes that are measured, where these are smaller than for others.
    """

    estimator: Any
    data: tuple[str, ...]
    cost: str
    claims: Mapping[str, float]
    options: Mapping[str, Any] = {}
    most: Mapping[str, int] = {}


NUMBERS = ("continuous", "whole numbers")
PER_COLUMN = {"rows": 0, "columns": 1, "clients": 0}
PER_CATEGORY = {**PER_COLUMN, "categories": 1}
SKETCHED = "O(1/ε log² log 1/δ · m)"
FREQUENT = OneHotEncoder(min_frequency=0.01, handle_unknown="infrequent_if_exist")

STATISTICS: dict[str, Statistic] = {
    "min, max": Statistic(MinMaxScaler(), NUMBERS, "O(m)", PER_COLUMN),
    "mean, variance": Statistic(StandardScaler(), NUMBERS, "O(m)", PER_COLUMN),
    "quartiles, exact": Statistic(RobustScaler(), NUMBERS, SKETCHED, PER_COLUMN),
    "quartiles, KLL": Statistic(
        RobustScaler(), NUMBERS, SKETCHED, PER_COLUMN, {"quantiles": fedps.KLL(k=200, seed=0)}
    ),
    "k-means bins": Statistic(bins("kmeans"), NUMBERS, "O(tkm)", PER_COLUMN, most={"columns": 300}),
    "power": Statistic(PowerTransformer(), NUMBERS, "O(tm)", PER_COLUMN, most={"columns": 300}),
    "regression": Statistic(
        BayesianRidge(),
        NUMBERS,
        "O(m min(n, m))",
        {"rows": 0, "columns": 2, "clients": 0},
        most={"columns": 300},
    ),
    "union of sets": Statistic(OrdinalEncoder(), ("texts",), "O(dm)", PER_CATEGORY),
    "frequent items, exact": Statistic(
        FREQUENT, ("texts",), "O(km)", {**PER_COLUMN, "categories": 0}
    ),
    "frequent items, k = 100": Statistic(
        FREQUENT,
        ("texts",),
        "O(km)",
        {**PER_COLUMN, "categories": 0},
        {"frequent": fedps.FrequentItems(k=100)},
    ),
    "target means": Statistic(TargetEncoder(cv=FOLDS), ("texts",), "O(dm)", PER_CATEGORY),
    # the rows to fill are a share of all clients' rows, so that n' grows with both
    "nearest rows": Statistic(
        KNNImputer(),
        ("holes",),
        "O(n'km)",
        {"rows": 1, "columns": 1, "clients": 1},
        most={"rows": 10_000, "columns": 300, "clients": 30},
    ),
    "norms, columns split": Statistic(
        Normalizer(), ("owners",), "O(n)", {"rows": 1, "columns": 0}, most={"columns": 300}
    ),
    "regression, columns split": Statistic(
        BayesianRidge(),
        ("owners",),
        "O(n min(n, m) + nt)",
        {"rows": 1, "columns": 1},
        most={"columns": 300},
    ),
}
