"""Bayesian ridge regression across owners of columns: the same posterior as pooled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from fedps.plans.columns import masked_products, rotated_ridge
from tests.twins.columns.models import adult, cut, heart, owned, related, with_gaps

SETTINGS = {
    "plain": {},
    "scores": {"compute_score": True},
    "no intercept": {"fit_intercept": False},
    "no intercept, scores": {"fit_intercept": False, "compute_score": True},
    "priors": {"alpha_1": 0.1, "alpha_2": 2.0, "lambda_1": 0.3, "lambda_2": 1.5},
    "starts": {"alpha_init": 0.7, "lambda_init": 1e-3},
    "strict": {"tol": 1e-12, "max_iter": 2000},
    "loose": {"tol": 1e-1},
    "one step": {"max_iter": 1},
    "five steps": {"max_iter": 5, "tol": 1e-300},
}


def coefficients(fitted):
    return np.concatenate([part.coef_ for part in fitted.values()])


def compare(made, fitted, pooled, X, *, rtol=1e-8):
    """Compare a fit with the pooled one, and predictions of the same rows."""
    size = np.abs(pooled.coef_).max() or 1.0
    np.testing.assert_allclose(coefficients(fitted), pooled.coef_, rtol=rtol, atol=rtol * size)
    assert fitted.n_iter_ == pooled.n_iter_
    for name in ("alpha_", "lambda_", "intercept_"):
        theirs = getattr(pooled, name)
        scale = np.abs(X).max() * size if name == "intercept_" else 0
        assert getattr(fitted, name) == pytest.approx(theirs, rel=rtol, abs=rtol * scale)
    np.testing.assert_allclose(fitted.scores_, pooled.scores_, rtol=rtol)
    if len(X) > X.shape[1] + 2:
        most = np.abs(pooled.sigma_).max()
        np.testing.assert_allclose(fitted.sigma_, pooled.sigma_, rtol=rtol, atol=rtol * most)
    for part in fitted.values():
        assert part.intercept_ == fitted.intercept_
        assert part.n_iter_ == fitted.n_iter_
        assert not hasattr(part, "sigma_")
    queries = X[::-1].copy() + 0.1
    ends = np.cumsum([part.n_features_in_ for part in fitted.values()])[:-1]
    found = made.predict(fitted, cut(queries, ends))
    expected = pooled.predict(queries)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * np.abs(expected).max())


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("ends", [[3, 4], [1, 2, 3, 4, 5, 6], [6]], ids=["3", "7", "2"])
def test_settings(setting, ends):
    X, y = related()
    ridge = BayesianRidge(**SETTINGS[setting])
    made = owned(X, ends, y, at=1)
    fitted = made.fit(ridge)
    assert made.run.rounds == 3
    compare(made, fitted, ridge.fit(X, y), X)


def _hostile():
    rng = np.random.default_rng(3)
    X, y = related(40, 6, seed=3)
    wide, target = related(8, 20, seed=4)
    yield "collinear", np.column_stack([X, X[:, 0] + X[:, 4], X[:, 2]]), y
    yield "constant", np.column_stack([np.full(40, 7.0), X, np.zeros(40)]), y
    yield "fewer rows than columns", wide, target
    yield "fewer rows than one owner's columns", related(4, 30, seed=5)[0], target[:4]
    yield "two rows", X[:2], y[:2]
    yield "one row", X[:1], y[:1]
    yield "one row twice", X[[0, 0, 1, 1]], y[[0, 0, 1, 1]]
    yield "far from zero", X + 1e9, y
    yield "of all sizes", X * 10.0 ** np.array([-6, 0, 3, -2, 5, 0]), y
    yield "whole numbers", rng.integers(-5, 6, (40, 6)), rng.integers(0, 9, 40)
    yield "equal lengths at right angles", np.kron(np.array([[1.0, 1], [1, -1]]), np.eye(4)), y[:8]
    yield "a constant target", X, np.full(40, 2.0)


HOSTILE = {name: (X, y) for name, X, y in _hostile()}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("ends", [[1, 2], [5]], ids=["3", "2"])
def test_hostile_tables(name, intercept, ends):
    X, y = HOSTILE[name]
    ridge = BayesianRidge(fit_intercept=intercept)
    made = owned(X, ends, y)
    fitted = made.fit(ridge)
    # a regression far from zero without an intercept has columns that are nearly the same
    rtol = {"far from zero": 1e-6, "of all sizes": 1e-7}.get(name, 1e-8)
    if name == "far from zero" and not intercept:
        pooled = ridge.fit(X, y)
        found = made.predict(fitted)
        np.testing.assert_allclose(found, pooled.predict(X), rtol=1e-5)
        return
    compare(made, fitted, ridge.fit(X, y), np.asarray(X, dtype=float), rtol=rtol)


@pytest.mark.parametrize("kind", ["float32", "pandas", "polars", "mixed"])
def test_containers(kind):
    X, y = related(60, 5)
    names = list("abcde")
    pooled = X.astype(np.float32) if kind == "float32" else X
    parts = cut(pooled, [2])
    if kind != "float32":
        frames = [pd.DataFrame, pd.DataFrame if kind == "pandas" else pl.DataFrame]
        parts = [f(p) for f, p in zip(frames, parts, strict=True)]
        parts[0].columns, parts[1].columns = names[:2], names[2:]
    made = fedps.Federation([(parts[0], y), parts[1]], split="columns")
    fitted = made.fit(BayesianRidge())
    twin = BayesianRidge().fit(pooled, y)
    rtol = 1e-4 if kind == "float32" else 1e-10
    np.testing.assert_allclose(coefficients(fitted), twin.coef_, rtol=rtol)
    np.testing.assert_allclose(made.predict(fitted), twin.predict(pooled), rtol=rtol)
    if kind == "pandas":
        assert list(fitted["client 2"].feature_names_in_) == names[2:]


def test_an_owner_of_the_target_alone():
    X, y = related(50, 4)
    nothing = pd.DataFrame({"y": y})
    parts = {"a": pd.DataFrame(X[:, :2], columns=["p", "q"]), "label": nothing}
    parts["c"] = pd.DataFrame(X[:, 2:], columns=["r", "s"])
    made = fedps.Federation(parts, split="columns", target="y")
    fitted = made.fit(BayesianRidge())
    assert list(fitted) == ["a", "c"]
    np.testing.assert_allclose(coefficients(fitted), BayesianRidge().fit(X, y).coef_, rtol=1e-10)
    np.testing.assert_allclose(made.predict(fitted), BayesianRidge().fit(X, y).predict(X))


def test_as_the_last_step():
    X, y = related(80, 6)
    X = with_gaps(X * 50 + 300)
    pipe = make_pipeline(SimpleImputer(), StandardScaler(), BayesianRidge())
    made = owned(X, [2, 3], y, at=2)
    fitted = made.fit(pipe)
    assert made.run.rounds == 3
    np.testing.assert_allclose(made.predict(fitted), pipe.fit(X, y).predict(X), rtol=1e-10)


def test_the_same_posterior_split_by_rows():
    X, y = related(90, 6)
    by_columns = owned(X, [2, 4], y).fit(BayesianRidge())
    rows = [(X[:20], y[:20]), (X[20:], y[20:])]
    by_rows = fedps.Federation(rows).fit(BayesianRidge())
    np.testing.assert_allclose(coefficients(by_columns), by_rows.coef_, rtol=1e-10)
    assert by_columns.alpha_ == pytest.approx(by_rows.alpha_, rel=1e-10)


def test_a_second_round_decides_where_to_stop_if_columns_are_rotated():
    seen = set()
    for seed in range(12):
        X, y = related(13, 12, seed=seed)
        ridge = BayesianRidge(tol=1e-5)
        made = owned(X, [6], y)
        fitted = made.fit(ridge)
        assert fitted.n_iter_ == ridge.fit(X, y).n_iter_
        np.testing.assert_allclose(coefficients(fitted), ridge.coef_, rtol=1e-8, atol=1e-10)
        seen.add(made.run.rounds)
    assert seen == {2, 3}


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("most", "rounds"), [(480, 3), (240, 3), (100, 6)])
def test_more_rows_than_fit_in_a_message(intercept, most, rounds, monkeypatch):
    monkeypatch.setattr(masked_products, "MOST_MASKED", most)
    X, y = related(120, 6)
    ridge = BayesianRidge(fit_intercept=intercept, compute_score=True, tol=1e-4)
    made = owned(X + 3, [2, 3], y, at=2)
    fitted = made.fit(ridge)
    assert made.run.rounds == rounds
    compare(made, fitted, ridge.fit(X + 3, y), X)


def test_more_rotated_columns_than_fit_in_a_message(monkeypatch):
    monkeypatch.setattr(rotated_ridge, "MOST_CELLS", 200)
    X, y = related(30, 40)
    ridge = BayesianRidge(tol=1e-4)
    made = owned(X, [20], y)
    fitted = made.fit(ridge)
    assert 4 <= made.run.rounds <= 5
    compare(made, fitted, ridge.fit(X, y), X)


def test_heart_disease():
    table = heart().dropna(axis=1, thresh=850).dropna()
    X, y = table.drop(columns="num"), table["num"].to_numpy()
    made = owned(X, [2, 5], y, at=1)
    fitted = made.fit(BayesianRidge(compute_score=True))
    twin = BayesianRidge(compute_score=True).fit(X, y)
    np.testing.assert_allclose(coefficients(fitted), twin.coef_, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(made.predict(fitted), twin.predict(X), rtol=1e-8)
    assert fitted.n_iter_ == twin.n_iter_


def test_adult():
    table = adult().iloc[:26_048]
    X, y = table.drop(columns="income").to_numpy(), table["income"].to_numpy()
    made = owned(X, [5, 10], y, at=2)
    fitted = made.fit(BayesianRidge())
    twin = BayesianRidge().fit(X, y)
    np.testing.assert_allclose(coefficients(fitted), twin.coef_, rtol=1e-8)
    assert made.run.rounds == 3


def test_what_is_not_there():
    X, y = related(30, 4)
    made = owned(X, [2], y)
    with pytest.raises(fedps.UsageError, match="needs a target, and no client has one"):
        owned(X, [2]).fit(BayesianRidge())
    with pytest.raises(fedps.ClientError, match="a text target, and this estimator needs numbers"):
        owned(X, [2], np.array(["no", "yes"] * 15)).fit(BayesianRidge())
    with pytest.raises(fedps.ClientError, match="'client 2' has missing values in column 1"):
        owned(np.where(np.arange(4) == 3, np.nan, X), [2], y).fit(BayesianRidge())
    fitted = made.fit(BayesianRidge())
    with pytest.raises(ValueError, match=r"use federation\.predict\(fitted, queries\)"):
        fitted["client 1"].predict(X[:, :2])
    with pytest.raises(ValueError, match="no client has sigma_"):
        fitted["client 1"].predict(X[:, :2], return_std=True)
