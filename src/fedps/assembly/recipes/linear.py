"""Linear models from their learned numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.learned.models import BayesianRidgeNumbers

# what a fit on made-up rows need not do, and might warn or print
_QUICK = {
    "max_iter": 1,
    "alpha_init": None,
    "lambda_init": None,
    "verbose": False,
    **dict.fromkeys(("alpha_1", "alpha_2", "lambda_1", "lambda_2"), 1e-6),
}


def assemble_bayesian_ridge(model: Any, numbers: BayesianRidgeNumbers, table: Any) -> Any:
    """Fit on any rows for the form of the attributes, then put the numbers in."""
    rows = like(table, [[0, 1]] * table.shape[1])
    asked = {name: getattr(model, name) for name in _QUICK}
    model.set_params(**_QUICK).fit(rows, np.array([0.0, 1.0]))
    model.set_params(**asked)
    # in the types that scikit-learn itself gives them, which depend on those of the table
    model.coef_ = numbers.coef.astype(model.coef_.dtype)
    model.sigma_ = numbers.sigma.astype(model.sigma_.dtype)
    model.X_offset_ = numbers.X_offset.astype(model.X_offset_.dtype)
    if model.compute_score:
        model.scores_ = numbers.scores.astype(model.scores_.dtype)
    model.intercept_ = type(model.intercept_)(numbers.intercept)
    model.alpha_ = type(model.alpha_)(numbers.alpha)
    model.lambda_ = type(model.lambda_)(numbers.lambda_)
    model.n_iter_ = int(numbers.n_iter)
    return rows
