"""KNNImputer across owners of columns: the same cells as pooled, and no cell leaves its owner."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import KNNImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import fedps
from fedps.plans.columns import knn_imputer as columns_knn
from tests.twins.columns.models import adult, heart, owned, related, with_gaps
from tests.twins.columns.owners import side_by_side

SETTINGS = {
    "plain": {},
    "one": {"n_neighbors": 1},
    "more than there are": {"n_neighbors": 500},
    "distance": {"weights": "distance"},
    "function": {"weights": lambda d: np.exp(-d)},
    "empty kept": {"keep_empty_features": True},
}


def filled(made, imputer):
    _, outputs = made.fit_transform(imputer)
    outputs = outputs if isinstance(outputs, dict) else dict(enumerate(outputs))
    return side_by_side(outputs)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("ends", [[3, 4], [1, 2, 3, 4, 5, 6]], ids=["3", "7"])
@pytest.mark.parametrize("share", [0.05, 0.6])
def test_settings(setting, ends, share):
    X = with_gaps(related()[0], share)
    X[:, 5] = np.nan
    imputer = KNNImputer(**SETTINGS[setting])
    made = owned(X, ends)
    found = filled(made, imputer)
    assert made.run.rounds == 2
    # scikit-learn multiplies distances out, which weights of near rows feel
    rtol = 1e-9 if callable(imputer.weights) or imputer.weights == "distance" else 1e-12
    np.testing.assert_allclose(found, imputer.fit_transform(X), rtol=rtol, atol=rtol)


def _hostile():
    X = with_gaps(related(40, 6, seed=3)[0], 0.2, seed=3)
    lonely = X.copy()
    lonely[0, 1:] = np.nan
    lonely[1:, 0] = np.nan
    nobody = X.copy()
    nobody[:, 3] = np.where(np.isnan(nobody[:, :3]).any(axis=1), nobody[:, 3], np.nan)
    one = X.copy()
    one[:, 2] = np.nan
    one[7, 2] = 3.0
    yield "a row that is comparable to none", lonely
    yield "an owner with no complete row", nobody
    yield "one cell in a column", one
    yield "rows without any cell", np.vstack([X, np.full((3, 6), np.nan)])
    yield "a constant column", np.column_stack([X, np.ones(40)])
    yield "twice the same column", np.column_stack([X, X[:, 0]])
    yield "fewer rows than columns", X[:4]
    yield "one row", X[:1]
    yield "no gaps", np.nan_to_num(X)
    yield "nothing at all", np.full((5, 6), np.nan)
    yield "far from zero", X + 1e4
    yield "float32", X.astype(np.float32)


HOSTILE = dict(_hostile())


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("keep", [True, False])
def test_hostile_tables(name, keep):
    X = HOSTILE[name]
    imputer = KNNImputer(n_neighbors=3, keep_empty_features=keep)
    made = owned(X, [1, 2])
    expected = imputer.fit_transform(X)
    if not keep and np.isnan(X).all():
        assert all(output.shape[1] == 0 for output in made.fit_transform(imputer)[1])
        return
    rtol = 1e-5 if name == "float32" else 1e-9
    np.testing.assert_allclose(filled(made, imputer), expected, rtol=rtol)


def test_a_marker_that_is_a_number():
    X = np.nan_to_num(with_gaps(related()[0]), nan=-1.0)
    imputer = KNNImputer(missing_values=-1)
    np.testing.assert_allclose(filled(owned(X, [3]), imputer), imputer.fit_transform(X), rtol=1e-12)
    X[3, 3] = np.nan
    with pytest.raises(fedps.ClientError, match="'client 2' has missing values in column 0"):
        owned(X, [3]).fit(imputer)


def test_indicators_frames_and_later_steps():
    X = pd.DataFrame(with_gaps(related()[0]), columns=list("abcdefg"))
    made = owned(X, [3, 4])
    imputer = KNNImputer(add_indicator=True).set_output(transform="pandas")
    fitted, outputs = made.fit_transform(imputer)
    pooled = imputer.fit_transform(X)
    for output, part in zip(outputs, fitted.values(), strict=True):
        pd.testing.assert_frame_equal(output, pooled[output.columns], rtol=1e-12)
        assert list(part.get_feature_names_out()) == list(output.columns)
    again = made.transform(fitted)
    pd.testing.assert_frame_equal(again[0], outputs[0])
    pipe = make_pipeline(StandardScaler(), KNNImputer(), MinMaxScaler())
    np.testing.assert_allclose(filled(made, pipe), pipe.fit_transform(X), rtol=1e-10, atol=1e-12)
    some = ColumnTransformer([("k", KNNImputer(), ["a", "b", "d", "g"])])
    np.testing.assert_allclose(filled(made, some), some.fit_transform(X), rtol=1e-12)


def test_columns_of_one_owner_need_nobody():
    X = pd.DataFrame(with_gaps(related()[0]), columns=list("abcdefg"))
    made = owned(X, [3])
    some = ColumnTransformer([("k", KNNImputer(), ["a", "b"])])
    fitted = made.fit(some)
    assert made.run.rounds == 0
    assert type(fitted["client 1"].named_transformers_["k"]) is KNNImputer


@pytest.fixture
def _large(monkeypatch):
    """Treat every table as one whose distances are too many to send them all."""
    monkeypatch.setattr(columns_knn, "FEW_DISTANCES", -1)
    monkeypatch.setattr(columns_knn, "MOST_CODES", 350)
    monkeypatch.setattr(columns_knn, "MOST_CELLS", 100)


@pytest.mark.usefixtures("_large")
@pytest.mark.parametrize("setting", SETTINGS)
def test_chunks(setting):
    X = with_gaps(related(50)[0])
    imputer = KNNImputer(**SETTINGS[setting])
    made = owned(X, [3])
    rtol = 1e-9 if callable(imputer.weights) or imputer.weights == "distance" else 1e-12
    np.testing.assert_allclose(filled(made, imputer), imputer.fit_transform(X), rtol=rtol)
    assert made.run.rounds >= 1 + -(-int(np.isnan(X).any(axis=1).sum()) // 7)


@pytest.mark.usefixtures("_large")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_tables_in_chunks(name):
    test_hostile_tables(name, keep=True)


@pytest.mark.usefixtures("_large")
def test_ties_in_chunks():
    X = with_gaps(np.random.default_rng(2).integers(0, 3, (60, 5)).astype(float))
    np.testing.assert_allclose(filled(owned(X, [2]), KNNImputer()), by_hand(X, 5), rtol=1e-10)


def test_other_rows_need_everyone():
    X = with_gaps(related()[0])
    made = owned(X, [3])
    fitted = made.fit(KNNImputer())
    with pytest.raises(ValueError, match="knows the 120 rows that it was fitted on, and got 5"):
        fitted["client 1"].transform(X[:5, :3])
    with pytest.raises(ValueError, match="different cells are missing"):
        fitted["client 1"].transform(X[::-1, :3])
    with pytest.raises(fedps.NotFederated, match="Use metric='nan_euclidean'"):
        made.fit(KNNImputer(metric=lambda a, b, **_: 0.0))


def test_heart_disease():
    """Ties are many here: compare with the documented rule, the first of equally near rows."""
    table = heart().drop(columns="num")
    X = table.to_numpy()
    found = filled(owned(table, [3, 8]), KNNImputer())
    np.testing.assert_allclose(found, by_hand(X, 5), rtol=1e-10)


def by_hand(X, k):
    """Return what fills each gap: the mean of the k nearest rows that have the cell."""
    result, present = X.copy(), ~np.isnan(X)
    whole = np.where(present, X, 0.0)
    for i in np.flatnonzero(~present.all(axis=1)):
        both = present & present[i]
        squares = (np.where(both, whole - whole[i], 0.0) ** 2).sum(axis=1)
        common = both.sum(axis=1)
        away = np.where(common, squares * X.shape[1] / np.maximum(common, 1), np.inf)
        for j in np.flatnonzero(~present[i]):
            donors = np.flatnonzero(present[:, j] & np.isfinite(away))
            near = donors[np.argsort(away[donors].round(9), kind="stable")][:k]
            result[i, j] = X[near, j].mean() if near.size else np.nanmean(X[:, j])
    return result


def test_adult_with_a_tenth_removed():
    table = adult().drop(columns="income").iloc[:1500].to_numpy()
    noisy = table + np.random.default_rng(0).normal(size=table.shape) * table.std(axis=0) * 0.1
    X = with_gaps(noisy / table.std(axis=0))
    np.testing.assert_allclose(
        filled(owned(X, [5, 10]), KNNImputer()), KNNImputer().fit_transform(X), rtol=1e-9
    )


def test_what_is_told_are_positions_not_cells():
    X = with_gaps(related()[0])
    made = owned(X, [3, 4])
    made.fit(KNNImputer())
    asked = [(row.statistic, row.level) for row in made.run.asks]
    assert asked == [("GapMask", "ROWS"), ("RowDistances", "ROWS")]
