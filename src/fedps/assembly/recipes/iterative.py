"""IterativeImputer from its learned regressions."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute._iterative import _ImputerTriplet
from sklearn.linear_model import BayesianRidge, LinearRegression
from sklearn.utils.validation import FLOAT_DTYPES, check_array, validate_data

from fedps.assembly.recipes.imputers import rows_with_gaps
from fedps.learned import needed
from fedps.learned.imputers import IterativeImputerNumbers

Regression = _ImputerTriplet

# for a fit on made-up rows: no random draws, one sweep, and what it finds is replaced
_QUICK = {"imputation_order": "roman", "n_nearest_features": None, "verbose": 0, "tol": 1e300}
# and for a regression on them: nothing to print or to warn of
_CALM = {"verbose": False, "alpha": 1.0, "l1_ratio": 0.5, "tol": 1.0, "max_iter": 1000}


def assemble_iterative_imputer(imputer: Any, numbers: IterativeImputerNumbers, table: Any) -> Any:
    """Fit on a row that is there and one that is not, then put the regressions in."""
    marker = imputer.missing_values
    rows = rows_with_gaps(table, marker, numbers.missing, numbers.rows, numeric=True)
    asked = {name: getattr(imputer, name) for name in (*_QUICK, "max_iter", "estimator")}
    once = min(1, imputer.max_iter)
    with np.errstate(over="ignore"):
        imputer.set_params(**_QUICK, max_iter=once, estimator=LinearRegression()).fit(
            cells_of(rows)
        )
    imputer.set_params(**asked)
    validate_data(imputer, rows, skip_check_array=True)  # for the names of the columns
    imputer._estimator = BayesianRidge() if imputer.estimator is None else clone(imputer.estimator)
    first = imputer.initial_imputer_
    if first.strategy != "constant":
        first.statistics_ = needed(numbers.statistics).astype(first.statistics_.dtype)
    if imputer.n_iter_ > 0:
        imputer.n_iter_ = int(numbers.n_iter)
        _put_in(imputer, numbers)
    _wind(imputer.random_state_, numbers)
    return rows


def cells_of(rows: Any) -> Any:
    """Return a table as an array that can be written to: a fit may do so, and a frame's cannot."""
    return np.array(check_array(rows, dtype=FLOAT_DTYPES, ensure_all_finite="allow-nan"))


def _put_in(imputer: Any, numbers: IterativeImputerNumbers) -> None:
    """Replace the sequence of regressions by the learned one."""
    made_up = imputer.imputation_sequence_
    if not made_up:
        return
    width = len(made_up[0].neighbor_feat_idx) + 1
    dtype = made_up[0].estimator.coef_.dtype
    coef, intercepts = numbers.coef, numbers.intercept
    model = _fitted(imputer._estimator, coef.shape[1], dtype)
    # a client is told what a prediction needs; further attributes are the server's only
    fits = [{}] * len(coef) if numbers.fits is None else numbers.fits.value
    imputer.imputation_sequence_ = []
    for step, column in enumerate(numbers.columns):
        if numbers.neighbours is None:
            others = np.delete(np.arange(width), column)
        else:
            others = numbers.neighbours[step]
        own = fits[step]
        if hasattr(model, "coef_"):
            own = {"coef_": coef[step], "intercept_": intercepts[step], **own}
        imputer.imputation_sequence_.append(Regression(column, others, _with(model, own)))


def _fitted(estimator: Any, width: int, dtype: Any) -> Any:
    """Return an estimator fitted on made-up rows, for the form of its attributes."""
    model = clone(estimator)
    asked = {name: value for name, value in model.get_params().items() if name in _CALM}
    model.set_params(**{name: _CALM[name] for name in asked})
    rows = np.eye(width + 2, width, dtype=dtype)  # all columns differ, so no solver complains
    with np.errstate(all="ignore"):
        model.fit(rows, np.arange(width + 2, dtype=dtype) % 2)
    return model.set_params(**asked)


def _with(model: Any, attributes: Mapping[str, Any]) -> Any:
    """Return a copy of a fitted model with different attributes, in the types that its own have."""
    twin = copy(model)
    for name, value in attributes.items():
        own = getattr(model, name)
        if isinstance(own, np.ndarray):
            setattr(twin, name, np.asarray(value, dtype=own.dtype))
        else:
            setattr(twin, name, type(own)(value))
    return twin


def _wind(random: Any, numbers: IterativeImputerNumbers) -> None:
    """Put random numbers into the state that the fit left them in, if it drew some."""
    if numbers.random_keys is None or numbers.random_position is None:
        return
    state = list(random.get_state())
    state[1], state[2] = numbers.random_keys.value, numbers.random_position.value
    random.set_state(tuple(state))
