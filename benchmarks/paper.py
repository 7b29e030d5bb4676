"""The estimators of the paper's Tables 5 and 6, their columns, and the figures printed there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

from benchmarks import data

DATA_SETS = ("adult", "bank", "covertype")


class Row(NamedTuple):
    """An estimator, which columns it is for, and the paper's figures for the three data sets."""

    estimator: Any
    columns: str
    paper: tuple[float, float, float]


def _bins(strategy: str) -> KBinsDiscretizer:
    method = {"quantile_method": "averaged_inverted_cdf"} if strategy == "quantile" else {}
    return KBinsDiscretizer(strategy=strategy, encode="ordinal", subsample=None, **method)


def _quantiles(distribution: str) -> QuantileTransformer:
    return QuantileTransformer(output_distribution=distribution, subsample=None)


# Kilobytes of 1000 bytes that a client with 1000 rows sends. TargetEncoder is fitted and applied.
COMMUNICATION = {
    "StandardScaler": Row(StandardScaler(), "all", (0.57, 0.61, 1.21)),
    "OrdinalEncoder": Row(OrdinalEncoder(), "texts", (1.51, 0.69, 0)),
    "OrdinalEncoder (infrequent)": Row(OrdinalEncoder(min_frequency=50), "texts", (1.91, 0.84, 0)),
    "TargetEncoder": Row(TargetEncoder(), "texts", (24.89, 16.39, 0)),
    "PowerTransformer": Row(PowerTransformer(), "all", (73.46, 75.18, 360.18)),
    "KBinsDiscretizer (uniform)": Row(_bins("uniform"), "all", (0.48, 0.51, 1.11)),
    "KBinsDiscretizer (quantile)": Row(_bins("quantile"), "all", (18.88, 21.53, 55.05)),
    "KBinsDiscretizer (kmeans)": Row(_bins("kmeans"), "all", (61.00, 96.40, 193.36)),
    "SimpleImputer (mean)": Row(SimpleImputer(), "all", (0.46, 0.48, 0.82)),
    "SimpleImputer (median)": Row(SimpleImputer(strategy="median"), "all", (18.40, 21.02, 70.83)),
    "SimpleImputer (most frequent)": Row(
        SimpleImputer(strategy="most_frequent"), "all", (22.29, 20.01, 55.88)
    ),
    "BayesianRidge": Row(BayesianRidge(), "labelled", (3.19, 3.69, 25.21)),
}

# Mean squared error between the rows transformed by the federated and by the pooled fit.
CONSISTENCY = {
    "MaxAbsScaler": Row(MaxAbsScaler(), "numbers", (0, 0, 0)),
    "MinMaxScaler": Row(MinMaxScaler(), "numbers", (0, 0, 0)),
    "StandardScaler": Row(StandardScaler(), "numbers", (0, 0, 0)),
    "RobustScaler": Row(RobustScaler(), "numbers", (0.0095, 0.0009, 0.0014)),
    "Normalizer": Row(Normalizer(), "numbers", (0, 0, 0)),
    "OneHotEncoder": Row(OneHotEncoder(), "texts", (0, 0, 0)),
    "OrdinalEncoder": Row(OrdinalEncoder(), "texts", (0, 0, 0)),
    "TargetEncoder": Row(TargetEncoder(random_state=0), "texts", (9.808e-5, 2.470e-5, 0)),
    "KBinsDiscretizer (uniform)": Row(_bins("uniform"), "numbers", (0, 0, 0)),
    "KBinsDiscretizer (quantile)": Row(_bins("quantile"), "numbers", (0.0238, 0.0652, 0.0743)),
    "KBinsDiscretizer (kmeans)": Row(_bins("kmeans"), "numbers", (0, 0, 0)),
    "PowerTransformer": Row(PowerTransformer(), "numbers", (0, 0, 0)),
    "QuantileTransformer (uniform)": Row(
        _quantiles("uniform"), "numbers", (1.033e-5, 1.582e-5, 3.131e-5)
    ),
    "QuantileTransformer (normal)": Row(_quantiles("normal"), "numbers", (0.0299, 0.0638, 0.0742)),
    "SplineTransformer (uniform)": Row(SplineTransformer(), "numbers", (0, 0, 0)),
    "SplineTransformer (quantile)": Row(
        SplineTransformer(knots="quantile"), "numbers", (0.0406, 0.2936, 0.1103)
    ),
}


def table_of(name: str, columns: str) -> pd.DataFrame:
    """Return the columns of a data set that an estimator is for.

    "all" has the texts as whole numbers, which is what the paper's byte counts are of, and so has
    "labelled", with a label as a number; "numbers" are those with more than two values: the paper
    leaves indicators as they are.
    """
    if name == "continuous":
        return continuous()
    table = data.features(name)
    if columns in ("all", "labelled"):
        return data.encoded(table)
    texts = data.texts(table)
    if columns == "texts":
        return table[texts]
    return table[[c for c in table if c not in texts and table[c].nunique() > 2]]


def continuous(rows: int = 10_000, seed: int = 0) -> pd.DataFrame:
    """Return columns of doubles without ties: two normal, two lognormal and two Cauchy."""
    rng = np.random.default_rng(seed)
    kinds = {"normal": rng.normal, "lognormal": rng.lognormal, "cauchy": rng.standard_cauchy}
    return pd.DataFrame({f"{k} {i}": draw(size=rows) for k, draw in kinds.items() for i in (1, 2)})


def labels_of(name: str) -> pd.Series:
    """Return the label of each row; of continuous columns, which have none, numbers."""
    if name == "continuous":
        return continuous(seed=1)["normal 1"].rename("label")
    return data.LOADERS[name]()[data.TARGETS[name]]
