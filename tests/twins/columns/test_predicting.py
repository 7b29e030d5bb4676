"""Rows to predict: they may be the owners' own, or others, and must be the same rows of each owner."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import BayesianRidge, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

import fedps
from tests.twins.columns.models import quietly, related, with_gaps

NAMES = ["a", "b", "c", "d", "e"]


def whole():
    """Return a table with some cells missing, its target and a key."""
    X, y = related(60, 5)
    table = pd.DataFrame(with_gaps(X, columns=slice(1, 4)), columns=NAMES)
    return table.assign(y=y, id=np.arange(60) + 10)


def owners(table, **options):
    parts = {
        "one": table[["id", "a", "b"]],
        "two": table[["id", "c", "d"]],
        "three": table[["id", "e"]],
        "registry": table[["id", "y"]],
    }
    return fedps.Federation(parts, split="columns", key="id", target="y", **options)


STEPS = {
    "imputer": [KNNImputer(n_neighbors=3)],
    "regressions": [IterativeImputer(BayesianRidge(tol=1e-12), max_iter=2)],
    "norms": [KNNImputer(), Normalizer()],
    "a model inside": [KNNImputer(), make_pipeline(StandardScaler(), MinMaxScaler())],
    "columns of some": [ColumnTransformer([("some", KNNImputer(), ["d", "a", "b"])])],
    "parts of one": [
        ColumnTransformer(
            [
                ("one", IterativeImputer(Ridge(), max_iter=2), ["b", "a"]),
                ("all", KNNImputer(), ["e", "c", "d"]),
            ]
        ),
        Normalizer(),
    ],
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("model", [BayesianRidge(), KNeighborsRegressor(3)], ids=["ridge", "near"])
def test_own_rows_after_steps_that_know_no_others(name, model):
    """Steps that know the norms, or the missing cells, of the fitted rows get all of them at once."""
    table = whole()
    made = owners(table)
    pipe = make_pipeline(*STEPS[name], model)
    expected = quietly(pipe.fit, table[NAMES], table["y"]).predict(table[NAMES])
    np.testing.assert_allclose(made.predict(quietly(made.fit, pipe)), expected, rtol=1e-7)


def test_a_pipeline_that_ends_in_one():
    table = whole().fillna(0.5)
    made = owners(table)
    pipe = make_pipeline(StandardScaler(), make_pipeline(MinMaxScaler(), BayesianRidge()))
    expected = pipe.fit(table[NAMES], table["y"]).predict(table[NAMES])
    np.testing.assert_allclose(made.predict(made.fit(pipe)), expected, rtol=1e-10)


def model_and_queries():
    table = whole().fillna(0.5)
    made = owners(table)
    queries = {
        "one": table[["id", "b", "a"]],
        "two": table[["id", "c", "d"]],
        "three": table[["e"]],
    }
    return made, made.fit(BayesianRidge()), {client: rows[:7] for client, rows in queries.items()}


def test_who_has_no_column_may_be_left_out():
    made, fitted, queries = model_and_queries()
    expected = made.predict(fitted)[:7]
    for more in ({}, {"registry": None}, {"registry": pd.DataFrame(index=range(7))}):
        np.testing.assert_allclose(made.predict(fitted, {**queries, **more}), expected, rtol=1e-12)
    np.testing.assert_allclose(made.predict(fitted, [*queries.values(), None]), expected)
    nothing = {client: rows[:0] for client, rows in queries.items()}
    assert made.predict(fitted, nothing).shape == (0,)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"two": None}, "client 'two' has no rows to predict"),
        ({"too": 1}, "rows to predict of 'too', which is not a client. Did you mean 'two'?"),
        ({"three": [1.0]}, "the rows to predict of client 'three': a table has 2 dimensions"),
        ({"three": np.ones((3, 1))}, "client 'one' has 7 rows to predict and client 'three' has 3"),
        ({"three": np.ones((7, 2))}, "client 'three' have 2 columns; its own table has 1"),
        ({"one": pd.DataFrame({"a": np.ones(7)})}, "of client 'one' lack its column 'b'"),
    ],
)
def test_what_cannot_be_predicted(change, text):
    made, fitted, queries = model_and_queries()
    with pytest.raises(fedps.UsageError) as caught:
        made.predict(fitted, {**queries, **change})
    assert text in str(caught.value)


def test_a_key_in_rows_to_predict_is_compared():
    made, fitted, queries = model_and_queries()
    with pytest.raises(
        fedps.UsageError, match="'one' and 'two' have different rows to predict, or in"
    ):
        made.predict(fitted, {**queries, "two": queries["two"][::-1]})


def test_other_rows_after_a_step_that_knows_none():
    table = whole()
    made = owners(table)
    fitted = made.fit(make_pipeline(KNNImputer(), BayesianRidge()))
    queries = {
        "one": table[["a", "b"]][:3],
        "two": table[["c", "d"]][:3],
        "three": table[["e"]][:3],
    }
    with pytest.raises(
        fedps.ClientError, match="have different rows than those that .* was fitted on"
    ):
        made.predict(fitted, queries)
    fewer = owners(table[:50])
    with pytest.raises(fedps.UsageError, match="client 'one': this KNNImputer knows the 60 rows"):
        fewer.transform(made.fit(KNNImputer()))


def test_a_model_transforms_nothing():
    made, fitted, _ = model_and_queries()
    with pytest.raises(fedps.UsageError, match="BayesianRidge has no transform"):
        made.transform(fitted)
