"""The rows of the paper's Tables 5 and 6: estimators, their columns, and the figures printed there."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.model_selection import StratifiedKFold
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
TITLES = {
    "adult": "Adult",
    "bank": "Bank",
    "covertype": "Covertype",
    "continuous": "six continuous columns",
}
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


class Row(NamedTuple):
    """An estimator, which columns it is for, and the paper's figures for the three data sets."""

    estimator: Any
    columns: str
    paper: tuple[float, float, float] | None = None
    spread: tuple[float, float, float] | None = None


def bins(strategy: str) -> KBinsDiscretizer:
    """Return a KBinsDiscretizer that looks at all rows."""
    method = {"quantile_method": "averaged_inverted_cdf"} if strategy == "quantile" else {}
    return KBinsDiscretizer(strategy=strategy, encode="ordinal", subsample=None, **method)


def quantiles(distribution: str) -> QuantileTransformer:
    """Return a QuantileTransformer that looks at all rows."""
    return QuantileTransformer(output_distribution=distribution, subsample=None)


# Kilobytes of 1000 bytes that a client with 1000 rows sends. TargetEncoder is fitted and applied.
COMMUNICATION = {
    "StandardScaler": Row(StandardScaler(), "all", (0.57, 0.61, 1.21)),
    "OrdinalEncoder": Row(OrdinalEncoder(), "texts", (1.51, 0.69, 0)),
    "OrdinalEncoder (infrequent)": Row(OrdinalEncoder(min_frequency=50), "texts", (1.91, 0.84, 0)),
    "TargetEncoder": Row(TargetEncoder(cv=FOLDS), "texts", (24.89, 16.39, 0)),
    "PowerTransformer": Row(PowerTransformer(), "all", (73.46, 75.18, 360.18)),
    "KBinsDiscretizer (uniform)": Row(bins("uniform"), "all", (0.48, 0.51, 1.11)),
    "KBinsDiscretizer (quantile)": Row(bins("quantile"), "all", (18.88, 21.53, 55.05)),
    "KBinsDiscretizer (kmeans)": Row(bins("kmeans"), "all", (61.00, 96.40, 193.36)),
    "SimpleImputer (mean)": Row(SimpleImputer(), "all", (0.46, 0.48, 0.82)),
    "SimpleImputer (median)": Row(SimpleImputer(strategy="median"), "all", (18.40, 21.02, 70.83)),
    "SimpleImputer (most frequent)": Row(
        SimpleImputer(strategy="most_frequent"), "all", (22.29, 20.01, 55.88)
    ),
    "BayesianRidge": Row(BayesianRidge(), "labelled", (3.19, 3.69, 25.21)),
}

_NONE = (0.0, 0.0, 0.0)
# Mean squared error between the rows transformed by the federated and by the pooled fit, and the
# standard deviation over the paper's runs.
CONSISTENCY = {
    "MaxAbsScaler": Row(MaxAbsScaler(), "numbers", _NONE),
    "MinMaxScaler": Row(MinMaxScaler(), "numbers", _NONE),
    "StandardScaler": Row(StandardScaler(), "numbers", _NONE),
    "RobustScaler": Row(
        RobustScaler(), "numbers", (0.0095, 0.0009, 0.0014), (0.0183, 0.0008, 0.0006)
    ),
    "Normalizer": Row(Normalizer(), "numbers", _NONE),
    "OneHotEncoder": Row(OneHotEncoder(), "texts", _NONE),
    "OrdinalEncoder": Row(OrdinalEncoder(), "texts", _NONE),
    "TargetEncoder": Row(
        TargetEncoder(cv=FOLDS), "texts", (9.808e-5, 2.470e-5, 0), (5.431e-6, 2.331e-6, 0)
    ),
    "KBinsDiscretizer (uniform)": Row(bins("uniform"), "numbers", _NONE),
    "KBinsDiscretizer (quantile)": Row(
        bins("quantile"), "numbers", (0.0238, 0.0652, 0.0743), (0.0132, 0.0413, 0.0328)
    ),
    "KBinsDiscretizer (kmeans)": Row(bins("kmeans"), "numbers", _NONE),
    "PowerTransformer": Row(PowerTransformer(), "numbers", _NONE),
    "QuantileTransformer (uniform)": Row(
        quantiles("uniform"),
        "numbers",
        (1.033e-5, 1.582e-5, 3.131e-5),
        (1.769e-6, 1.982e-6, 4.906e-6),
    ),
    "QuantileTransformer (normal)": Row(
        quantiles("normal"), "numbers", (0.0299, 0.0638, 0.0742), (0.0166, 0.0164, 0.0135)
    ),
    "SplineTransformer (uniform)": Row(SplineTransformer(), "numbers", _NONE),
    "SplineTransformer (quantile)": Row(
        SplineTransformer(knots="quantile"),
        "numbers",
        (0.0406, 0.2936, 0.1103),
        (0.0173, 0.0567, 0.0084),
    ),
}


@lru_cache(maxsize=4)
def table_of(name: str, columns: str) -> pd.DataFrame:
    """Return the columns of a data set that an estimator is for. Not to be changed.

    "all" has the texts as whole numbers, which is what the paper's byte counts are of, and so has
    "labelled", with a label as a number; "numbers" are those with more than two values: the paper
    leaves indicators as they are.
    """
    if name == "continuous":
        return data.continuous()
    table = _whole(name).drop(columns=data.TARGETS[name])
    if columns in ("all", "labelled"):
        return data.encoded(table)
    texts = data.texts(table)
    if columns == "texts":
        return table[texts]
    return table[[c for c in table if c not in texts and table[c].nunique() > 2]]


def labels_of(name: str) -> pd.Series:
    """Return the label of each row; of continuous columns, which have none, numbers."""
    if name == "continuous":
        return data.continuous(seed=1)["normal 1"].rename("label")
    return _whole(name)[data.TARGETS[name]]


@lru_cache(maxsize=1)
def _whole(name: str) -> pd.DataFrame:
    return data.LOADERS[name]()
