"""Functions of rows, tried on made-up tables: what works row by row is told from what does not."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

import fedps
from fedps.errors import NotFederated
from fedps.trials import must_be_tried, try_functions, try_weights
from tests.parts.trials.functions_of_rows import ARRAY, BAD, CODES, GOOD, NUMBERS, PEOPLE


@pytest.mark.parametrize("name", GOOD)
def test_row_by_row(name):
    function, row = GOOD[name]
    try_functions(FunctionTransformer(function), row)


@pytest.mark.parametrize("name", BAD)
def test_not_row_by_row(name):
    function, row = BAD[name]
    with pytest.raises(NotFederated, match="does not work row by row"):
        try_functions(FunctionTransformer(function), row)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("X - X.mean()", "where some rows are taken away"),
        ("random", "different output for the same rows each time"),
        ("counts its calls", "different output for the same rows each time"),
        ("get_dummies", "which columns it returns depends on the cells"),
    ],
)
def test_the_reason(name, reason):
    function, row = BAD[name]
    with pytest.raises(NotFederated, match=reason):
        try_functions(FunctionTransformer(function), row)


def test_what_needs_no_trial():
    assert not must_be_tried(FunctionTransformer())
    assert not must_be_tried(make_pipeline(FunctionTransformer(np.log1p), StandardScaler()))
    assert must_be_tried(FunctionTransformer(np.add, kw_args={"where": np.ones(3, bool)}))
    assert must_be_tried(FrozenEstimator(FunctionTransformer(lambda X: X)))


def centred(X):
    return X - np.asarray(X).mean(axis=0)


def doubled(X):
    return X * 2


PLACES = {
    "after a scaler": (lambda f: make_pipeline(StandardScaler(), f), NUMBERS),
    "after an imputer": (lambda f: make_pipeline(SimpleImputer(), f, StandardScaler()), ARRAY),
    "of a branch": (lambda f: make_column_transformer((f, ["age"])), PEOPLE),
    "of the rest": (
        lambda f: make_column_transformer(("drop", ["city", "seen"]), remainder=f),
        PEOPLE,
    ),
    "of chosen columns": (
        lambda f: make_column_transformer((f, lambda table: ["age", "visits"])),
        PEOPLE,
    ),
    "of a union": (lambda f: make_union(StandardScaler(), f), ARRAY),
    "frozen": (FrozenEstimator, ARRAY),
    "after categories": (
        lambda f: make_pipeline(OneHotEncoder(sparse_output=False, categories=[["u", "v"]]), f),
        CODES,
    ),
    "after a branch": (
        lambda f: make_pipeline(
            make_column_transformer((OrdinalEncoder(), ["city"]), (StandardScaler(), ["age"])), f
        ),
        PEOPLE,
    ),
    "after another function": (
        lambda f: make_pipeline(FunctionTransformer(lambda X: X.astype(int)), f),
        CODES,
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_tables_that_reach_a_function(place):
    build, row = PLACES[place]
    try_functions(build(FunctionTransformer(doubled)), row)
    with pytest.raises(NotFederated, match=r"FunctionTransformer\(centred\)"):
        try_functions(build(FunctionTransformer(centred)), row)


def number_after_slash(codes):
    return codes.map(lambda code: int(code.split("/")[1]))


def test_a_function_that_cannot_be_tried():
    with pytest.raises(NotFederated, match="cannot tell whether it works row by row"):
        try_functions(FunctionTransformer(number_after_slash), CODES)


def test_a_function_that_returns_no_table():
    with pytest.raises(NotFederated, match="it returns no table on all made-up rows"):
        try_functions(FunctionTransformer(lambda X: X.max()), ARRAY)


@fedps.row_by_row
def year_of(codes):
    return number_after_slash(codes)


def test_a_declared_function_is_trusted():
    try_functions(FunctionTransformer(year_of), CODES)
    with pytest.warns(UserWarning, match="is declared row by row and trusted; but tried"):
        try_functions(FunctionTransformer(fedps.row_by_row(lambda X: X - X.mean())), NUMBERS)


def test_a_declared_function_before_another_step_must_run():
    with pytest.raises(NotFederated, match="cannot tell what its function returns"):
        try_functions(make_pipeline(FunctionTransformer(year_of), StandardScaler()), CODES)


def test_after_a_function_that_does_not_run():
    first = fedps.row_by_row(lambda X: X.loc[:, ["nowhere"]])
    with pytest.raises(NotFederated, match="on all made-up rows"):
        try_functions(
            make_pipeline(FunctionTransformer(first), FunctionTransformer(doubled)), CODES
        )


def test_functions_that_leave_out_rows_come_last():
    drop = FunctionTransformer(lambda X: X.dropna())
    try_functions(make_pipeline(StandardScaler().set_output(transform="pandas"), drop), NUMBERS)
    with pytest.raises(NotFederated, match="leaves rows out"):
        try_functions(make_pipeline(drop, StandardScaler()), NUMBERS)


def test_what_row_by_row_takes():
    def known(X):
        return X

    assert fedps.row_by_row(known) is known
    assert known.row_by_row is True
    with pytest.raises(fedps.UsageError, match="takes a function, not int"):
        fedps.row_by_row(3)
    with pytest.raises(fedps.UsageError, match="len cannot be marked"):
        fedps.row_by_row(len)


@pytest.mark.parametrize("kind", [KNNImputer, KNeighborsRegressor])
def test_weights_of_neighbours(kind):
    try_weights(kind(weights=lambda distances: np.exp(-distances)))
    try_weights(make_pipeline(StandardScaler(), kind(weights=lambda d: 1 / (1 + d))))
    with pytest.raises(NotFederated, match="does not weigh the neighbours of each row alone"):
        try_weights(kind(weights=lambda distances: 1 - distances / distances.max()))


def test_a_trial_leaves_no_trace():
    np.random.seed(3)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try_functions(FunctionTransformer(lambda X: np.log(X - 5)), ARRAY)
        with pytest.raises(NotFederated):
            try_functions(FunctionTransformer(BAD["random"][0]), ARRAY)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_a_trial_is_quick():
    started = time.process_time()
    for name in ("square", "softmax", "polars"):
        function, row = GOOD[name]
        try_functions(FunctionTransformer(function), row)
    wide = np.ones((1, 10_000))
    try_functions(FunctionTransformer(doubled), wide)
    assert time.process_time() - started < 5


def test_a_slow_function_is_called_a_few_times():
    calls = []

    def slow(X):
        calls.append(len(X))
        time.sleep(0.15)
        return X

    try_functions(FunctionTransformer(slow), pd.DataFrame({"a": [1.0], "b": ["x"]}))
    assert len(calls) <= 8
