"""What a data owner reads before anything about single rows leaves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import BayesianRidge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import LabelEncoder, TargetEncoder

import fedps
from tests.twins.columns.models import owned, related, with_gaps

SHOWN = {
    "BayesianRidge": (
        BayesianRidge(),
        "after a rotation that the server does not know: it sees how far any two rows are from",
    ),
    "KNeighborsRegressor": (
        KNeighborsRegressor(),
        "for some single rows, how far each is from each other row, in the columns here.",
    ),
    "KNNImputer": (KNNImputer(), "for each single row, which of its cells are missing here."),
    "IterativeImputer": (
        IterativeImputer(),
        "all single rows of the columns without missing cells here, after a rotation",
    ),
}


def federation(estimator, *, rows=40, width=7, **options):
    X, y = related(rows, width)
    gaps = isinstance(estimator, KNNImputer | IterativeImputer)
    return owned(with_gaps(X) if gaps else X, [3], y, **options)


@pytest.mark.parametrize("name", SHOWN)
def test_the_default_policy_refuses_and_says_what_would_be_shown(name):
    estimator, shown = SHOWN[name]
    with pytest.raises(fedps.Refused) as caught:
        # with more columns than rows, a regression needs the rows, too
        federation(estimator, rows=15, width=20, policy=fedps.Policy()).fit(estimator)
    text = str(caught.value)
    assert "allows SUMMARY, this needs ROWS. It would show the server: " in text
    assert shown in text


@pytest.mark.parametrize("name", SHOWN)
def test_explain_says_it_before(name):
    estimator, _ = SHOWN[name]
    found = federation(estimator, rows=15, width=20).explain(estimator)
    asks = [ask for ask in found.asks if ask.statistic != "MaskKeys"]
    assert {ask.level for ask in asks} == {"ROWS"}
    assert all("single" in ask.shows for ask in asks)


def test_the_target_is_said_to_be_shown():
    found = federation(BayesianRidge(), rows=15, width=20).explain(BayesianRidge())
    shown = {ask.statistic: ask.shows for ask in found.asks}
    assert shown["TargetRows"] == "the target of every single row, from the client that has it"
    assert found.further[1].startswith("perhaps how far the coefficients of the columns at each")


def test_a_regression_on_enough_rows_shows_sums():
    found = federation(BayesianRidge()).explain(BayesianRidge())
    assert {ask.level for ask in found.asks} == {"AGGREGATE"}
    shown = {ask.statistic: ask.shows for ask in found.asks}
    assert "sum of its products with each column of all clients" in shown["MaskedProducts"]
    assert shown["MaskedColumns"].endswith("nothing by itself")
    (text,) = found.further
    assert text.startswith("if there are not more rows than columns of all clients together")


def test_explain_says_what_follows():
    (text,) = federation(KNNImputer()).explain(KNNImputer()).further
    assert text.startswith("how far each row with missing cells is from each other row")
    (text,) = federation(KNeighborsRegressor()).explain(KNeighborsRegressor()).further
    assert text.startswith("each prediction shows the server how far every row to predict is")


def test_a_ledger_has_it():
    made = federation(BayesianRidge())
    made.fit(BayesianRidge(tol=1e-3))
    entries = made.ledgers["client 2"].entries
    asked = [entry.statistic for entry in entries if entry.statistic != "Schema"]
    assert asked == ["RowKeys", "MaskKeys", "MaskSeeds", "MaskedColumns", "MaskedProducts", "Keep"]


def test_columns_that_are_kept_back_stay_out():
    X, y = related(40, 4)
    parts = {
        "a": pd.DataFrame(X[:, :2], columns=["p", "q"]),
        "b": pd.DataFrame({"r": X[:, 2], "s": X[:, 3], "y": y}),
    }
    policies = {
        "a": fedps.Policy(level="ROWS", allow=["q"]),
        "b": fedps.Policy(level="ROWS", deny=["s"]),
    }
    made = fedps.Federation(parts, split="columns", target="y", policy=policies)
    fitted = made.fit(BayesianRidge())
    assert [list(part.feature_names_in_) for part in fitted.values()] == [["q"], ["r"]]
    found = np.concatenate([part.coef_ for part in fitted.values()])
    np.testing.assert_allclose(found, BayesianRidge().fit(X[:, [1, 2]], y).coef_, rtol=1e-10)
    policies["b"] = fedps.Policy(level="ROWS", deny=["y"])
    with pytest.raises(fedps.Refused, match="client 'b' refused MaskSeeds on column 'y'"):
        fedps.Federation(parts, split="columns", target="y", policy=policies).fit(BayesianRidge())


def test_a_target_that_is_kept_back_is_read_by_nobody():
    table = pd.DataFrame({"city": ["a", "b"] * 10, "y": ["u", "v"] * 10})
    made = fedps.Federation(
        {"one": table, "two": np.ones((20, 1))},
        split="columns",
        target="y",
        policy={"one": fedps.Policy(deny=["y"])},
    )
    for estimator in (LabelEncoder(), ColumnTransformer([("t", TargetEncoder(), [0])])):
        with pytest.raises(fedps.Refused, match="client 'one' refused .* on column 'y'"):
            made.fit(estimator)


def test_what_is_about_the_target_says_so():
    for model in (BayesianRidge(), KNeighborsRegressor(2)):
        made = federation(model, rows=15, width=20)
        explained = {row.statistic: row.columns for row in made.explain(model).asks}
        made.fit(model)
        done = {row.statistic: row.columns for row in made.run.asks}
        assert explained.items() <= done.items()
        (about,) = {"TargetRows", "DonorMeans"} & set(done)
        assert done[about] == ("target",)
    made = federation(BayesianRidge())
    made.fit(BayesianRidge())
    done = {row.statistic: row.columns for row in made.run.asks}
    assert done["MaskedProducts"][-1] == "target"
    assert "target" not in done["MaskKeys"]
