"""What golden numbers are of: penguins made by arithmetic, the same in every version."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
from sklearn.neighbors import KNeighborsRegressor
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
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)

import fedps
from tests.budgets.cases import Cost, bins, cost, cost_of, target_encoder

NUMBERS = ["bill_length", "bill_depth", "flipper", "mass"]
WORDS = ["species", "sex"]
SIZES = [[38.0, 18.0, 190.0, 3500.0], [48.0, 15.0, 217.0, 5000.0], [50.0, 20.0, 200.0, 4200.0]]


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
    "IterativeImputer": (IterativeImputer(), measured),
    "IterativeImputer bounds": (IterativeImputer(min_value=0, max_iter=3), measured),
    "RobustScaler": (RobustScaler(), measured),
    "QuantileTransformer": (QuantileTransformer(n_quantiles=20, subsample=None), measured),
    "QuantileTransformer draws": (
        QuantileTransformer(n_quantiles=20, subsample=100, random_state=0),
        measured,
    ),
    "KBinsDiscretizer uniform": (bins("uniform", 4), numbers_only),
    "KBinsDiscretizer quantile": (bins("quantile", 4), numbers_only),
    "KBinsDiscretizer kmeans": (bins("kmeans", 4), numbers_only),
    "KMeans given": (KMeans(3, init=SIZES, max_iter=5, tol=0), numbers_only),
    "KMeans random": (KMeans(3, init="random", n_init=2, random_state=0), numbers_only),
    "KMeans k-means++": (KMeans(3, random_state=0), numbers_only),
    "SplineTransformer uniform": (SplineTransformer(), numbers_only),
    "SplineTransformer quantile": (SplineTransformer(knots="quantile"), numbers_only),
    "SimpleImputer median": (SimpleImputer(strategy="median"), measured),
    "PowerTransformer": (PowerTransformer(), measured),
    "PowerTransformer box-cox": (PowerTransformer("box-cox"), measured),
    "Pipeline of quantiles": (
        make_pipeline(SimpleImputer(strategy="median"), RobustScaler(), PowerTransformer()),
        measured,
    ),
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
SKETCHES = {
    "RobustScaler KLL": (RobustScaler(), measured, {"quantiles": fedps.KLL(k=8, seed=0)}),
    "RobustScaler REQ": (RobustScaler(), measured, {"quantiles": fedps.REQ(k=4, seed=0)}),
    "OneHotEncoder FrequentItems": (
        OneHotEncoder(min_frequency=60, handle_unknown="infrequent_if_exist"),
        described,
        {"frequent": fedps.FrequentItems(k=2)},
    ),
}
LABELS = {
    "LabelEncoder": (LabelEncoder(), penguins, "species"),
    "LabelBinarizer": (LabelBinarizer(), penguins, "species"),
    "MultiLabelBinarizer": (MultiLabelBinarizer(), sets, None),
}


ENCODERS = {
    "TargetEncoder": (target_encoder(), "fit"),
    "TargetEncoder fit_transform": (target_encoder(), "fit_transform"),
}
# fit, then what comes after it: the rows filled in, or 20 rows predicted
NEIGHBOURS = {
    "KNNImputer": (KNNImputer(), measured, "fit"),
    "KNNImputer fit_transform": (KNNImputer(), measured, "fit_transform"),
    "KNeighborsRegressor": (KNeighborsRegressor(), numbers_only, "fit"),
    "KNeighborsRegressor predict": (KNeighborsRegressor(), numbers_only, "predict"),
}
NAMES = (*NEIGHBOURS, *PENGUINS, *SKETCHES, *LABELS, *ENCODERS)


def encoded() -> dict[str, pd.DataFrame]:
    """Return the penguins' categories, with one of them to be the target."""
    return {name: island[["sex", "species"]] for name, island in penguins().items()}


def of_penguins(name: str) -> Cost:
    """Return the cost of an estimator on the penguins."""
    if name in ENCODERS:
        estimator, call = ENCODERS[name]
        return cost(estimator, encoded(), call=call, target="species")
    if name in NEIGHBOURS:
        estimator, clients, call = NEIGHBOURS[name]
        target = "mass" if isinstance(estimator, KNeighborsRegressor) else None
        if call == "predict":
            return _of_prediction(estimator, clients(), target)
        return cost(estimator, clients(), call=call, target=target)
    if name in SKETCHES:
        estimator, clients, how = SKETCHES[name]
        return cost(estimator, clients(), how=how)
    if name in LABELS:
        estimator, clients, target = LABELS[name]
        return cost(estimator, clients(), target=target)
    estimator, clients = PENGUINS[name]
    return cost(estimator, clients())


def _of_prediction(estimator: Any, clients: dict[str, pd.DataFrame], target: str | None) -> Cost:
    """Return what it costs to predict 20 rows, beside the fit."""
    federation = fedps.Federation(clients, target=target)
    rows = clients["Dream"].drop(columns=target)[:20] + 0.25
    federation.predict(federation.fit(estimator), rows)
    return cost_of(federation)
