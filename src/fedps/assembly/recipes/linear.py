"""Linear models from their learned numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.learned import Facts

# what a fit on made-up rows need not do, and might say
PLAIN = {
    "max_iter": 1,
    "alpha_init": None,
    "lambda_init": None,
    "verbose": False,
    **dict.fromkeys(("alpha_1", "alpha_2", "lambda_1", "lambda_2"), 1e-6),
}


def bayesian_ridge(model: Any, learned: Facts, table: Any) -> Any:
    """Fit on any rows for the form of the attributes, then put the numbers in."""
    rows = like(table, [[0, 1]] * table.shape[1])
    asked = {name: getattr(model, name) for name in PLAIN}
    model.set_params(**PLAIN).fit(rows, np.array([0.0, 1.0]))
    model.set_params(**asked)
    scores = ["scores"] if model.compute_score else []
    for name in ("coef", "sigma", "X_offset", *scores):
        kind = getattr(model, f"{name}_").dtype
        setattr(model, f"{name}_", learned[name].astype(kind))
    for name in ("intercept", "alpha", "lambda"):
        kind = type(getattr(model, f"{name}_"))
        setattr(model, f"{name}_", kind(learned[name]))
    model.n_iter_ = int(learned["n_iter"])
    return rows
