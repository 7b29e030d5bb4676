"""Pipeline, FeatureUnion and FrozenEstimator across clients, and pooled."""

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)

import fedps
from tests.twins import partitions, tables
from tests.twins.compare import FLOAT32
from tests.twins.partitions import EVERY
from tests.twins.twin import check, cross, without


def frozen(estimator, builder):
    return FrozenEstimator(estimator.fit(builder()))


MOST = SimpleImputer(strategy="most_frequent")

PIPELINES = {
    "impute-scale": (make_pipeline(SimpleImputer(), StandardScaler()), tables.numbers),
    "impute-minmax": (make_pipeline(SimpleImputer(), MinMaxScaler()), tables.numbers),
    "impute-scale-polars": (
        make_pipeline(SimpleImputer(), StandardScaler()),
        tables.polars_numbers,
    ),
    "impute-scale-array": (make_pipeline(SimpleImputer(), StandardScaler()), tables.array_holes),
    "impute-scale-nullable": (
        make_pipeline(SimpleImputer(), StandardScaler()),
        tables.nullable_numbers,
    ),
    "scale-impute": (make_pipeline(StandardScaler(), SimpleImputer()), tables.numbers),
    "scale-scale": (make_pipeline(StandardScaler(), StandardScaler()), tables.plain_numbers),
    "scale-minmax": (make_pipeline(StandardScaler(), MinMaxScaler((-1, 1))), tables.numbers),
    "minmax-standard": (make_pipeline(MinMaxScaler(), StandardScaler()), tables.numbers),
    "minmax-encode": (make_pipeline(MinMaxScaler(), OneHotEncoder()), tables.int_categories),
    "impute-encode": (make_pipeline(MOST, OneHotEncoder(drop="first")), tables.strings_nan),
    "impute-ordinal": (make_pipeline(MOST, OrdinalEncoder(min_frequency=6)), tables.strings_nan),
    "ordinal-scale": (make_pipeline(OrdinalEncoder(), StandardScaler()), tables.strings),
    "ordinal-impute": (
        make_pipeline(OrdinalEncoder(), SimpleImputer(strategy="most_frequent")),
        tables.strings_nan,
    ),
    "ordinal-one-hot": (make_pipeline(OrdinalEncoder(), OneHotEncoder()), tables.strings_nan),
    "one-hot-scale": (
        make_pipeline(OneHotEncoder(), StandardScaler(with_mean=False)),
        tables.strings,
    ),
    "one-hot-max-abs": (make_pipeline(OneHotEncoder(), MaxAbsScaler()), tables.strings_nan),
    "normalize-scale": (make_pipeline(Normalizer(), StandardScaler()), tables.plain_numbers),
    "polynomial-scale": (
        make_pipeline(PolynomialFeatures(2, include_bias=False), StandardScaler()),
        tables.plain_numbers,
    ),
    "polynomial-minmax": (make_pipeline(PolynomialFeatures(3), MinMaxScaler()), tables.ints),
    "function-scale": (
        make_pipeline(FunctionTransformer(np.cbrt), StandardScaler()),
        tables.plain_numbers,
    ),
    "function-names-scale": (
        make_pipeline(
            FunctionTransformer(np.cbrt, feature_names_out="one-to-one"), StandardScaler()
        ),
        tables.plain_numbers,
    ),
    "binarize-encode": (make_pipeline(Binarizer(), OneHotEncoder()), tables.plain_numbers),
    "indicate-encode": (make_pipeline(MissingIndicator(), OrdinalEncoder()), tables.numbers),
    "indicator-scale": (
        make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()),
        tables.ints_and_floats,
    ),
    "empty-column-scale": (make_pipeline(SimpleImputer(), StandardScaler()), tables.empty_column),
    "six-steps": (
        make_pipeline(
            SimpleImputer(),
            MinMaxScaler(),
            PolynomialFeatures(2),
            StandardScaler(),
            FunctionTransformer(np.tanh),
            MaxAbsScaler(),
        ),
        tables.numbers,
    ),
    "passthrough": (
        make_pipeline(SimpleImputer(), "passthrough", StandardScaler()),
        tables.numbers,
    ),
    "passthrough-last": (make_pipeline(StandardScaler(), "passthrough"), tables.numbers),
    "only-passthrough": (make_pipeline("passthrough"), tables.numbers),
    "none-step": (Pipeline([("a", None), ("b", MinMaxScaler())]), tables.numbers),
    "one-step": (make_pipeline(StandardScaler()), tables.numbers),
    "nested": (
        make_pipeline(make_pipeline(SimpleImputer(), MinMaxScaler()), StandardScaler()),
        tables.numbers,
    ),
    "verbose": (make_pipeline(SimpleImputer(), StandardScaler(), verbose=True), tables.numbers),
    "pandas-out": (
        make_pipeline(SimpleImputer(), StandardScaler()).set_output(transform="pandas"),
        tables.numbers,
    ),
    "polars-out": (
        make_pipeline(SimpleImputer(), StandardScaler()).set_output(transform="polars"),
        tables.polars_numbers,
    ),
    "pandas-between": (
        make_pipeline(
            SimpleImputer().set_output(transform="pandas"),
            make_column_transformer((StandardScaler(), ["height"]), remainder="passthrough"),
        ),
        tables.numbers,
    ),
    "failing-first": (make_pipeline(StandardScaler(), OneHotEncoder()), tables.strings),
}

