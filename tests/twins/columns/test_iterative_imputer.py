"""IterativeImputer across owners of columns: the same cells as pooled, in one round."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute import IterativeImputer
from sklearn.linear_model import ARDRegression, BayesianRidge, Lasso, LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import fedps
from tests.twins.columns.models import adult, heart, owned, quietly, related, with_gaps
from tests.twins.columns.owners import side_by_side

EXACT = BayesianRidge(tol=1e-11, max_iter=1000)
SETTINGS = {
    "plain": {},
    "random": {"imputation_order": "random", "random_state": 3},
    "random, skipping": {
        "imputation_order": "random",
        "random_state": 3,
        "skip_complete": True,
    },
    "descending": {"imputation_order": "descending", "initial_strategy": "median"},
    "roman": {"imputation_order": "roman", "initial_strategy": "most_frequent"},
    "arabic": {"imputation_order": "arabic", "skip_complete": True},
    "constant": {"initial_strategy": "constant", "fill_value": 2},
    "bounds": {"min_value": -0.5, "max_value": 0.8},
    "bounds of columns": {"min_value": -1 - np.arange(9) / 9, "max_value": np.arange(9) / 4 + 0.1},
    "ridge": {"estimator": Ridge(alpha=2.0)},
    "least squares": {"estimator": LinearRegression()},
    "no intercept": {"estimator": BayesianRidge(fit_intercept=False)},
    "least squares, no intercept": {"estimator": LinearRegression(fit_intercept=False)},
    "means": {"estimator": DummyRegressor(), "initial_strategy": "median"},
    "the same number": {"estimator": DummyRegressor(strategy="constant", constant=0.3)},
    "two sweeps": {"max_iter": 2},
    "no sweeps": {"max_iter": 0},
    "all columns": {"n_nearest_features": 9},
    "to convergence": {"estimator": EXACT, "tol": 1e-10, "max_iter": 100},
}
SOME = [1, 3, 4, 8]


def filled(made, imputer):
    fitted, outputs = quietly(made.fit_transform, imputer)
    return fitted, side_by_side(dict(enumerate(outputs)))


def compare_both(X, imputer, ends):
    """Compare at default tolerances, and where each regression goes on until it stays."""
    compare(X, imputer, ends, rtol=2e-3)
    if imputer.estimator is None:
        imputer.estimator = EXACT
    elif isinstance(imputer.estimator, BayesianRidge):
        imputer.estimator.set_params(tol=1e-11, max_iter=1000)
    compare(X, imputer, ends, rtol=1e-8)


def compare(X, imputer, ends, *, rtol):
    """Compare cells and sweeps with the pooled ones, in spreads of the columns."""
    made = owned(X, ends)
    fitted, found = filled(made, imputer)
    imputer = clone(imputer)  # one that was fitted goes on with its random numbers
    expected = quietly(imputer.fit_transform, X)
    scale = np.maximum(np.nanstd(expected, axis=0), 1e-12)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=rtol, atol=rtol)
    assert fitted.n_iter_ == imputer.n_iter_
    assert made.run.rounds == (imputer.max_iter > 0)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("ends", [[3, 4], list(range(1, 9))], ids=["3", "9"])
def test_settings(setting, ends):
    X = with_gaps(related(150, 9)[0], 0.2, columns=SOME)
    compare_both(X, clone(IterativeImputer(**SETTINGS[setting])), ends)


@pytest.mark.parametrize("share", [0.05, 0.4])
def test_every_column_has_gaps(share):
    X = with_gaps(related(150, 9)[0], share)
    compare_both(X, IterativeImputer(), [3, 4])


def _hostile():
    X = with_gaps(related(40, 6, seed=3)[0], 0.2, seed=3, columns=[0, 1, 4])
    nobody = X.copy()
    nobody[:, 0] = np.where(np.isnan(nobody[:, 1]), nobody[:, 0], np.nan)
    empty = X.copy()
    empty[:, 3] = np.nan
    one = X.copy()
    one[:, 4] = np.nan
    one[7, 4] = 3.0
    yield "an owner with no complete row", nobody
    yield "an empty column", empty
    yield "one cell in a column", one
    yield "constant columns", np.column_stack([np.ones(40), X, np.zeros(40)])
    yield "collinear", np.column_stack([X, X[:, 2] + X[:, 5], X[:, 2]])
    yield "fewer rows than columns", with_gaps(related(12, 20, seed=6)[0], 0.1, seed=1)
    yield "no gaps", np.nan_to_num(X)
    yield "one row", np.nan_to_num(X[:1])
    yield "nothing at all", np.full((5, 6), np.nan)
    yield "one column", X[:, [0, 5]] * [1, np.nan]
    yield "far from zero", X + 1e6
    yield "float32", X.astype(np.float32)
    yield "whole numbers", np.round(X * 4)


HOSTILE = dict(_hostile())


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("keep", [True, False])
def test_hostile_tables(name, keep):
    X = HOSTILE[name]
    for estimator, rtol in ((None, 2e-3), (EXACT, 1e-8)):
        imputer = IterativeImputer(estimator, keep_empty_features=keep)
        made = owned(X, [1, 2] if X.shape[1] > 2 else [1])
        expected = quietly(imputer.fit_transform, X)
        fitted, outputs = quietly(made.fit_transform, imputer)
        found = np.hstack([np.asarray(output) for output in outputs])
        near = {"float32": 2e-3, "far from zero": 1e-7}.get(name, rtol)
        scale = np.maximum(expected.std(axis=0), 1e-9)
        np.testing.assert_allclose(found / scale, expected / scale, rtol=near, atol=near)
        if name != "float32":
            assert fitted.n_iter_ == imputer.n_iter_


def test_a_marker_that_is_a_number():
    X = np.nan_to_num(with_gaps(related(80, 9)[0], columns=SOME), nan=-1.0)
    compare_both(X, IterativeImputer(missing_values=-1), [3, 4])


def test_indicators_frames_and_later_steps():
    X = pd.DataFrame(with_gaps(related()[0], columns=[0, 3, 5]), columns=list("abcdefg"))
    made = owned(X, [3, 4])
    imputer = IterativeImputer(add_indicator=True).set_output(transform="pandas")
    fitted, outputs = quietly(made.fit_transform, imputer)
    pooled = quietly(imputer.fit_transform, X)
    for output, part in zip(outputs, fitted.values(), strict=True):
        pd.testing.assert_frame_equal(output, pooled[output.columns], rtol=1e-9)
        assert list(part.get_feature_names_out()) == list(output.columns)
        assert part.n_iter_ == imputer.n_iter_
        assert part.max_iter == 10
    pipe = make_pipeline(StandardScaler(), IterativeImputer(), StandardScaler())
    _, found = filled(made, pipe)
    np.testing.assert_allclose(found, quietly(pipe.fit_transform, X), rtol=1e-8, atol=1e-8)


@pytest.mark.slow
def test_heart_disease():
    table = heart().drop(columns="num")
    made = owned(table, [3, 8])
    _, found = filled(made, IterativeImputer())
    expected = quietly(IterativeImputer().fit_transform, table)
    scale = expected.std(axis=0)
    np.testing.assert_allclose(found / scale, expected / scale, atol=2e-3)
    exact = IterativeImputer(EXACT, tol=1e-10, max_iter=200)
    compare(table, exact, [3, 8], rtol=1e-8)


def test_adult_with_a_tenth_removed():
    table = adult().drop(columns="income").iloc[:5000].to_numpy()
    X = with_gaps(table, columns=[0, 4, 12])
    made = owned(X, [5, 10])
    _, found = filled(made, IterativeImputer())
    expected = quietly(IterativeImputer().fit_transform, X)
    scale = expected.std(axis=0)
    np.testing.assert_allclose(found / scale, expected / scale, atol=2e-3)
    assert made.run.rounds == 1


def test_other_rows_need_everyone():
    X = with_gaps(related()[0])
    made = owned(X, [3])
    fitted = quietly(made.fit, IterativeImputer())
    with pytest.raises(ValueError, match="knows the 120 rows that it was fitted on, and got 5"):
        fitted["client 1"].transform(X[:5, :3])
    with pytest.raises(ValueError, match="different cells are missing"):
        fitted["client 1"].transform(X[::-1, :3])


def test_what_is_refused():
    made = owned(with_gaps(related()[0]), [3])
    for params, says in (
        ({"sample_posterior": True}, "draws each cell from the spread"),
        ({"n_nearest_features": 2}, "knows complete columns only rotated"),
        ({"estimator": DecisionTreeRegressor()}, "has no federated form"),
        ({"estimator": ARDRegression()}, "treats the coefficient of each column by itself"),
        ({"estimator": Lasso()}, "treats the coefficient of each column by itself"),
        ({"estimator": LinearRegression(positive=True)}, r"positive=True\) treats the coefficient"),
    ):
        with pytest.raises(fedps.NotFederated, match=says):
            made.fit(IterativeImputer(**params))
    with pytest.raises(fedps.UsageError, match="min_value must be below max_value"):
        made.fit(IterativeImputer(min_value=1, max_value=1))
    with pytest.raises(fedps.UsageError, match="max_value has 2 numbers and the table 7 columns"):
        made.fit(IterativeImputer(max_value=[1, 2]))
