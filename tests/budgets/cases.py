"""What the budgets are measured on: the paper's three data sets, and penguins made by arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    MultiLabelBinarizer,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)

import fedps
from benchmarks import data

# Upload per client in KB of 1000 bytes: 10 clients with 1000 rows each (the paper's Table 5).
LIMITS = {
    ("StandardScaler", "adult"): 0.40,
    ("StandardScaler", "bank"): 0.44,
    ("StandardScaler", "covertype"): 1.00,
    ("MinMaxScaler", "adult"): 0.28,
    ("MinMaxScaler", "bank"): 0.32,
    ("MinMaxScaler", "covertype"): 0.95,
    ("SimpleImputer mean", "adult"): 0.25,
    ("SimpleImputer mean", "bank"): 0.28,
    ("SimpleImputer mean", "covertype"): 0.60,
    ("OrdinalEncoder", "adult"): 0.90,
    ("OrdinalEncoder", "bank"): 0.50,
    ("OrdinalEncoder min_frequency=50", "adult"): 1.10,
    ("OrdinalEncoder min_frequency=50", "bank"): 0.60,
}
ON_NUMBERS = {
    "StandardScaler": StandardScaler(),
    "MinMaxScaler": MinMaxScaler(),
    "SimpleImputer mean": SimpleImputer(),
}
ON_TEXTS = {
    "OrdinalEncoder": OrdinalEncoder(),
    "OrdinalEncoder min_frequency=50": OrdinalEncoder(min_frequency=50),
}


@dataclass
class Cost:
    """Rounds, and the bytes per client: mean and most up, mean down."""

    rounds: int
    up: float
    most: int
    down: float


def cost(estimator: Any, clients: Any, **options: Any) -> Cost:
    """Fit across clients and return what it cost."""
    federation = fedps.Federation(clients, **options)
    federation.fit(estimator)
    up, down = federation.run.bytes_up.values(), federation.run.bytes_down.values()
    return Cost(
        federation.run.rounds,
        round(float(np.mean([*up])), 1),
        max(up),
        round(float(np.mean([*down])), 1),
    )


# The paper's basis ----------------------------------------------------------------------------


def budget(name: str, dataset: str, seed: int, form: str = "frame") -> Cost:
    """Return the cost of an estimator on 10 clients with 1000 rows each."""
    estimator = (ON_NUMBERS | ON_TEXTS)[name]
    table = _texts(dataset) if name in ON_TEXTS else _encoded(dataset)
    clients = data.split(table, 10, 1000, seed)
    return cost(estimator, [FORMS[form](client) for client in clients])


FORMS = {
    "frame": lambda frame: frame,
    "float frame": lambda frame: frame.astype(float),
    "object frame": lambda frame: frame.astype(object),
    "array": lambda frame: frame.to_numpy(),
}


@cache
def _encoded(dataset: str) -> pd.DataFrame:
    return data.encoded(data.features(dataset, download=False))


@cache
def _texts(dataset: str) -> pd.DataFrame:
    table = data.features(dataset, download=False)
    return table[data.texts(table)]


# Penguins ---------------------------------------------------------------------------------------

NUMBERS = ["bill_length", "bill_depth", "flipper", "mass"]
WORDS = ["species", "sex"]


def penguins() -> dict[str, pd.DataFrame]:
    """Return three islands' penguins, the same in every version of every library."""
    return {
        name: _island(rows, start)
        for name, rows, start in (("Biscoe", 168, 0), ("Dream", 124, 168), ("Torgersen", 52, 292))
    }


