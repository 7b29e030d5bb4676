"""Bayesian ridge regression from a triangular factor: scikit-learn's loop, without any rows.

The loop needs the rows only for the error sum |y - Xw|^2 and the products X'X and X'y. A triangle
R of the columns [X, y], both less their means, has all three: R'R holds the products, and |R [-w, 1]|
is the error. So the server runs every iteration on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi
from typing import Any, NamedTuple

import numpy as np

from fedps.statistics.base import Array
from fedps.statistics.products.triangular_factors import Factor, centred, moved, reduced

_EPS = np.finfo(np.float64).eps

Settled = Callable[[Array], bool]


class RidgeFit(NamedTuple):
    """What scikit-learn's ``BayesianRidge`` has after its fit, by the names of its attributes."""

    coef: Array
    intercept: float
    alpha: float
    lambda_: float
    sigma: Array
    scores: Array  # empty unless asked for
    n_iter: int
    X_offset: Array


class _Rows(NamedTuple):
    """A few rows that stand for all: the columns of X in their singular values, and y."""

    columns: Array
    target: Array
    left: Array
    singular: Array
    right: Array  # all directions, those without a singular value too

    @property
    def squares(self) -> Array:
        return np.asarray(self.singular**2)

    def coefficients(self, alpha: float, lambda_: float) -> tuple[Array, float]:
        """Return the posterior mean of the coefficients, and the sum of squared errors."""
        shrunk = self.singular / (self.squares + lambda_ / alpha)
        coef = (shrunk * (self.target @ self.left)) @ self.right[: len(shrunk)]
        errors = self.target - self.columns @ coef
        return coef, errors @ errors

    def precisions(self, alpha: float, lambda_: float) -> Array:
        """Return the posterior precision in each direction."""
        found = np.full(self.right.shape[1], lambda_)
        found[: len(self.singular)] += alpha * self.squares
        return found


def bayesian_ridge_from(ridge: Any, factor: Factor, settled: Settled | None = None) -> RidgeFit:
    """Return what ``ridge.fit`` finds on the rows that a factor is of; its last column is the target.

    ``factor.count`` is the sum of the weights, where rows have some. ``settled`` says whether a change
    of the coefficients is small enough to stop; by default as scikit-learn decides.
    """
    if settled is None:
        settled = lambda change: bool(np.abs(change).sum() < ridge.tol)  # noqa: E731
    means, below = centred(factor)
    variance = np.sum(below[:, -1] ** 2) / np.float64(factor.count)
    if not ridge.fit_intercept:
        means = np.zeros_like(means)
        below = reduced(moved(factor, means).triangle[:, 1:])
    rows = _decomposed(below)
    coef, alpha, lambda_, scores, n_iter = _iterate(ridge, rows, factor.count, variance, settled)
    precisions = rows.precisions(alpha, lambda_)
    sigma = rows.right.T @ (rows.right / precisions[:, None])
    intercept = means[-1] - means[:-1] @ coef
    return RidgeFit(coef, intercept, alpha, lambda_, sigma, scores, n_iter, means[:-1])


def _decomposed(triangle: Array) -> _Rows:
    columns, target = triangle[:, :-1], triangle[:, -1]
    few = len(columns) < columns.shape[1]
    left, singular, right = np.linalg.svd(columns, full_matrices=few)
    return _Rows(columns, target, left[:, : len(singular)], singular, right)


def _iterate(
    ridge: Any, rows: _Rows, count: float, variance: float, settled: Settled
) -> tuple[Array, float, float, Array, int]:
    """Return coefficients, both precisions, scores and steps once the coefficients stay."""
    alpha = np.float64(1 / (variance + _EPS) if ridge.alpha_init is None else ridge.alpha_init)
    lambda_ = np.float64(1.0 if ridge.lambda_init is None else ridge.lambda_init)
    scores: list[float] = []
    before, steps = None, 0
    for _ in range(ridge.max_iter):
        steps += 1
        coef, error = rows.coefficients(alpha, lambda_)
        if ridge.compute_score:
            scores.append(_score(ridge, rows, count, alpha, lambda_, coef, error))
        known = np.sum(alpha * rows.squares / (lambda_ + alpha * rows.squares))
        lambda_ = (known + 2 * ridge.lambda_1) / (coef @ coef + 2 * ridge.lambda_2)
        alpha = (count - known + 2 * ridge.alpha_1) / (error + 2 * ridge.alpha_2)
        if before is not None and settled(before - coef):
            break
        before = coef
    final, error = rows.coefficients(alpha, lambda_)
    if ridge.compute_score:
        # as in scikit-learn: with the coefficients of the last step and the error of the final ones
        scores.append(_score(ridge, rows, count, alpha, lambda_, coef, error))
    return final, alpha, lambda_, np.array(scores), steps


def _score(
    ridge: Any,
    rows: _Rows,
    count: float,
    alpha: float,
    lambda_: float,
    coef: Array,
    error: float,
) -> float:
    """Return the log marginal likelihood."""
    precisions = rows.precisions(alpha, lambda_)
    prior = ridge.lambda_1 * log(lambda_) - ridge.lambda_2 * lambda_
    prior += ridge.alpha_1 * log(alpha) - ridge.alpha_2 * alpha
    return float(
        prior
        + 0.5
        * (
            len(coef) * log(lambda_)
            + count * log(alpha)
            - alpha * error
            - lambda_ * (coef @ coef)
            - np.log(precisions).sum()
            - count * log(2 * pi)
        )
    )
