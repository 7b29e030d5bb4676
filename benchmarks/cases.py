"""Which estimators are fitted on which tables."""

from __future__ import annotations

from typing import Any

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    KBinsDiscretizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
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

TAKE_GAPS: dict[str, Any] = {
    "MaxAbsScaler": MaxAbsScaler(),
    "MinMaxScaler": MinMaxScaler(),
    "StandardScaler": StandardScaler(),
    "SimpleImputer mean": SimpleImputer(),
    "SimpleImputer most_frequent": SimpleImputer(strategy="most_frequent"),
    "SimpleImputer constant": SimpleImputer(strategy="constant"),
    "MissingIndicator": MissingIndicator(),
}
TAKE_NUMBERS: dict[str, Any] = TAKE_GAPS | {
    "Normalizer": Normalizer(),
    "Binarizer": Binarizer(),
    "PolynomialFeatures 1": PolynomialFeatures(1),
    "PolynomialFeatures 2": PolynomialFeatures(2),
}
SHAPES: dict[str, Any] = {
    "SimpleImputer median": SimpleImputer(strategy="median"),
    "RobustScaler": RobustScaler(),
    "QuantileTransformer": QuantileTransformer(subsample=None),
    "KBinsDiscretizer uniform": KBinsDiscretizer(strategy="uniform", subsample=None),
    "KBinsDiscretizer quantile": KBinsDiscretizer(
        strategy="quantile", quantile_method="averaged_inverted_cdf", subsample=None
    ),
    "KBinsDiscretizer kmeans": KBinsDiscretizer(strategy="kmeans", subsample=None),
    "SplineTransformer quantile": SplineTransformer(knots="quantile"),
    "PowerTransformer": PowerTransformer(),
}
ENCODE: dict[str, Any] = {
    "OneHotEncoder": OneHotEncoder(),
    "OrdinalEncoder": OrdinalEncoder(),
    "OrdinalEncoder min_frequency": OrdinalEncoder(min_frequency=50),
}
TAKE_TEXTS: dict[str, Any] = ENCODE | {
    "SimpleImputer most_frequent": SimpleImputer(missing_values="?", strategy="most_frequent"),
    "SimpleImputer constant": SimpleImputer(missing_values="?", strategy="constant"),
    "MissingIndicator": MissingIndicator(missing_values="?"),
}
TAKE_PEOPLE: dict[str, Any] = {
    "ColumnTransformer impute-scale, encode": make_column_transformer(
        (
            make_pipeline(SimpleImputer(), StandardScaler()),
            make_column_selector(dtype_include="number"),
        ),
        (OneHotEncoder(), make_column_selector(dtype_exclude="number")),
    ),
}

CASES: dict[str, dict[str, Any]] = {
    "numbers, frame": TAKE_NUMBERS | SHAPES,
    "numbers, array": TAKE_NUMBERS | SHAPES,
    "continuous, frame": SHAPES,
    "continuous, array": SHAPES,
    "numbers 5% NaN, frame": TAKE_GAPS,
    "numbers 5% NaN, array": TAKE_GAPS,
    "44 binary, float frame": ENCODE,
    "44 binary, int frame": ENCODE,
    "44 binary, array": ENCODE,
    "8 texts, str frame": TAKE_TEXTS,
    "8 texts, object frame": TAKE_TEXTS,
    "8 texts, object array": TAKE_TEXTS,
    "label, str": {"LabelEncoder": LabelEncoder()},
    "label, object": {"LabelEncoder": LabelEncoder()},
    "label, int": {"LabelEncoder": LabelEncoder()},
    "people 5% NaN, str frame": TAKE_PEOPLE,
    "people 5% NaN, object frame": TAKE_PEOPLE,
}
