"""Nine pipelines as people write them, on Adult, Bank, Covertype and the four hospitals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from benchmarks.data import LOADERS, TARGETS, heart_disease, split

Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Honest:
    """A pipeline, the tables of its clients, and the label if it is read."""

    name: str
    data: str
    make: Callable[[Sequence[str]], Any]  # from the names of the columns that are not left out
    target: str | None = None

    @cache  # noqa: B019 - of a few that live as long as the tests
    def tables(self) -> Tables:
        """Return each client's table."""
        if self.data == "hospitals":
            parts = heart_disease(download=False).groupby("hospital", sort=False)
            whole = {str(k): v.drop(columns="hospital").reset_index(drop=True) for k, v in parts}
        else:
            frame = LOADERS[self.data](download=False)
            whole = {f"site {i}": part for i, part in enumerate(split(frame, 3))}
        if self.target is not None:
            return whole
        return {k: v.drop(columns=TARGETS.get(self.data, "num")) for k, v in whole.items()}


def _mixed(numbers: Any, texts: Any) -> ColumnTransformer:
    return ColumnTransformer(
        [
            ("numbers", numbers, make_column_selector(dtype_include="number")),
            ("texts", texts, make_column_selector(dtype_exclude="number")),
        ]
    )


def scale_and_encode(columns: Sequence[str]) -> Any:
    """Impute, scale, one-hot encode, as in scikit-learn's guide to mixed types."""
    return _mixed(
        make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
        make_pipeline(
            SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
        ),
    )


def encode_all(columns: Sequence[str]) -> Any:
    """All categories, and an error for any other."""
    return _mixed(MinMaxScaler(), OneHotEncoder())


def encode_frequent(columns: Sequence[str]) -> Any:
    """One-hot with rare categories put together."""
    encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=20)
    return _mixed(RobustScaler(), encoder)


def encode_by_target(columns: Sequence[str]) -> Any:
    """Target encoding beside quantiles."""
    return _mixed(QuantileTransformer(n_quantiles=100, subsample=None), TargetEncoder())


def ordinal_and_power(columns: Sequence[str]) -> Any:
    """Codes for trees, power transforms for the numbers."""
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return _mixed(PowerTransformer(), encoder)


def bins_of_terrain(columns: Sequence[str]) -> Any:
    """Bins and scaled numbers of Covertype."""
    numbers = [
        *("Elevation", "Aspect", "Slope"),
        "Horizontal_Distance_To_Roadways",
        "Horizontal_Distance_To_Fire_Points",
    ]
    return ColumnTransformer(
        [
            ("bins", KBinsDiscretizer(n_bins=8, subsample=None), numbers[:3]),
            ("scale", StandardScaler(), numbers[3:]),
        ]
    )


def scale_terrain(columns: Sequence[str]) -> Any:
    """All 54 columns of Covertype, most of them indicators."""
    return make_pipeline(StandardScaler())


def impute_hospitals(columns: Sequence[str]) -> Any:
    """Impute measurements by regressions on each other, and scale."""
    measured = ["age", "trestbps", "chol", "thalach", "oldpeak"]
    steps = make_pipeline(IterativeImputer(max_iter=5, tol=1e-2), StandardScaler())
    return ColumnTransformer([("measured", steps, [c for c in measured if c in columns])])


def hospital_features(columns: Sequence[str]) -> Any:
    """Medians, indicators of missing cells, and products of two columns."""
    union = FeatureUnion(
        [
            ("cells", make_pipeline(SimpleImputer(strategy="median"), RobustScaler())),
            ("gaps", MissingIndicator(features="all")),
        ]
    )
    pairs = make_pipeline(SimpleImputer(), PolynomialFeatures(include_bias=False), StandardScaler())
    return ColumnTransformer(
        [
            ("all", union, ["age", "trestbps", "chol", "thalach", "oldpeak"]),
            ("pairs", pairs, ["age", "thalach"]),
        ]
    )


HONEST = [
    Honest("scale and encode", "adult", scale_and_encode),
    Honest("encode all", "bank", encode_all),
    Honest("encode frequent", "adult", encode_frequent),
    Honest("encode by target", "bank", encode_by_target, "y"),
    Honest("ordinal and power", "adult", ordinal_and_power),
    Honest("bins of terrain", "covertype", bins_of_terrain),
    Honest("scale terrain", "covertype", scale_terrain),
    Honest("impute hospitals", "hospitals", impute_hospitals),
    Honest("hospital features", "hospitals", hospital_features),
]