def _island(rows: int, start: int) -> pd.DataFrame:
    i = np.arange(start, start + rows)
    species = np.array(["Adelie", "Chinstrap", "Gentoo"], dtype=object)[(i // 40 + i % 2) % 3]
    sex = np.array(["female", "male", np.nan], dtype=object)[np.where(i % 31 == 0, 2, i % 2)]
    numbers = {
        "bill_length": 32.1 + i * 37 % 275 / 10,
        "bill_depth": 13.1 + i * 53 % 84 / 10,
        "flipper": 172.0 + i * 29 % 59,
        "mass": 2700.0 + i * 41 % 144 * 25,
    }
    gaps = {
        name: np.where((i + j) % 43 == 0, np.nan, x) for j, (name, x) in enumerate(numbers.items())
    }
    table = pd.DataFrame({"species": species, **gaps, "sex": sex, "year": 2007 + i % 3})
    return table.astype({"species": object, "sex": object})


def numbers_only() -> dict[str, pd.DataFrame]:
    """Return the penguins' measurements, without gaps."""
    return {name: island[NUMBERS].fillna(0.0) for name, island in penguins().items()}


def measured() -> dict[str, pd.DataFrame]:
    """Return the penguins' measurements, with gaps."""
    return {name: island[NUMBERS] for name, island in penguins().items()}


def described() -> dict[str, pd.DataFrame]:
    """Return the penguins' categories, with gaps."""
    return {name: island[WORDS] for name, island in penguins().items()}


def sets() -> dict[str, Any]:
    """Return the penguins' categories as a set of labels each, as targets."""
    rows = {name: island[WORDS].fillna("?") for name, island in penguins().items()}
    return {
        name: (None, list(island.itertuples(index=False, name=None)))
        for name, island in rows.items()
    }


def impute_scale() -> Any:
    return make_pipeline(SimpleImputer(), StandardScaler())


PENGUINS = {
    "MaxAbsScaler": (MaxAbsScaler(), measured),
    "MinMaxScaler": (MinMaxScaler(), measured),
    "StandardScaler": (StandardScaler(), measured),
    "StandardScaler neither": (StandardScaler(with_mean=False, with_std=False), measured),
    "Normalizer": (Normalizer(), numbers_only),
    "Binarizer": (Binarizer(), numbers_only),
    "PolynomialFeatures": (PolynomialFeatures(), numbers_only),
    "FunctionTransformer": (FunctionTransformer(np.log1p), numbers_only),
    "OneHotEncoder": (OneHotEncoder(), described),
    "OneHotEncoder drop": (OneHotEncoder(drop="first"), described),
    "OneHotEncoder given": (
        OneHotEncoder(categories=[["Adelie", "Gentoo"]], handle_unknown="ignore"),
        lambda: {name: island[["species"]] for name, island in penguins().items()},
    ),
    "OrdinalEncoder": (OrdinalEncoder(), described),
    "OrdinalEncoder frequent": (OrdinalEncoder(min_frequency=60, max_categories=3), described),
    "SimpleImputer mean": (SimpleImputer(), measured),
    "SimpleImputer indicator": (SimpleImputer(add_indicator=True), measured),
    "SimpleImputer most_frequent": (SimpleImputer(strategy="most_frequent"), described),
    "SimpleImputer constant": (SimpleImputer(strategy="constant"), described),
    "MissingIndicator": (MissingIndicator(), measured),
    "FrozenEstimator": (
        FrozenEstimator(StandardScaler().fit(pd.concat(measured()))),
        measured,
    ),
    "Pipeline": (impute_scale(), measured),
    "Pipeline of four": (
        make_pipeline(impute_scale(), Normalizer(), MinMaxScaler()),
        measured,
    ),
    "FeatureUnion": (make_union(StandardScaler(), MinMaxScaler(), SimpleImputer()), measured),
    "ColumnTransformer": (
        make_column_transformer((impute_scale(), NUMBERS), (OneHotEncoder(), WORDS)),
        penguins,
    ),
    "ColumnTransformer of five": (
        make_column_transformer(
            (impute_scale(), NUMBERS[:2]),
            (make_pipeline(SimpleImputer(), MinMaxScaler()), NUMBERS),
            (MaxAbsScaler(), NUMBERS[2:]),
            (OrdinalEncoder(), ["species"]),
            (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), WORDS),
            remainder="passthrough",
        ),
        penguins,
    ),
}
LABELS = {
    "LabelEncoder": (LabelEncoder(), penguins, "species"),
    "LabelBinarizer": (LabelBinarizer(), penguins, "species"),
    "MultiLabelBinarizer": (MultiLabelBinarizer(), sets, None),
}


def of_penguins(name: str) -> Cost:
    """Return the cost of an estimator on the penguins."""
    if name in LABELS:
        estimator, clients, target = LABELS[name]
        return cost(estimator, clients(), target=target)
    estimator, clients = PENGUINS[name]
    return cost(estimator, clients())
