"""Functions that choose columns, tried on made-up tables: they may look at names and dtypes only."""

import time

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fedps.assembly import dummy_row
from fedps.errors import NotFederated, UsageError
from fedps.trials import must_be_tried, try_functions, try_selectors

NAMES = ("age", "visits", "city", "kind", "seen")
PANDAS = dummy_row(
    "pandas", NAMES, 5, ["float64", "int64", "object", "category:|O", "datetime64[ns]"]
)
POLARS = dummy_row(
    "polars", NAMES, 5, ["Float64", "Int64", "String", "Categorical", "Datetime('us')"]
)
ARRAY = dummy_row("numpy", None, 3, ["<f8"])
NUMBERS = ["age", "visits"]

GOOD = {
    "names": lambda X: [name for name in X if name.endswith("s")],
    "dtypes": lambda X: [name for name in X if X[name].dtype == object],
    "select_dtypes": lambda X: X.select_dtypes("number").columns,
    "a slice": lambda X: slice(0, 2),
    "a mask": lambda X: X.dtypes == "float64",
    "positions": lambda X: np.flatnonzero(X.dtypes == "int64"),
    "the first": lambda X: X.columns[:2],
    "how many columns": lambda X: [0] if X.shape[1] > 3 else [1],
    "none": lambda X: [],
}

BAD = {
    "nunique": (lambda X: [c for c in X if X[c].nunique() < 10], "distinct"),
    "many": (lambda X: [c for c in X if X[c].nunique() > 900], "distinct"),
    "share": (lambda X: [c for c in X if X[c].nunique() / len(X) < 0.05], "distinct"),
    "two": (lambda X: [c for c in X if X[c].nunique() == 2], "distinct"),
    "constant": (lambda X: [c for c in X if X[c].nunique() > 1], "distinct"),
    "is unique": (lambda X: [c for c in X if X[c].is_unique], "distinct"),
    "gaps": (lambda X: [c for c in X if X[c].isna().any()], "missing"),
    "no gaps": (lambda X: [c for c in X if X[c].notna().all()], "missing"),
    "many gaps": (lambda X: [c for c in X if X[c].isna().mean() > 0.3], "missing"),
    "only gaps": (lambda X: [c for c in X if X[c].isna().all()], "missing"),
    "counts": (lambda X: X.columns[X.count() == len(X)], "missing"),
    "rows": (lambda X: ["age"] if len(X) > 100 else ["visits"], "rows"),
    "as many as rows": (lambda X: X.columns[: len(X)], "rows"),
    "largest": (lambda X: [c for c in NUMBERS if X[c].max() < 2000], "values"),
    "negative": (lambda X: [c for c in NUMBERS if X[c].min() < 0], "values"),
    "zero and one": (lambda X: [c for c in NUMBERS if X[c].isin([0, 1]).all()], "values"),
    "skewed": (lambda X: [c for c in NUMBERS if X[c].skew() > 1], "values"),
    "numerals": (lambda X: ["city"] if X["city"].str.isdigit().all() else ["age"], "values"),
    "long text": (lambda X: ["city"] if X["city"].str.len().max() > 20 else ["age"], "values"),
    "types": (lambda X: ["city"] if X["city"].map(type).eq(str).all() else ["age"], "values"),
    "categories": (lambda X: ["kind"] if len(X["kind"].cat.categories) < 9 else [], "distinct"),
    "correlated": (lambda X: ["age"] if X[NUMBERS].corr().iloc[0, 1] > 0.5 else [], "distinct"),
    "fails on gaps": (lambda X: ["age"] if X["age"].astype(int).sum() else [], "missing"),
}


def chosen_by(columns):
    return ColumnTransformer([("part", StandardScaler(), columns)])


@pytest.mark.parametrize("name", GOOD)
def test_names_and_dtypes(name):
    try_functions(chosen_by(GOOD[name]), PANDAS)
    try_selectors(chosen_by(GOOD[name]), PANDAS)


@pytest.mark.parametrize("name", BAD)
def test_cells(name):
    selector, reason = BAD[name]
    with pytest.raises(NotFederated, match=f"the columns of 'part'.*{reason}.*Name the columns"):
        try_functions(chosen_by(selector), PANDAS)
    with pytest.raises(NotFederated, match=reason):
        try_selectors(chosen_by(selector), PANDAS)


def test_polars():
    try_functions(chosen_by(lambda X: [c for c, t in X.schema.items() if t.is_numeric()]), POLARS)
    for selector in (
        lambda X: [c for c in X.columns if X[c].n_unique() < 10],
        lambda X: [c for c in X.columns if X[c].null_count()],
    ):
        with pytest.raises(NotFederated, match="the columns of 'part'"):
            try_functions(chosen_by(selector), POLARS)


def test_arrays():
    try_functions(chosen_by(lambda X: [X.shape[1] - 1]), ARRAY)
    with pytest.raises(NotFederated, match="missing"):
        try_functions(chosen_by(lambda X: np.isnan(X).any(axis=0)), ARRAY)


def test_one_that_fails_on_any_table():
    with pytest.raises(UsageError, match="fails with KeyError on every table"):
        try_functions(chosen_by(lambda X: X["nowhere"]), PANDAS)


def test_selectors_of_scikit_learn_need_no_trial():
    assert not must_be_tried(chosen_by(make_column_selector(dtype_include="number")))
    assert must_be_tried(chosen_by(lambda X: ["age"]))


def test_inside_another():
    inner = make_column_transformer((OneHotEncoder(), BAD["nunique"][0]))
    with pytest.raises(NotFederated, match="the columns of 'onehotencoder'"):
        try_selectors(make_column_transformer((inner, ["age", "city"])), PANDAS)


def test_a_trial_is_quick():
    started = time.process_time()
    wide = dummy_row("pandas", tuple(map(str, range(40))), 40, ["float64", "object"] * 20)
    try_functions(chosen_by(lambda X: [c for c in X if X[c].dtype == float]), wide)
    assert time.process_time() - started < 3
