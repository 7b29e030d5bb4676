"""Bayesian ridge regression from a factor is scikit-learn's on the rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import BayesianRidge

from fedps.plans.shared.ridge_math import bayesian_ridge_from
from fedps.statistics.products.triangular_factors import factor_of, joined

SETTINGS = {
    "default": {},
    "scores": {"compute_score": True},
    "no intercept": {"fit_intercept": False, "compute_score": True},
    "one step": {"max_iter": 1, "compute_score": True},
    "starts": {"alpha_init": 0.5, "lambda_init": 3.0},
    "to convergence": {"tol": 1e-12, "max_iter": 1000},
    "priors": {"alpha_1": 2.0, "alpha_2": 0.5, "lambda_1": 1.0, "lambda_2": 3.0},
    "flat priors": {"alpha_1": 0, "alpha_2": 0, "lambda_1": 0, "lambda_2": 0},
}
SHAPES = {
    "tall": (200, 5),
    "square": (6, 6),
    "one more column": (6, 7),
    "few rows": (4, 12),
    "one column": (30, 1),
    "one row": (1, 3),
    "two rows": (2, 1),
}


def problem(rows, width, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width)) * 10.0 ** rng.uniform(-1, 1, width) + rng.normal(size=width)
    return X, X @ rng.normal(size=width) + rng.normal(0, 0.3, rows) + 7


def compare(found, fitted, rtol):
    """Compare each attribute on the scale of its largest number."""
    for name, mine in found._asdict().items():
        theirs = np.asarray(getattr(fitted, name.rstrip("_") + "_"))
        size = np.abs(theirs).max(initial=0)
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=rtol * size + 1e-300, err_msg=name)


# without priors, nothing is left to divide by where the columns explain the target wholly
CASES = [
    pytest.param(params, (rows, width), id=f"{name}-{shape}")
    for name, params in SETTINGS.items()
    for shape, (rows, width) in SHAPES.items()
    if name != "flat priors" or rows > width + 1
]


@pytest.mark.parametrize(("params", "shape"), CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_same_as_on_the_rows(params, shape, weighted):
    X, y = problem(*shape)
    ridge = BayesianRidge(**params)
    weights = np.random.default_rng(2).integers(1, 5, len(X)) / 2 if weighted else None
    whole = factor_of(np.column_stack([X, y]), weights)
    compare(bayesian_ridge_from(ridge, whole), ridge.fit(X, y, weights), 1e-9)


def test_the_argument_is_not_fitted():
    ridge = BayesianRidge()
    bayesian_ridge_from(ridge, factor_of(np.column_stack(problem(20, 2))))
    assert set(vars(ridge)) == set(ridge.get_params())


def test_no_rows_give_no_error():
    """As in a rehearsal, where every answer is that of no rows."""
    for params in ({}, {"fit_intercept": False}, {"compute_score": True}):
        with np.errstate(all="ignore"):
            found = bayesian_ridge_from(BayesianRidge(**params), factor_of(np.empty((0, 4))))
        assert found.coef.shape == (3,)


def test_badly_scaled_columns():
    """Columns that differ by ten powers of ten and nearly depend on each other."""
    rng = np.random.default_rng(5)
    base = rng.normal(size=(3000, 4))
    near = base[:, 0] + 1e-5 * rng.normal(size=3000)
    X = np.column_stack([base, near]) * [1, 1e5, 1e-5, 1e2, 1] + [0, 1e6, 0, 1e4, 3]
    y = base @ [1, 2, 3, 4] + near + rng.normal(size=3000)
    ridge = BayesianRidge()
    parts = np.split(np.column_stack([X, y]), [10, 1000, 1003])
    found = bayesian_ridge_from(ridge, joined([factor_of(part) for part in parts]))
    ridge.fit(X, y)
    assert found.n_iter == ridge.n_iter_
    np.testing.assert_allclose(
        X @ found.coef + found.intercept, ridge.predict(X), rtol=0, atol=1e-9
    )
