"""Rounds are the dearest thing, and deterministic: golden numbers."""

import numpy as np
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
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
    StandardScaler,
)

import fedps
from tests.twins import partitions, tables

NUMBERS = ["age", "chol"]
WORDS = ["cp", "thal"]


def rounds(estimator, clients, **options):
    federation = fedps.Federation(clients, **options)
    federation.fit(estimator)
    return federation.run.rounds


def impute_scale():
    return make_pipeline(SimpleImputer(), StandardScaler())


ONE_ROUND = {
    "standard": (StandardScaler(), tables.numbers),
    "minmax": (MinMaxScaler(), tables.numbers),
    "maxabs": (MaxAbsScaler(), tables.numbers),
    "mean": (SimpleImputer(), tables.numbers),
    "mean-indicator": (SimpleImputer(add_indicator=True), tables.numbers),
    "most-frequent": (SimpleImputer(strategy="most_frequent"), tables.strings_nan),
    "indicator": (MissingIndicator(), tables.numbers),
    "one-hot": (OneHotEncoder(), tables.strings_nan),
    "one-hot-frequent": (OneHotEncoder(min_frequency=5, max_categories=4), tables.strings),
    "ordinal": (OrdinalEncoder(), tables.mixed_categories),
    "normalize-scale": (make_pipeline(Normalizer(), StandardScaler()), tables.plain_numbers),
    "function-scale": (
        make_pipeline(FunctionTransformer(np.cbrt), StandardScaler()),
        tables.plain_numbers,
    ),
    "binarize-passthrough-scale": (
        make_pipeline(Binarizer(), "passthrough", StandardScaler()),
        tables.plain_numbers,
    ),
    "union": (make_union(StandardScaler(), MinMaxScaler(), SimpleImputer()), tables.numbers),
    "five-branches": (
        make_column_transformer(
            (StandardScaler(), ["age"]),
            (MinMaxScaler(), ["chol"]),
            (MaxAbsScaler(), ["visits"]),
            (OneHotEncoder(), WORDS),
            (OrdinalEncoder(), ["grade"]),
        ),
        tables.people,
    ),
    "branches-of-one-column": (
        make_column_transformer((StandardScaler(), NUMBERS), (SimpleImputer(), NUMBERS)),
        tables.people,
    ),
    "frozen-then-scale": (
        make_pipeline(FrozenEstimator(SimpleImputer().fit(tables.numbers())), StandardScaler()),
        tables.numbers,
    ),
}


@pytest.mark.parametrize("choice", ONE_ROUND)
def test_one_round(choice):
    estimator, builder = ONE_ROUND[choice]
    assert rounds(estimator, partitions.ten_unequal(builder())) == 1


@pytest.mark.parametrize("estimator", [LabelEncoder(), LabelBinarizer()], ids=repr)
def test_labels_take_one_round(estimator):
    assert rounds(estimator, partitions.thirds(tables.people()), target="cp") == 1


def test_sets_of_labels_take_one_round():
    clients = [(None, [("a", "b"), ("c",)]), (None, [("b",)])]
    assert rounds(MultiLabelBinarizer(), clients) == 1


SELECTIONS = {
    "names": (NUMBERS, WORDS),
    "ints": ([0, 1], [3, 4]),
    "selectors": (
        make_column_selector(dtype_include=float),
        make_column_selector("^cp$|^thal$"),
    ),
}


@pytest.mark.parametrize("selection", SELECTIONS)
def test_impute_scale_encode_takes_two_rounds(selection):
    numbers, words = SELECTIONS[selection]
    estimator = make_column_transformer((impute_scale(), numbers), (OneHotEncoder(), words))
    assert rounds(estimator, partitions.thirds(tables.people())) == 2


def test_names_in_another_order_at_one_client_cost_nothing():
    estimator = make_column_transformer((impute_scale(), NUMBERS), (OneHotEncoder(), WORDS))
    assert rounds(estimator, partitions.shuffled_columns(tables.people())) == 2


@pytest.mark.parametrize("length", [2, 3, 4])
def test_a_chain_takes_a_round_per_fitted_step(length):
    steps = [SimpleImputer(), StandardScaler(), MinMaxScaler(), MaxAbsScaler()]
    assert rounds(make_pipeline(*steps[:length]), partitions.thirds(tables.numbers())) == length


def test_a_nested_chain_takes_a_round_per_fitted_step():
    chain = make_pipeline(
        make_column_transformer(
            (make_pipeline(impute_scale(), Normalizer(), MinMaxScaler()), NUMBERS),
            (impute_scale(), ["visits"]),
            (OneHotEncoder(sparse_output=False), ["cp"]),
        ),
        StandardScaler(),
    )
    assert rounds(chain, partitions.thirds(tables.people())) == 4


def test_what_is_frozen_takes_at_most_the_first_round():
    frozen = FrozenEstimator(StandardScaler().fit(tables.numbers()))
    assert rounds(frozen, partitions.thirds(tables.numbers())) <= 1


@pytest.mark.parametrize("estimator", [Normalizer(), FunctionTransformer(np.cbrt)], ids=repr)
def test_what_needs_no_statistics_takes_at_most_the_first_round(estimator):
    assert rounds(estimator, partitions.thirds(tables.plain_numbers())) <= 1
