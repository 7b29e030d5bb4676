"""BayesianRidge across clients is the pooled one: every attribute, and what it predicts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import fedps
from fedps.errors import ClientError, FedPSError, Refused, UsageError
from tests.rotation import rotated
from tests.twins import partitions, tables
from tests.twins.compare import assert_same_fit, assert_unchanged
from tests.twins.partitions import EVERY, FEW, pool, suits
from tests.twins.quiet import quiet

SETTINGS = {
    "default": {},
    "scores": {"compute_score": True},
    "no intercept": {"fit_intercept": False, "compute_score": True},
    "one step": {"max_iter": 1},
    "starts": {"alpha_init": 0.5, "lambda_init": 3.0},
    "to convergence": {"tol": 1e-10, "max_iter": 1000},
    "priors": {"alpha_1": 2.0, "alpha_2": 0.5, "lambda_1": 1.0, "lambda_2": 3.0},
    "not copied": {"copy_X": False},
}


# Tables ---------------------------------------------------------------------------------------


def normal(rows=90, width=4, seed=1):
    return tables.frame(tables.random(seed).normal(2, 3, (rows, width)))


def one_column():
    return normal(width=1)


def few_rows():
    return normal(rows=5, width=8)


def as_many_rows():
    return normal(rows=6, width=6)


def small_ints():
    return tables.ints().drop(columns="large")


def polars_normal():
    return pl.DataFrame(normal().to_dict("list"))


def array_normal():
    return normal().to_numpy()


def nullable():
    return normal().astype({"a": "Float64"}).assign(b=small_ints()["small"].astype("Int64"))


def arrow():
    return normal().astype("double[pyarrow]")


def collinear():
    table = normal()
    return table.assign(again=2 * table["a"] - table["b"], same=table["c"])


WELL = {
    "numbers": normal,
    "one column": one_column,
    "few rows": few_rows,
    "as many rows": as_many_rows,
    "whole": small_ints,
    "truth": tables.booleans,
    "polars": polars_normal,
    "array": array_normal,
    "array of whole": tables.array_ints,
    "array of truth": tables.array_booleans,
    "nullable": nullable,
    "arrow": arrow,
    "float32": tables.float32,
    "array of float32": tables.array_float32,
    "fortran": lambda: np.asfortranarray(array_normal()),
}
# not all attributes are determined by such columns to many digits, but what they predict is
ILL = {
    "collinear": collinear,
    "constants": tables.constants,
    "far from zero": tables.offset,
    "scales": tables.plain_numbers,
    "large": tables.ints,
}


def target_of(table, seed=3):
    """Return a target that depends on all columns, and is not exactly a sum of them."""
    cells = np.asarray(table.to_numpy() if hasattr(table, "to_numpy") else table, dtype=float)
    spread = cells.std(axis=0)
    standard = (cells - cells.mean(axis=0)) / np.where(spread > 0, spread, 1)
    rng = np.random.default_rng(seed)
    return standard @ rng.normal(size=cells.shape[1]) + rng.normal(0, 0.5, len(cells)) + 4


def with_target(table):
    y = target_of(table)
    if isinstance(table, pd.DataFrame):
        return table.assign(y=y)
    return table.with_columns(y=pl.Series(y)) if isinstance(table, pl.DataFrame) else table


def clients_of(builder, partition):
    """Return the clients as a federation takes them, and all their rows: X and y."""
    table = builder()
    if isinstance(table, np.ndarray):
        parts = partition(np.arange(len(table))[:, None])
        y = target_of(table)
        pairs = [(table[part[:, 0]], y[part[:, 0]]) for part in parts]
        return fedps.Federation(pairs), *(np.concatenate(each) for each in zip(*pairs, strict=True))
    parts = partition(with_target(table))
    whole = pool(parts)
    X = whole.drop("y") if isinstance(whole, pl.DataFrame) else whole.drop(columns="y")
    return fedps.Federation(parts, target="y"), X, whole["y"].to_numpy()


def cross(builders, ways):
    whole = [way for way in ways if way not in partitions.HOLES]
    named = [name for name in builders if tables.POLARS_NAMED or name != "polars"]
    suitable = ((name, [way for way in whole if suits(way, builders[name]())]) for name in named)
    return [
        pytest.param(builders[name], way, id=f"{name}-{way.__name__}")
        for name, way in rotated(suitable)
    ]


# The twins ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("builder", "partition"), cross(WELL, EVERY))
def test_every_partition(builder, partition):
    same_fit(BayesianRidge(compute_score=True), builder, partition)


@pytest.mark.parametrize(("name", "partition"), rotated((name, FEW) for name in SETTINGS))
def test_every_parameter(name, partition):
    same_fit(BayesianRidge(**SETTINGS[name]), normal, partition)


def same_fit(ridge, builder, partition):
    federation, X, y = clients_of(builder, partition)
    before = clone(ridge)
    with quiet():
        fitted, pooled = federation.fit(ridge), clone(ridge).fit(X, y)
    assert_unchanged(ridge, before)
    assert_same_fit(fitted, pooled)
    assert federation.run.rounds == 1
    rtol = 1e-4 if pooled.coef_.dtype == np.float32 else 1e-9
    np.testing.assert_allclose(fitted.predict(X), pooled.predict(X), rtol=rtol, atol=rtol)
    cells = np.asarray(X, dtype=float)  # scikit-learn has no deviations for all kinds of frames
    with quiet():
        found, expected = (each.predict(cells, return_std=True)[1] for each in (fitted, pooled))
    np.testing.assert_allclose(found, expected, rtol=rtol)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("builder", "partition"), cross(ILL, EVERY))
def test_ill_conditioned_columns(builder, partition, intercept):
    federation, X, y = clients_of(builder, partition)
    ridge = BayesianRidge(fit_intercept=intercept)
    with quiet():
        fitted, pooled = federation.fit(ridge), clone(ridge).fit(X, y)
    assert fitted.n_iter_ == pooled.n_iter_
    # far from zero, a prediction is the small difference of two rounded products of 1e9
    expected = pooled.predict(X)
    size = np.abs(expected).max()
    np.testing.assert_allclose(fitted.predict(X), expected, rtol=1e-6, atol=1e-6 * size)
    np.testing.assert_allclose(fitted.alpha_, pooled.alpha_, rtol=1e-6)


@pytest.mark.parametrize("partition", partitions.HOLES)
def test_missing_values(partition):
    federation, *_ = clients_of(normal, partition)
    with pytest.raises(ClientError, match="missing values in column 'a'"):
        federation.fit(BayesianRidge())


@pytest.mark.parametrize("partition", [partitions.thirds, partitions.shuffled_columns])
@pytest.mark.parametrize("params", [{"compute_score": True}, {"fit_intercept": False}])
def test_weights(partition, params):
    rng = tables.random(4)
    table = normal().assign(weight=rng.integers(0, 4, 90) * rng.random(90))
    parts = partition(with_target(table))
    whole = pool(parts)
    ours = fedps.Federation(parts, target="y")
    fitted = ours.fit(BayesianRidge(**params), sample_weight="weight")
    X = whole.drop(columns=["y", "weight"])
    pooled = BayesianRidge(**params).fit(X, whole["y"], sample_weight=whole["weight"])
    assert_same_fit(fitted, pooled)


@pytest.mark.parametrize("kind", [np.float32, np.int64, bool, object])
def test_kinds_of_targets(kind):
    X = normal()
    y = (target_of(X) * (1 if kind in (np.float32, object) else 3)).astype(kind)
    clients = [(X[:30], y[:30]), (X[30:], y[30:])]
    fitted = fedps.Federation(clients).fit(BayesianRidge(tol=1e-9))
    pooled = BayesianRidge(tol=1e-9).fit(X, y)
    # scikit-learn takes the variance of a target of float32 in float32
    np.testing.assert_allclose(fitted.coef_, pooled.coef_, rtol=1e-8)
    assert fitted.predict(X).dtype == pooled.predict(X).dtype


def test_clients_of_different_dtypes():
    X, y = normal(), target_of(normal())
    clients = [(X[:40].astype(np.float32), y[:40]), (X[40:], y[40:])]
    pooled = BayesianRidge().fit(pd.concat([X[:40].astype(np.float32), X[40:]]), y)
    assert_same_fit(fedps.Federation(clients).fit(BayesianRidge()), pooled)


# In pipelines ---------------------------------------------------------------------------------


def people():
    table = tables.people()[["age", "chol", "visits", "cp"]]
    return table.assign(y=tables.random(5).normal(size=len(table)) + table["visits"])


@pytest.mark.parametrize("partition", FEW)
def test_last_step_of_a_pipeline(partition):
    prep = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "chol", "visits"]),
        (OneHotEncoder(sparse_output=False, handle_unknown="ignore"), ["cp"]),
    )
    parts = partition(people())
    whole = pool(parts)
    X = whole.drop(columns="y")
    pipe = make_pipeline(prep, BayesianRidge(compute_score=True))
    ours = fedps.Federation(parts, target="y")
    fitted, pooled = ours.fit(pipe), clone(pipe).fit(X, whole["y"])
    assert_same_fit(fitted, pooled)
    np.testing.assert_allclose(fitted.predict(X), pooled.predict(X), rtol=1e-9)
    found = ours.predict(fitted)
    assert [len(rows) for rows in found] == [len(part) for part in parts]
    np.testing.assert_allclose(np.concatenate(found), pooled.predict(X), rtol=1e-9)


def test_only_the_last_step_predicts():
    ours = fedps.Federation([with_target(normal())], target="y")
    for wrong in (
        make_pipeline(BayesianRidge(), StandardScaler()),
        make_column_transformer((BayesianRidge(), ["a"])),
        make_pipeline(make_pipeline(BayesianRidge()), BayesianRidge()),
    ):
        with pytest.raises(UsageError, match="last step of a Pipeline"):
            ours.fit(wrong)


# Predictions ----------------------------------------------------------------------------------


def test_predictions_of_clients_and_of_queries():
    parts = dict(zip("abc", partitions.shuffled_columns(with_target(normal()))[:3], strict=True))
    ours = fedps.Federation(parts, target="y")
    fitted = ours.fit(BayesianRidge())
    found = ours.predict(fitted)
    assert list(found) == list(parts)
    for name, part in parts.items():
        expected = fitted.predict(part[list(fitted.feature_names_in_)])
        np.testing.assert_array_equal(found[name], expected)
    queries = normal(seed=9)
    np.testing.assert_array_equal(ours.predict(fitted, queries), fitted.predict(queries))
    for wrong, says in (
        (BayesianRidge(), "is not fitted"),
        (StandardScaler().fit(queries), "has no predict. Use federation.transform"),
        ("BayesianRidge", "needs a fitted estimator"),
    ):
        with pytest.raises(UsageError, match=says):
            ours.predict(wrong)
    with pytest.raises(UsageError, match="has no transform. Use federation.predict"):
        ours.transform(fitted)
    with pytest.raises(UsageError, match="has no transform: use federation.fit"):
        ours.fit_transform(BayesianRidge())
    with pytest.raises(ClientError, match="predict failed"):
        ours.predict(BayesianRidge().fit(queries.to_numpy()[:, :2], queries["a"]))


# What goes wrong, and what is shown -----------------------------------------------------------


def test_mistakes():
    X = normal()
    y = target_of(X)

    def fit(X, y, **options):
        return fedps.Federation([(X, y)]).fit(BayesianRidge(), **options)

    with pytest.raises(ClientError, match="no target"):
        fedps.Federation([X]).fit(BayesianRidge())
    with pytest.raises(ClientError, match="text target"):
        fit(X, np.array(["a", "b"] * 45))
    with pytest.raises(ClientError, match="missing values in the target"):
        fit(X, np.where(y > 4, np.nan, y))
    with pytest.raises(ClientError, match="more than one column"):
        fit(X, np.column_stack([y, y]))
    with pytest.raises(ClientError, match="infinite or too large number in column 'b'"):
        fit(X.assign(b=np.inf), y)
    with pytest.raises(ClientError, match="column 'b' that are too large to square"):
        fit(X.assign(b=X["b"] * 1e200), y)
    with pytest.raises(ClientError, match="numbers in the target that are too large to square"):
        fit(X, y * 1e200)
    with pytest.raises(ClientError, match="sparse table"):
        fit(tables.csr(), y)
    with pytest.raises(UsageError, match="all zero"):
        fit(X.assign(w=0.0), y, sample_weight="w")
    with pytest.raises(ClientError, match="row weights"):
        fit(X.assign(w=-1.0), y, sample_weight="w")
    scored = fedps.Federation([(X.assign(w=1e-3), y)])
    with pytest.raises(UsageError, match="has no score here"):
        scored.fit(BayesianRidge(compute_score=True), sample_weight="w")
    with pytest.raises(ValueError, match="max_iter"):
        fedps.Federation([(X, y)]).fit(BayesianRidge(max_iter=0))
    with pytest.raises((FedPSError, TypeError)):
        fedps.Federation([(X, y)]).fit(make_pipeline(OneHotEncoder(), BayesianRidge()))


def test_few_rows_are_not_shown():
    """Products of four columns and ones need 16 rows at a share of 0.33; 15 are refused."""
    X = normal(rows=60)
    y = target_of(X)

    def fit(rows, **policy):
        clients = [(X[:rows], y[:rows]), (X[rows:], y[rows:])]
        return fedps.Federation(
            clients, policy=fedps.Policy(min_count=0, budget=None, **policy)
        ).fit(BayesianRidge())

    fit(16)
    fit(0)
    with pytest.raises(Refused, match=r"max_share of products.*33% as many columns"):
        fit(15)
    with pytest.raises(Refused, match="max_share of products"):
        fit(3, min_rows=0)
    with pytest.raises(Refused, match="max_share of products"):
        fit(20, max_share=0)
    fit(3, min_rows=0, max_share=1)
    with pytest.raises(Refused, match="min_rows"):
        fit(9)
    fit(30, level="AGGREGATE")


def test_explain_and_ledger():
    ours = fedps.Federation({"a": with_target(normal())}, target="y")
    explained = ours.explain(BayesianRidge(compute_score=True))
    assert explained.rounds == 1
    assert "sum of its products with" in explained.asks[0].shows
    ours.fit(BayesianRidge())
    (entry,) = [e for e in ours.ledgers["a"].entries if e.statistic != "Schema"]
    assert entry.columns == ("a", "b", "c", "d", "y")
    assert entry.level == "AGGREGATE"
