"""What the budgets are measured on: the paper's three data sets, ten clients of 1000 rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

import fedps
from benchmarks import data
from fedps.draws.folds import TAKES_SPLITTERS
from tests.twins.quiet import quiet

DATA_SETS = ("adult", "bank", "covertype")


def bins(strategy: str, number: int = 5) -> Any:
    """Return a KBinsDiscretizer that bins alike in every version of scikit-learn."""
    method = {"quantile_method": "averaged_inverted_cdf"} if strategy == "quantile" else {}
    return KBinsDiscretizer(number, strategy=strategy, subsample=None, **method)


def target_encoder(seed: int = 0) -> Any:
    """Return a TargetEncoder with the same folds in every version of scikit-learn."""
    if TAKES_SPLITTERS:
        return TargetEncoder(cv=StratifiedKFold(5, shuffle=True, random_state=seed))
    return TargetEncoder(random_state=seed)


ON_NUMBERS = {
    "StandardScaler": StandardScaler(),
    "MinMaxScaler": MinMaxScaler(),
    "SimpleImputer mean": SimpleImputer(),
    "SimpleImputer median": SimpleImputer(strategy="median"),
    "SimpleImputer most_frequent": SimpleImputer(strategy="most_frequent"),
    "KBinsDiscretizer uniform": bins("uniform"),
    "KBinsDiscretizer quantile": bins("quantile"),
    "KBinsDiscretizer kmeans": bins("kmeans"),
    "PowerTransformer": PowerTransformer(),
}
ON_TEXTS = {
    "OrdinalEncoder": OrdinalEncoder(),
    "OrdinalEncoder min_frequency=50": OrdinalEncoder(min_frequency=50),
}
ON_LABELS = {"TargetEncoder fit_transform": target_encoder()}
# On all columns as numbers, with the label as a number beside them.
MODELS = {"BayesianRidge": BayesianRidge()}
# Those without a limit of their own; they need what KBinsDiscretizer needs.
ALIKE = {
    "RobustScaler": RobustScaler(),
    "QuantileTransformer": QuantileTransformer(subsample=None),
    "SplineTransformer quantile": SplineTransformer(knots="quantile"),
}

# Upload per client in KB of 1000 bytes, in the order of the data sets (the paper's Table 5).
_TABLES = (2.6, 2.1, 3.5)
_KILOBYTES = {
    "StandardScaler": (0.40, 0.44, 1.00),
    "MinMaxScaler": (0.28, 0.32, 0.95),
    "SimpleImputer mean": (0.25, 0.28, 0.60),
    "SimpleImputer median": _TABLES,
    "SimpleImputer most_frequent": _TABLES,
    "KBinsDiscretizer uniform": (0.28, 0.32, 0.95),
    "KBinsDiscretizer quantile": _TABLES,
    "KBinsDiscretizer kmeans": _TABLES,
    "PowerTransformer": _TABLES,
    "OrdinalEncoder": (0.90, 0.50),
    "OrdinalEncoder min_frequency=50": (1.10, 0.60),
    "TargetEncoder fit_transform": (1.6, 0.8),
    "BayesianRidge": (1.6, 1.9, 14.0),
}
LIMITS = {
    (name, dataset): limit
    for name, limits in _KILOBYTES.items()
    for dataset, limit in zip(DATA_SETS, limits, strict=False)  # Covertype has no texts
}
ROUNDS = {"TargetEncoder fit_transform": 2}  # all others: 1


@dataclass
class Cost:
    """Rounds, and the bytes per client: mean and most up, mean down."""

    rounds: int
    up: float
    most: int
    down: float


def cost(
    estimator: Any, clients: Any, *, call: str = "fit", how: Any = None, **options: Any
) -> Cost:
    """Fit across clients and return what it cost."""
    federation = fedps.Federation(clients, **options)
    with quiet():
        getattr(federation, call)(estimator, **(how or {}))
    return cost_of(federation)


def cost_of(federation: fedps.Federation) -> Cost:
    """Return what the last call of a federation cost."""
    up, down = federation.run.bytes_up.values(), federation.run.bytes_down.values()
    return Cost(
        federation.run.rounds,
        round(float(np.mean([*up])), 1),
        max(up),
        round(float(np.mean([*down])), 1),
    )


def budget(name: str, dataset: str, seed: int, form: str = "frame") -> Cost:
    """Return the cost of an estimator on 10 clients with 1000 rows each."""
    if name in ON_LABELS:
        return _labelled(name, dataset, seed, form)
    if name in MODELS:
        return _modelled(name, dataset, seed, form)
    estimator = (ON_NUMBERS | ON_TEXTS | ALIKE)[name]
    table = _texts(dataset) if name in ON_TEXTS else _encoded(dataset)
    clients = data.split(table, 10, 1000, seed)
    return cost(estimator, [FORMS[form](client) for client in clients])


def _labelled(name: str, dataset: str, seed: int, form: str) -> Cost:
    table = _texts(dataset).assign(label=_labels(dataset))
    parts = data.split(table, 10, 1000, seed)
    clients = [
        (FORMS[form](part.drop(columns="label")), part["label"].to_numpy()) for part in parts
    ]
    return cost(ON_LABELS[name], clients, call="fit_transform")


def _modelled(name: str, dataset: str, seed: int, form: str) -> Cost:
    labels = pd.factorize(_labels(dataset), sort=True)[0]
    parts = data.split(_encoded(dataset).assign(label=labels), 10, 1000, seed)
    clients = [
        (FORMS[form](part.drop(columns="label")), part["label"].to_numpy()) for part in parts
    ]
    return cost(MODELS[name], clients)


FORMS = {
    "frame": lambda frame: frame,
    "float frame": lambda frame: frame.astype(float),
    "object frame": lambda frame: frame.astype(object),
    "array": lambda frame: frame.to_numpy(),
}


@cache
def _table(dataset: str) -> pd.DataFrame:
    return data.LOADERS[dataset](download=False)


def _features(dataset: str) -> pd.DataFrame:
    return _table(dataset).drop(columns=data.TARGETS[dataset])


@cache
def _encoded(dataset: str) -> pd.DataFrame:
    return data.encoded(_features(dataset))


@cache
def _texts(dataset: str) -> pd.DataFrame:
    table = _features(dataset)
    return table[data.texts(table)]


def _labels(dataset: str) -> pd.Series:
    return _table(dataset)[data.TARGETS[dataset]]


def numbers(dataset: str, rows: int, seed: int = 0) -> list[pd.DataFrame]:
    """Return ten clients' columns of numbers with more than two values."""
    table = _features(dataset)
    texts = data.texts(table)
    kept = [name for name in table if name not in texts and table[name].nunique() > 2]
    return data.split(table[kept], 10, rows, seed)
