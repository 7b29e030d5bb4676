"""Fitted parts that ask the clients know what they were assembled from, and carry no view."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from fedps import Federation
from fedps.assembly import asking, asking_with_learned
from fedps.protocol.pooled import Options

rng = np.random.default_rng(0)
CELLS = rng.normal(size=(40, 4))
CELLS[rng.random(CELLS.shape) < 0.2] = np.nan
KNN = KNNImputer(n_neighbors=3)

ESTIMATORS = {
    "alone": (KNN, 1),
    "steps": (make_pipeline("passthrough", StandardScaler(), KNN, KNNImputer()), 2),
    "union": (make_union(KNN, "drop", SimpleImputer(), KNN), 2),
    "branches": (
        make_column_transformer(
            ("passthrough", [3]), (SimpleImputer(), [0]), (KNN, [1, 2, 0]), remainder="drop"
        ),
        1,
    ),
    "remainder": (make_column_transformer(("passthrough", [1]), remainder=KNN), 1),
    "nothing remains": (make_column_transformer((KNN, [0, 1, 2, 3]), remainder=KNN), 1),
    "no columns": (make_column_transformer((KNN, []), (KNN, [0, 2])), 1),
    "frozen": (make_pipeline(FrozenEstimator(SimpleImputer().fit(CELLS)), KNN), 1),
    "nested": (
        make_pipeline(
            make_column_transformer((make_pipeline(KNN, StandardScaler()), [0, 1]), remainder=KNN),
            make_union(SimpleImputer(), make_pipeline(KNN)),
        ),
        3,
    ),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parts_are_paired_with_what_they_were_assembled_from(name):
    estimator, number = ESTIMATORS[name]
    federation = Federation([CELLS[:25], CELLS[25:]])
    fitted, coordinator, _ = federation._split._fit(estimator, None, Options(), None)
    pairs = list(asking_with_learned(fitted, coordinator.outcome))
    assert [part for part, _ in pairs] == asking(fitted)
    assert len(pairs) == number
    for part, learned in pairs:
        assert part.known.view is None
        assert learned.numbers.view is not None
        np.testing.assert_array_equal(part.known.missing, learned.numbers.missing)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_new_rows_are_asked_about_where_the_part_was_fitted(name):
    estimator, _ = ESTIMATORS[name]
    new = np.where(rng.random((7, 4)) < 0.3, np.nan, rng.normal(size=(7, 4)))
    fitted = Federation([CELLS[:25], CELLS[25:]]).fit(estimator)
    pooled = estimator.fit(CELLS)
    np.testing.assert_allclose(fitted.transform(new), pooled.transform(new))


def test_a_regressor():
    y = np.arange(40.0)
    model = make_pipeline(SimpleImputer(), KNeighborsRegressor())
    federation = Federation([(CELLS[:25], y[:25]), (CELLS[25:], y[25:])])
    fitted = federation.fit(model)
    assert fitted[-1].known.rows == 40
    assert fitted[-1].known.view is None
    np.testing.assert_allclose(fitted.predict(CELLS), model.fit(CELLS, y).predict(CELLS))


def test_what_is_not_fitted_asks_nothing():
    """Pipelines are saved before they are fitted, too."""
    assert asking(make_column_transformer((KNNImputer(), ["a"]))) == []
