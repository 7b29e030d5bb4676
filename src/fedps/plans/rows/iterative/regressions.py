"""The regressions by which IterativeImputer imputes, from a factor instead of rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sklearn
from scipy.optimize import nnls
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import (
    ARDRegression,
    BayesianRidge,
    ElasticNet,
    Lasso,
    LinearRegression,
    Ridge,
)

from fedps.errors import UsageError
from fedps.plans.rows.iterative.ard_math import ard_from
from fedps.plans.rows.iterative.few_rows import fitted_on_few
from fedps.plans.shared.ridge_math import bayesian_ridge_from
from fedps.statistics.base import Array
from fedps.statistics.products.triangular_factors import Factor, centred, moved, reduced

_EPS = float(np.finfo(np.float64).eps)
# since then LinearRegression drops directions by its tol=, before by the size of the table
CUTS_BY_TOL = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 9)


_TOO_LARGE = (
    "a regression of IterativeImputer has no finite coefficients: the numbers of some columns are too "
    "large, or their scales too different. Scale them first, for instance with StandardScaler."
)


class FittedRegression(NamedTuple):
    """A fitted regression: what it is applied by, and whatever else scikit-learn's object has."""

    coef: Array
    intercept: float
    shifted: float  # the intercept for cells less their pivots
    attributes: dict[str, Any]


def regress(estimator: Any, factor: Factor) -> FittedRegression:
    """Return the fit of the last column of a factor on the others."""
    if isinstance(estimator, DummyRegressor):
        return _same_for_all(estimator, factor)
    pivot = factor.pivot
    # an intercept makes up for any shift of the columns: without one they must be as they are
    frame = factor._replace(pivot=np.zeros_like(pivot)) if estimator.fit_intercept else factor
    try:
        coef, shifted, attributes = _KINDS[type(estimator)](estimator, frame)
    except np.linalg.LinAlgError:
        raise UsageError(_TOO_LARGE) from None
    if not np.isfinite([*coef, shifted]).all():
        raise UsageError(_TOO_LARGE)
    if not estimator.fit_intercept:
        return FittedRegression(coef, 0.0, float(coef @ pivot[:-1] - pivot[-1]), attributes)
    if "X_offset_" in attributes:
        attributes["X_offset_"] = attributes["X_offset_"] + pivot[:-1]
    intercept = float(shifted + pivot[-1] - coef @ pivot[:-1])
    return FittedRegression(coef, intercept, float(shifted), attributes)


def _same_for_all(dummy: Any, factor: Factor) -> FittedRegression:
    """Return what predicts the same whatever the other columns have: a mean or a constant."""
    pivot = factor.pivot[-1]
    if dummy.strategy == "constant":
        found = float(np.ravel(dummy.constant)[0])
        shifted = found - pivot
    else:
        means, _ = centred(factor._replace(pivot=np.zeros_like(factor.pivot)))
        shifted = means[-1]
        found = float(shifted + pivot)
    coef = np.zeros(len(factor.pivot) - 1)
    return FittedRegression(coef, found, float(shifted), {"constant_": [[found]]})


def _bayesian(ridge: Any, factor: Factor) -> tuple[Array, float, dict[str, Any]]:
    fit = bayesian_ridge_from(ridge, factor)
    attributes = {
        "alpha_": fit.alpha,
        "lambda_": fit.lambda_,
        "sigma_": fit.sigma,
        "n_iter_": fit.n_iter,
        "X_offset_": fit.X_offset,
    }
    if ridge.compute_score:
        attributes["scores_"] = fit.scores
    return fit.coef, fit.intercept, attributes


def _ard(model: Any, factor: Factor) -> tuple[Array, float, dict[str, Any]]:
    count = int(factor.count)
    variance = (centred(factor)[1][:, -1] ** 2).sum() / count
    means, columns, target = _frame(model, factor)
    fit = ard_from(model, columns, target, count, variance)
    attributes = {**fit._asdict(), "X_offset_": means[:-1]}
    coef = attributes.pop("coef_")
    return coef, means[-1] - means[:-1] @ coef, attributes


def _by_descent(model: Any, factor: Factor) -> tuple[Array, float, dict[str, Any]]:
    means, columns, target = _frame(model, factor)
    coef, attributes = fitted_on_few(model, columns, target, int(factor.count))
    return coef, means[-1] - means[:-1] @ coef, attributes


def _ridge(ridge: Any, factor: Factor) -> tuple[Array, float, dict[str, Any]]:
    means, columns, target = _frame(ridge, factor)
    left, singular, right = np.linalg.svd(columns, full_matrices=False)
    alpha = float(np.ravel(ridge.alpha)[0])
    shrunk = np.zeros_like(singular)
    kept = singular > _EPS * max(columns.shape) * singular.max(initial=0.0)
    kept |= (alpha > 0) & (singular > 0)
    shrunk[kept] = singular[kept] / (singular[kept] ** 2 + alpha)
    coef = (shrunk * (target @ left)) @ right
    return coef, means[-1] - means[:-1] @ coef, {}


def _least_squares(model: Any, factor: Factor) -> tuple[Array, float, dict[str, Any]]:
    means, columns, target = _frame(model, factor)
    if model.positive:
        coef = nnls(columns, target)[0] if len(columns) else np.zeros(columns.shape[1])
        return coef, means[-1] - means[:-1] @ coef, {}
    left, singular, right = np.linalg.svd(columns, full_matrices=False)
    rows, width = int(factor.count), columns.shape[1]
    cut = model.tol if CUTS_BY_TOL else _EPS * max(rows, width)
    kept = singular > cut * singular.max(initial=0.0)
    shrunk = np.where(kept, 1 / np.where(kept, singular, 1), 0.0)
    coef = (shrunk * (target @ left)) @ right
    told = np.zeros(min(rows, width))
    told[: len(singular)] = singular[: len(told)]
    return coef, means[-1] - means[:-1] @ coef, {"rank_": int(kept.sum()), "singular_": told}


_KINDS = {
    ARDRegression: _ard,
    BayesianRidge: _bayesian,
    ElasticNet: _by_descent,
    Lasso: _by_descent,
    LinearRegression: _least_squares,
    Ridge: _ridge,
}


def _frame(model: Any, factor: Factor) -> tuple[Array, Array, Array]:
    """Return the means to take off, and a factor of the columns and of the target less these."""
    means, below = centred(factor)
    if not model.fit_intercept:
        means = np.zeros_like(means)
        below = reduced(moved(factor, means).triangle[:, 1:])
    return means, below[:, :-1], below[:, -1]
