"""Lasso and ElasticNet by scikit-learn's own solver, on a few rows with the same products as all rows.

Coordinate descent looks at the rows through products of columns alone. A triangle R with R'R = X'X has
these products, so the solver takes the same steps on the rows of R, and stops at the same one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from fedps.statistics.base import Array


def fitted_on_few(
    model: Any, columns: Array, target: Array, count: int
) -> tuple[Array, dict[str, Any]]:
    """Return the coefficients and further attributes of a fit on ``count`` rows, from a triangle of them.

    Columns and target have been centred, if the model is to centre them.
    """
    few = np.zeros((max(len(columns), 1), columns.shape[1]))  # a single row has no triangle
    few[: len(columns)] = columns
    target = np.append(target, np.zeros(len(few) - len(target)))
    # the error is divided by the number of rows, and the penalty must keep up
    share = count / len(few)
    own = clone(model).set_params(fit_intercept=False, alpha=model.alpha * share)
    own.fit(few, target)
    attributes = {"n_iter_": own.n_iter_, "dual_gap_": own.dual_gap_ / share}
    return np.asarray(own.coef_, dtype=np.float64), attributes
