"""ColumnTransformer across clients, and pooled."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from tests.twins import partitions, tables
from tests.twins.partitions import EVERY, FEW
from tests.twins.twin import check, cross, without

NUMBERS = ["age", "chol"]
WORDS = ["cp", "thal"]


def columns(*parts, **params):
    return make_column_transformer(*parts, **params)


def scale(*selections, **params):
    return columns(*[(StandardScaler(), selection) for selection in selections], **params)


def impute_scale():
    return make_pipeline(SimpleImputer(), StandardScaler())


def impute_encode():
    return make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder())


def typical(**params):
    return columns((impute_scale(), NUMBERS), (OneHotEncoder(), WORDS), **params)


def numeric(table):
    return [name for name in table.columns if name in {"age", "chol", "visits"}]


def first_two(table):
    return [0, 1]


def dense_words(**params):
    return (OneHotEncoder(sparse_output=False, **params), WORDS)


SELECTORS = {
    "names": (scale(NUMBERS), tables.people),
    "names-reversed": (scale(NUMBERS[::-1]), tables.people),
    "one-name": (scale(["age"]), tables.people),
    "tuple-of-names": (scale(tuple(NUMBERS)), tables.people),
    "name-array": (scale(np.array(NUMBERS)), tables.people),
    "ints": (scale([1, 0]), tables.people),
    "int-array": (scale(np.array([0, 2])), tables.people),
    "negative-ints": (scale([-1, -3]), tables.numbers),
    "negative-array": (scale([-1]), tables.array_holes),
    "slice": (scale(slice(0, 3)), tables.people),
    "slice-step": (scale(slice(0, None, 2)), tables.numbers),
    "slice-negative": (scale(slice(-2, None)), tables.array_holes),
    "slice-labels": (scale(slice("age", "visits")), tables.people),
    "slice-labels-open": (scale(slice(None, "chol")), tables.people),
    "mask": (scale([True, False, True, False]), tables.numbers),
    "mask-array": (scale(np.array([False, True, False, True])), tables.array_holes),
    "callable-names": (scale(numeric), tables.people),
    "callable-ints": (scale(first_two), tables.numbers),
    "selector-numbers": (scale(make_column_selector(dtype_include=np.number)), tables.people),
    "selector-pattern": (scale(make_column_selector("^[ac]h?[go]")), tables.people),
    "selector-both": (
        scale(make_column_selector("i", dtype_include=[np.float64, np.int64])),
        tables.people,
    ),
    "selector-exclude": (
        scale(make_column_selector(dtype_exclude=[object, "category", bool, "string"])),
        tables.people,
    ),
    "selector-categories": (
        columns((OneHotEncoder(), make_column_selector(dtype_include="category"))),
        tables.people,
    ),
    "selector-nothing": (scale(make_column_selector("^never$")), tables.people),
    "empty-list": (scale([], NUMBERS), tables.people),
    "empty-mask": (scale([False] * 4, ["height"]), tables.numbers),
    "all-empty": (scale([]), tables.people),
    "same-column-twice": (scale(NUMBERS, ["chol", "visits"]), tables.people),
    "unknown-name": (scale(["ages"]), tables.people),
    "unknown-int": (scale([9]), tables.people),
    "names-of-array": (scale(["a"]), tables.array_holes),
    "polars-names": (scale(NUMBERS), tables.polars_people),
    "polars-ints": (scale([0, 1]), tables.polars_people),
    "polars-slice": (scale(slice(0, 3)), tables.polars_people),
    "nullable": (scale(["Int"], remainder=MinMaxScaler()), tables.nullable_numbers),
}

REMAINDER = {
    "passthrough": (scale(["age"], remainder="passthrough"), tables.people),
    "passthrough-numbers": (scale(["income"], remainder="passthrough"), tables.numbers),
    "passthrough-ints": (scale([1], remainder="passthrough"), tables.array_holes),
    "passthrough-mask": (
        scale([True, False, False, False], remainder="passthrough"),
        tables.numbers,
    ),
    "remainder-scaler": (columns((MinMaxScaler(), ["age"]), remainder="drop"), tables.people),
    "remainder-estimator": (scale(["income"], remainder=MaxAbsScaler()), tables.numbers),
    "remainder-encoder": (scale(numeric, remainder=OneHotEncoder()), tables.people),
    "remainder-pipeline": (
        columns((MinMaxScaler(), [0]), remainder=impute_scale()),
        tables.array_holes,
    ),
    "remainder-nothing-left": (scale(slice(0, 4), remainder="passthrough"), tables.numbers),
    "passthrough-branch": (columns(("passthrough", ["age", "cp"])), tables.people),
    "drop-branch": (columns(("drop", WORDS), (StandardScaler(), NUMBERS)), tables.people),
    "only-drop": (columns(("drop", WORDS)), tables.people),
    "only-remainder": (ColumnTransformer([], remainder=StandardScaler()), tables.numbers),
    "polars-remainder": (scale(["age"], remainder="passthrough"), tables.polars_people),
}

OUTPUT = {
    "sparse-0": (typical(sparse_threshold=0), tables.people),
    "sparse-0.3": (typical(sparse_threshold=0.3), tables.people),
    "sparse-1": (typical(sparse_threshold=1), tables.people),
    "sparse-drop": (
        columns(
            (OneHotEncoder(drop="first"), WORDS),
            (StandardScaler(), NUMBERS),
            sparse_threshold=0.23,
        ),
        tables.people,
    ),
    "sparse-drop-0.5": (
        columns((OneHotEncoder(drop="if_binary"), WORDS), ("passthrough", ["age"])),
        tables.people,
    ),
    "sparse-only-encoder": (columns((OneHotEncoder(), WORDS)), tables.people),
    "sparse-passthrough": (
        columns((OneHotEncoder(), ["bit"]), remainder="passthrough", sparse_threshold=0.9),
        tables.int_categories,
    ),
    "sparse-input": (columns((MaxAbsScaler(), [0, 2])), tables.csr),
    "sparse-input-rest": (columns((MaxAbsScaler(), [0]), remainder="passthrough"), tables.csc),
    "plain-names": (typical(verbose_feature_names_out=False), tables.people),
    "names-clash": (scale(["age"], ["age"], verbose_feature_names_out=False), tables.people),
    "names-format": (
        typical(verbose_feature_names_out="{transformer_name}<{feature_name}"),
        tables.people,
    ),
    "weights": (
        ColumnTransformer(
            [("a", StandardScaler(), ["income"]), ("b", MinMaxScaler(), ["height"])],
            transformer_weights={"a": 10, "b": 0.5},
        ),
        tables.numbers,
    ),
    "n-jobs": (typical(n_jobs=1), tables.people),
    "pandas-out": (
        columns((impute_scale(), NUMBERS), dense_words()).set_output(transform="pandas"),
        tables.people,
    ),
    "polars-out": (
        columns((impute_scale(), NUMBERS), dense_words()).set_output(transform="polars"),
        tables.polars_people,
    ),
    "pandas-out-rest": (
        scale(["age"], remainder="passthrough").set_output(transform="pandas"),
        tables.people,
    ),
    "pandas-out-sparse": (typical().set_output(transform="pandas"), tables.people),
}

NESTED = {
    "typical": (typical(), tables.people),
    "typical-polars": (typical(), tables.polars_people),
    "impute-encode": (columns((impute_scale(), NUMBERS), (impute_encode(), WORDS)), tables.people),
    "infrequent": (
        columns(
            (impute_scale(), NUMBERS),
            (OneHotEncoder(min_frequency=9, handle_unknown="infrequent_if_exist"), WORDS),
            (OrdinalEncoder(max_categories=2), ["grade"]),
        ),
        tables.people,
    ),
    "columns-in-columns": (
        columns((columns((StandardScaler(), ["chol"]), remainder="passthrough"), numeric)),
        tables.people,
    ),
    "columns-in-columns-ints": (
        columns((columns((MinMaxScaler(), [-1]), ("passthrough", [0])), [0, 2])),
        tables.array_holes,
    ),
    "columns-in-pipeline": (
        make_pipeline(typical(sparse_threshold=0), StandardScaler()),
        tables.people,
    ),
    "columns-after-columns": (
        make_pipeline(
            columns((SimpleImputer(), NUMBERS), remainder="drop").set_output(transform="pandas"),
            columns((StandardScaler(), ["simpleimputer__age"]), remainder="passthrough"),
        ),
        tables.people,
    ),
    "union-branch": (
        columns((make_union(SimpleImputer(), MissingIndicator()), NUMBERS)),
        tables.people,
    ),
    "frozen-branch": (
        columns(
            (FrozenEstimator(SimpleImputer().fit(tables.people()[NUMBERS])), NUMBERS),
            (OneHotEncoder(), WORDS),
        ),
        tables.people,
    ),
    "five-branches": (
        columns(
            (StandardScaler(), ["age"]),
            (MinMaxScaler(), ["chol"]),
            (MaxAbsScaler(), ["visits"]),
            (OneHotEncoder(), WORDS),
            (OrdinalEncoder(), ["grade"]),
        ),
        tables.people,
    ),
    "function-branch": (
        columns((make_pipeline(FunctionTransformer(np.sqrt), StandardScaler()), ["visits"])),
        tables.people,
    ),
    "polynomial-branch": (
        columns((make_pipeline(SimpleImputer(), PolynomialFeatures(2), MinMaxScaler()), NUMBERS)),
        tables.people,
    ),
    "failing-branch": (
        columns((StandardScaler(), NUMBERS), (MinMaxScaler(), WORDS)),
        tables.people,
    ),
}

CORE = {"typical": NESTED["typical"], "remainder-encoder": REMAINDER["remainder-encoder"]}
POSITIONS = {
    name: setting
    for name, setting in (SELECTORS | REMAINDER).items()
    if name in {"ints", "int-array", "slice", "mask", "callable-ints", "slice-labels"}
}


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"),
    [
        *cross(CORE, *EVERY),
        *cross(
            without(SELECTORS | REMAINDER | OUTPUT | NESTED, CORE),
            partitions.empty_first,
            partitions.single_rows,
            partitions.shuffled_columns,
        ),
        *cross(POSITIONS, *FEW[2:4], partitions.missing_at_one),
    ],
)
def test_column_transformer(estimator, builder, partition):
    check(estimator, partition(builder()))