UNIONS = {
    "union": (make_union(StandardScaler(), MinMaxScaler()), tables.numbers),
    "union-weights": (
        FeatureUnion(
            [("a", StandardScaler()), ("b", MaxAbsScaler())],
            transformer_weights={"a": 2, "b": 0.1},
        ),
        tables.numbers,
    ),
    "union-drop": (FeatureUnion([("a", "drop"), ("b", MaxAbsScaler())]), tables.numbers),
    "union-passthrough": (
        FeatureUnion([("a", "passthrough"), ("b", MaxAbsScaler())]),
        tables.numbers,
    ),
    "union-plain-names": (
        FeatureUnion([("a", MissingIndicator())], verbose_feature_names_out=False),
        tables.numbers,
    ),
    "union-pipelines": (
        make_union(
            make_pipeline(SimpleImputer(), StandardScaler()), make_pipeline(MinMaxScaler(), MOST)
        ),
        tables.numbers,
    ),
    "union-encoders": (make_union(OneHotEncoder(), OrdinalEncoder()), tables.strings),
    "union-nested": (make_union(make_union(MinMaxScaler(), MaxAbsScaler())), tables.polars_numbers),
    "union-in-pipeline": (
        make_pipeline(make_union(SimpleImputer(), MissingIndicator()), StandardScaler()),
        tables.numbers,
    ),
    "union-array": (make_union(StandardScaler(), SimpleImputer()), tables.array_holes),
    "union-all-dropped": (FeatureUnion([("a", "drop")]), tables.numbers),
    "union-pandas-out": (
        make_union(StandardScaler(), MinMaxScaler()).set_output(transform="pandas"),
        tables.numbers,
    ),
}

FROZEN = {
    "frozen-scaler": (frozen(StandardScaler(), tables.plain_numbers), tables.numbers),
    "frozen-encoder": (
        frozen(OneHotEncoder(handle_unknown="ignore"), tables.strings_none),
        tables.strings,
    ),
    "frozen-then-scale": (
        make_pipeline(frozen(SimpleImputer(), tables.numbers), StandardScaler()),
        tables.numbers,
    ),
    "frozen-then-minmax": (
        make_pipeline(frozen(StandardScaler(), tables.plain_numbers), MinMaxScaler()),
        tables.numbers,
    ),
    "frozen-encoder-scale": (
        make_pipeline(frozen(OrdinalEncoder(), tables.strings), StandardScaler()),
        tables.strings,
    ),
    "frozen-last": (
        make_pipeline(SimpleImputer(), frozen(MinMaxScaler(), tables.array_floats)),
        tables.array_holes,
    ),
    "frozen-pipeline": (
        make_pipeline(
            frozen(make_pipeline(SimpleImputer(), MinMaxScaler()), tables.numbers),
            StandardScaler(),
        ),
        tables.numbers,
    ),
    "frozen-union": (
        make_union(frozen(MinMaxScaler(), tables.numbers), StandardScaler()),
        tables.numbers,
    ),
    "frozen-unfitted": (FrozenEstimator(StandardScaler()), tables.numbers),
    "frozen-other-columns": (
        make_pipeline(frozen(StandardScaler(), tables.float32), MinMaxScaler()),
        tables.numbers,
    ),
    "fitted-is-fitted-again": (StandardScaler().fit(tables.float32()), tables.numbers),
}

CORE = {
    name: (PIPELINES | UNIONS)[name]
    for name in ("impute-scale", "indicator-scale", "impute-encode", "union-in-pipeline")
}


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"),
    [
        *cross(CORE, *EVERY),
        *cross(
            without(PIPELINES | UNIONS | FROZEN, CORE),
            partitions.empty_first,
            partitions.sorted_rows,
            partitions.shuffled_columns,
        ),
    ],
)
def test_chains(estimator, builder, partition):
    check(estimator, partition(builder()))


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(SimpleImputer(), StandardScaler()),
        make_pipeline(StandardScaler(), MinMaxScaler()),
        make_union(StandardScaler(), SimpleImputer()),
    ],
    ids=["impute-scale", "scale-minmax", "union"],
)
@pytest.mark.parametrize("builder", [tables.float32_holes, tables.array_float32_holes])
def test_chains_of_float32(builder, estimator):
    check(estimator, partitions.thirds(builder()), rtol=FLOAT32)


def test_a_last_step_that_learns_nothing_is_checked_when_it_transforms():
    """scikit-learn refuses NaN in ``fit`` here; asking the clients would cost a round."""
    federation = fedps.Federation(partitions.thirds(tables.strings_nan()))
    fitted = federation.fit(make_pipeline(OrdinalEncoder(), Normalizer()))
    with pytest.raises(fedps.ClientError, match="transform"):
        federation.transform(fitted)
