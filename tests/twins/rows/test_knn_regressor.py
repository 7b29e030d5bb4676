"""KNeighborsRegressor across clients that hold rows, and pooled."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from benchmarks import data
from benchmarks.downloads import DataMissing
from fedps.errors import ClientError, NotFederated, Refused, UsageError
from tests.rotation import rotated
from tests.twins import tables
from tests.twins.partitions import EVERY, HOLES, pool, suits
from tests.twins.quiet import quiet

ROWS = 80


def numbers(seed=0, rows=ROWS, width=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, width)) @ rng.normal(size=(width, width)) + 2


def frame(seed=0, rows=ROWS):
    """Numbers without ties, and a target beside them."""
    cells = numbers(seed, rows)
    y = np.sin(cells).sum(axis=1)
    return pd.DataFrame(np.column_stack([cells, y]), columns=[*"abcd", "y"])


REGRESSORS = {
    "plain": KNeighborsRegressor(),
    "one": KNeighborsRegressor(1),
    "all": KNeighborsRegressor(ROWS),
    "distance": KNeighborsRegressor(weights="distance"),
    "callable": KNeighborsRegressor(weights=lambda far: 1 / (1 + far)),
    "p1": KNeighborsRegressor(p=1),
    "p1.5": KNeighborsRegressor(p=1.5, weights="distance"),
    "p4": KNeighborsRegressor(p=4),
    "p inf": KNeighborsRegressor(p=np.inf),
    "manhattan": KNeighborsRegressor(metric="manhattan"),
    "chebyshev": KNeighborsRegressor(metric="chebyshev", weights="distance"),
    "sqeuclidean": KNeighborsRegressor(metric="sqeuclidean", weights="distance"),
    "canberra": KNeighborsRegressor(metric="canberra"),
    "weighted": KNeighborsRegressor(metric_params={"w": [1.0, 0.5, 0.0, 3.0]}),
    "brute": KNeighborsRegressor(algorithm="brute"),
    "ball tree": KNeighborsRegressor(algorithm="ball_tree", leaf_size=3),
    "scaled": make_pipeline(StandardScaler(), KNeighborsRegressor(3)),
}
WITHOUT_HOLES = [each for each in EVERY if suits(each, frame()) and each not in HOLES]
CASES = [
    pytest.param(REGRESSORS[name], partition, id=f"{name}-{partition.__name__}")
    for name, partition in rotated((name, WITHOUT_HOLES) for name in REGRESSORS)
]


def parts(table):
    return table.drop(columns="y"), table["y"]


@pytest.mark.parametrize(("estimator", "partition"), CASES)
def test_as_pooled(estimator, partition):
    clients = partition(frame())
    federation = fedps.Federation(clients, target="y")
    queries = frame(1, 25).drop(columns="y")
    with quiet():
        X, y = parts(pool(clients))
        expected = clone(estimator).fit(X, y)
        fitted = federation.fit(estimator)
        found = federation.predict(fitted, queries)
    assert federation.run.rounds == 1
    np.testing.assert_allclose(found, expected.predict(queries), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(queries), found)
    np.testing.assert_array_equal(federation.predict(fitted, queries[[*"dcab"]]), found)
    assert fitted.n_features_in_ == expected.n_features_in_
    assert list(fitted.feature_names_in_) == list(expected.feature_names_in_)


@pytest.mark.parametrize("width", [1, 3, 20])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_arrays(width, dtype):
    X = (numbers(2, 60, width) * 1000).astype(dtype)
    y = np.arange(60) % 7
    federation = fedps.Federation([(X[:10], y[:10]), (X[10:11], y[10:11]), (X[11:], y[11:])])
    fitted = federation.fit(KNeighborsRegressor(4))
    queries = (numbers(3, 9, width) * 1000).astype(dtype)
    expected = KNeighborsRegressor(4).fit(X, y).predict(queries)
    np.testing.assert_allclose(federation.predict(fitted, queries), expected, rtol=1e-12)
    assert fitted.score(queries, expected) == pytest.approx(1)
    np.testing.assert_allclose(fitted.predict(pl.DataFrame(queries).to_numpy()), expected)
    assert federation.predict(fitted, queries[:1]).shape == (1,)


def test_its_own_rows_are_at_no_distance():
    table = frame()
    X, y = parts(table)
    federation = fedps.Federation([table[:30], table[30:]], target="y")
    fitted = federation.fit(KNeighborsRegressor(weights="distance"))
    np.testing.assert_array_equal(federation.predict(fitted, X), y)


def test_far_from_zero():
    """Distances are those of the differences, where products of the cells would lose all digits."""
    table = frame()
    y = table["y"]
    far = table.assign(**{name: table[name] * 1e-3 + 1e9 for name in "abcd"})
    queries = far.drop(columns="y")[::3] + 1e-4
    apart = queries.to_numpy()[:, None] - far.drop(columns="y").to_numpy()
    nearest = np.argsort((apart**2).sum(axis=2), axis=1, kind="stable")[:, :5]
    federation = fedps.Federation([far[:30], far[30:]], target="y")
    found = federation.predict(federation.fit(KNeighborsRegressor()), queries)
    np.testing.assert_allclose(found, y.to_numpy()[nearest].mean(axis=1), rtol=1e-13)


def test_ties_by_distance_client_and_row():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 3)).astype(float), rng.normal(size=60)
    queries = rng.integers(0, 3, (20, 3)).astype(float)
    federation = fedps.Federation([(X[:20], y[:20]), (X[20:25], y[20:25]), (X[25:], y[25:])])
    for metric in ("euclidean", "manhattan", "hamming"):
        far = np.abs(queries[:, None] - X)
        far = {"euclidean": (far**2), "manhattan": far, "hamming": far > 0}[metric].sum(axis=2)
        nearest = np.argsort(far, axis=1, kind="stable")[:, :4]
        fitted = federation.fit(KNeighborsRegressor(4, metric=metric))
        found = federation.predict(fitted, queries)
        np.testing.assert_allclose(found, y[nearest].mean(axis=1), rtol=1e-13)


def test_after_an_imputer():
    table = frame()
    table[[*"abcd"]] = tables.with_holes(table[[*"abcd"]].to_numpy())
    X, y = parts(table)
    queries = pd.DataFrame(tables.with_holes(numbers(5, 12)), columns=[*"abcd"])
    federation = fedps.Federation([table[:30], table[30:31], table[31:]], target="y")
    for imputer in (SimpleImputer(), KNNImputer()):
        estimator = make_pipeline(StandardScaler(), imputer, KNeighborsRegressor())
        expected = clone(estimator).fit(X, y).predict(queries)
        fitted = federation.fit(estimator)
        np.testing.assert_allclose(federation.predict(fitted, queries), expected, rtol=1e-10)
        # all that one prediction asks is one run
        assert federation.run.rounds == 1 + isinstance(imputer, KNNImputer)


def test_queries_in_chunks(monkeypatch):
    table = frame()
    X, y = parts(table)
    federation = fedps.Federation([table[:30], table[30:]], target="y")
    fitted = federation.fit(KNeighborsRegressor())
    expected = KNeighborsRegressor().fit(X, y).predict(X + 0.01)
    monkeypatch.setattr("fedps.plans.rows.knn_regressor.QUERIES_AT_ONCE", 100)
    monkeypatch.setattr("fedps.statistics.neighbours.closest_rows.PIECE", 64)
    np.testing.assert_allclose(federation.predict(fitted, X + 0.01), expected, rtol=1e-12)
    assert federation.run.rounds == ROWS / 20
    assert federation.predict(fitted, X[:1]).shape == (1,)


def test_adult():
    try:
        table = data.adult(download=False)
    except DataMissing as error:
        pytest.skip(str(error))
    rng = np.random.default_rng(0)
    table = table.select_dtypes("number").iloc[:3000]
    table = table + rng.normal(0, 1e-3, table.shape)
    clients, queries = np.array_split(table.to_numpy(), 10), table.to_numpy()[:200, :-1] + 0.01
    federation = fedps.Federation([(part[:, :-1], part[:, -1]) for part in clients])
    estimator = make_pipeline(StandardScaler(), KNeighborsRegressor(weights="distance"))
    X, y = table.to_numpy()[:, :-1], table.to_numpy()[:, -1]
    expected = clone(estimator).fit(X, y).predict(queries)
    found = federation.predict(federation.fit(estimator), queries)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


# Mistakes, and what is shown --------------------------------------------------------------------


def test_policies_refuse_rows():
    clients = {"oslo": frame(), "bergen": frame(1)}
    federation = fedps.Federation(clients, target="y", policy=fedps.Policy())
    with pytest.raises(Refused) as caught:
        federation.fit(KNeighborsRegressor())
    assert str(caught.value) == (
        "clients 'oslo' and 'bergen' refused Neighbours: the policy there (level) allows SUMMARY, this "
        "needs ROWS. It would show the server: for each row to predict, the targets of the most "
        "similar rows here, and their distances. Use BayesianRidge, which needs only sums, or ask "
        "the data owner to raise level in the policy. [round 1]"
    )
    kept = fedps.Policy(level="ROWS", deny=["y"])
    federation = fedps.Federation(clients, target="y", policy=kept)
    with pytest.raises(Refused, match="keeps it back"):
        federation.fit(KNeighborsRegressor())


def test_explain_says_what_follows():
    federation = fedps.Federation([frame()], target="y")
    explained = federation.explain(KNeighborsRegressor())
    assert [row.level for row in explained.asks] == ["ROWS"]
    assert any("each prediction sends the rows" in text for text in explained.further)


def test_what_is_wrong_is_said():
    table = frame()
    federation = fedps.Federation([table[:3], table[3:4]], target="y")
    fitted = federation.fit(KNeighborsRegressor())
    queries = table.drop(columns="y")
    with pytest.raises(ValueError, match="n_neighbors = 5, n_samples_fit = 4"):
        federation.predict(fitted, queries)
    with pytest.raises(UsageError, match="give them"):
        federation.predict(fitted)
    with pytest.raises(UsageError, match="no column 'a'"):
        federation.predict(fitted, queries.drop(columns="a"))
    with pytest.raises(UsageError, match="not told"):
        fitted.kneighbors(queries)
    with pytest.raises(ValueError, match="NaN"):
        federation.predict(fitted, queries.assign(a=np.nan))
    with pytest.raises(UsageError, match="is not connected to a federation"):
        pickle.loads(pickle.dumps(fitted)).predict(queries)
    for metric in ("cosine", "nan_euclidean", "precomputed"):
        with pytest.raises(NotFederated, match="has no federated form"):
            federation.fit(KNeighborsRegressor(metric=metric))
    with pytest.raises(NotFederated, match="run no function"):
        federation.fit(KNeighborsRegressor(metric=lambda a, b: 0.0))
    with pytest.raises(ClientError, match="no target"):
        fedps.Federation([table]).fit(KNeighborsRegressor())
    with pytest.raises(ClientError, match="missing values in column 'b'"):
        fedps.Federation([table, table.assign(b=np.nan)], target="y").fit(KNeighborsRegressor())
    with pytest.raises(ClientError, match="a text target"):
        fedps.Federation([table.assign(y="a")], target="y").fit(KNeighborsRegressor())
    with pytest.raises(ClientError, match="missing values in the target"):
        fedps.Federation([table.assign(y=np.nan)], target="y").fit(KNeighborsRegressor())


def test_the_object_keeps_no_rows():
    federation = fedps.Federation([frame(rows=2000)], target="y")
    fitted = federation.fit(KNeighborsRegressor(3))
    assert repr(fitted) == "FederatedKNeighborsRegressor(n_neighbors=3)"
    assert len(pickle.dumps(fitted)) < 2000
    assert type(clone(fitted)) is KNeighborsRegressor
    assert fitted.n_samples_fit_ == 2000
