"""Nearest-neighbours regression across owners of columns: the same predictions as pooled."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from fedps.plans.columns import knn_regressor as columns_neighbours
from fedps.plans.columns.nearest_rows import k_nearest_rows
from tests.twins.columns.models import cut, owned, related

SETTINGS = {
    "plain": {},
    "one": {"n_neighbors": 1},
    "all": {"n_neighbors": 90},
    "distance": {"weights": "distance"},
    "function": {"weights": lambda d: np.exp(-d)},
    "manhattan": {"p": 1},
    "minkowski": {"p": 3, "weights": "distance"},
    "weighted minkowski": {"p": 2, "metric_params": {"w": np.arange(1.0, 8.0)}},
    "chebyshev": {"metric": "chebyshev", "weights": "distance"},
    "squared": {"metric": "sqeuclidean", "weights": "distance"},
    "canberra": {"metric": "canberra"},
    "brute": {"algorithm": "brute"},
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("ends", [[3, 4], [1, 2, 3, 4, 5, 6]], ids=["3", "7"])
def test_settings(setting, ends):
    X, y = related(90)
    queries = related(25, seed=9)[0]
    regressor = KNeighborsRegressor(**SETTINGS[setting])
    made = owned(X, ends, y, at=1)
    fitted = made.fit(regressor)
    assert made.run.rounds == 1
    found = made.predict(fitted, cut(queries, ends))
    assert made.run.rounds == 2
    np.testing.assert_allclose(found, regressor.fit(X, y).predict(queries), rtol=1e-12)
    # rows that were learned from are their own nearest
    own = made.predict(fitted)
    np.testing.assert_allclose(own, regressor.predict(X), rtol=1e-12)


@pytest.mark.parametrize("queries", [0, 1, 7, 8, 9, 25])
def test_chunks(queries, monkeypatch):
    monkeypatch.setattr(columns_neighbours, "MOST_CELLS", 8 * 90)
    X, y = related(90)
    rows = related(max(queries, 1), seed=9)[0][:queries]
    made = owned(X, [3], y)
    found = made.predict(made.fit(KNeighborsRegressor()), cut(rows, [3]))
    chunks = queries // 8 + 1
    assert made.run.rounds == chunks + (queries % 8 > 0)
    pooled = KNeighborsRegressor().fit(X, y)
    expected = pooled.predict(rows) if queries else np.empty(0)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_far_from_zero():
    X, y = related(60, 4)
    X = X + 1e9
    made = owned(X, [1], y)
    regressor = KNeighborsRegressor(weights="distance")
    found = made.predict(made.fit(regressor), cut(X[::2] + 0.01, [1]))
    np.testing.assert_allclose(found, regressor.fit(X, y).predict(X[::2] + 0.01), rtol=1e-6)


def test_of_equally_far_rows_the_first_are_taken():
    X, y = np.zeros((6, 2)), np.arange(6.0)
    X[:2] = 1
    made = owned(X, [1], y)
    fitted = made.fit(KNeighborsRegressor(n_neighbors=2))
    np.testing.assert_array_equal(made.predict(fitted, [[[0.0]], [[0.0]]]), [2.5])
    lines = np.random.default_rng(0).integers(0, 4, (200, 12)).astype(float)
    for k in range(1, 14):
        expected = np.argsort(lines, axis=1, kind="stable")[:, :k]
        np.testing.assert_array_equal(k_nearest_rows(lines, k), expected)


def test_as_the_last_step():
    X, y = related(90)
    pipe = make_pipeline(StandardScaler(), KNeighborsRegressor())
    made = owned(X * 10.0 ** np.arange(7), [3], y)
    fitted = made.fit(pipe)
    pipe.fit(X * 10.0 ** np.arange(7), y)
    queries = related(5, seed=3)[0] * 10.0 ** np.arange(7)
    np.testing.assert_allclose(
        made.predict(fitted, cut(queries, [3])), pipe.predict(queries), rtol=1e-12
    )


def test_what_is_not_there():
    X, y = related(30, 4)
    made = owned(X, [2], y)
    with pytest.raises(fedps.UsageError, match="needs a target, and no client has one"):
        owned(X, [2]).fit(KNeighborsRegressor())
    with pytest.raises(fedps.NotFederated, match="Name a metric"):
        made.fit(KNeighborsRegressor(metric=lambda a, b: 0.0))
    with pytest.raises(fedps.UsageError, match="has 3 weights; all clients together have 4"):
        made.fit(KNeighborsRegressor(metric_params={"w": [1, 2, 3]}))
    with pytest.raises(fedps.ClientError, match="'client 2' has missing values in column 1"):
        owned(np.where(np.arange(4) == 3, np.nan, X), [2], y).fit(KNeighborsRegressor())
    with pytest.raises(fedps.ClientError, match="a text target, and this estimator"):
        owned(X, [2], np.array(["no", "yes"] * 15)).fit(KNeighborsRegressor())
    fitted = made.fit(KNeighborsRegressor(n_neighbors=31))
    with pytest.raises(fedps.UsageError, match="n_neighbors = 31, n_samples_fit = 30"):
        made.predict(fitted)
    with pytest.raises(ValueError, match=r"use federation\.predict\(fitted, queries\)"):
        fitted["client 1"].predict(X[:, :2])
    # missing cells of rows to predict have no distance
    fitted = made.fit(KNeighborsRegressor())
    with pytest.raises(fedps.ClientError, match="have missing values in column 0"):
        made.predict(fitted, cut(X * np.nan, [2]))
