"""ARD regression from a factor is scikit-learn's on the rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import ARDRegression

from fedps.errors import UsageError
from fedps.plans.rows.iterative.regressions import regress
from fedps.statistics.products.triangular_factors import factor_of

# where columns explain the target wholly, only a prior on the noise keeps rounding from growing
NOISE = {"alpha_1": 10, "alpha_2": 10}
SETTINGS = {
    "default": {},
    "scores": {"compute_score": True},
    "no intercept": {"fit_intercept": False, "compute_score": True},
    "one step": {"max_iter": 1, "compute_score": True},
    "none left": {"threshold_lambda": 0.0},
    "few left": {"threshold_lambda": 1.5},
    "priors": {"lambda_1": 1.0, "lambda_2": 3.0},
}
SHAPES = {
    "tall": (200, 5),
    "square": (6, 6),
    "one more column": (6, 7),
    "few rows": (10, 16),
    "one column": (30, 1),
    "two rows": (2, 1),
}


def problem(rows, width, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width)) + rng.normal(size=width)
    return X, X @ rng.normal(size=width) + rng.normal(size=rows) + 7


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", SETTINGS)
def test_same_as_on_the_rows(name, shape):
    rows, width = SHAPES[shape]
    X, y = problem(rows, width)
    model = ARDRegression(**SETTINGS[name] | ({} if rows > width + 1 else NOISE))
    found = regress(model, factor_of(np.column_stack([X, y])))
    model.fit(X, y)
    ours = {**found.attributes, "coef_": found.coef, "intercept_": found.intercept}
    for attribute, mine in ours.items():
        theirs = np.asarray(getattr(model, attribute))
        size = np.abs(theirs).max(initial=0)
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9 * size, err_msg=attribute)


def test_a_single_row():
    with pytest.raises(
        UsageError, match="needs two rows at least, and a column has a single value"
    ):
        regress(ARDRegression(), factor_of(np.ones((1, 3))))
