"""ARD regression from a triangular factor: scikit-learn's loop, without any rows.

Like Bayesian ridge regression it needs the rows only for the products X'X and X'y and for the error sum
|y - Xw|^2, and a triangle R of the columns [X, y] has all three. With fewer rows than columns
scikit-learn inverts a matrix with a line for each row. X is QR with orthonormal Q, so what it makes of
that matrix is the same with R in place of X.
"""

from __future__ import annotations

from math import log
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import pinvh

from fedps.errors import UsageError
from fedps.statistics.base import Array

_EPS = float(np.finfo(np.float64).eps)


class ARDFit(NamedTuple):
    """What scikit-learn's ``ARDRegression`` has after its fit, by the names of its attributes."""

    coef_: Array
    alpha_: float
    lambda_: Array
    sigma_: Array  # of the columns that were not dropped
    scores_: list[Any]  # empty unless asked for
    n_iter_: int


def ard_from(model: Any, columns: Array, target: Array, count: int, variance: float) -> ARDFit:
    """Return what ``model.fit`` finds on ``count`` rows that have a triangle of columns and target.

    ``variance`` is the target's.
    """
    if count < 2:
        raise UsageError(
            "ARDRegression needs two rows at least, and a column has a single value. Leave the column "
            "out, or use BayesianRidge (the default)."
        )
    search = _Search(model, columns, target, count)
    with np.errstate(all="ignore"):  # precisions may leave the range of numbers, as in scikit-learn
        return search.run(np.float64(1 / (variance + _EPS)))


class _Search:
    """The precisions, and which columns are left, while they are searched."""

    def __init__(self, model: Any, columns: Array, target: Array, count: int) -> None:
        self._model = model
        self._columns, self._target, self._count = columns, target, count
        width = columns.shape[1]
        self._precisions = np.ones(width)
        self._coef = np.zeros(width)
        self._kept = np.ones(width, dtype=bool)
        self._scores: list[Any] = []

    def run(self, alpha: Any) -> ARDFit:
        model, before, step = self._model, self._coef, 0
        for step in range(1, model.max_iter + 1):
            alpha = self._step(alpha)
            if step > 1 and np.abs(before - self._coef).sum() < model.tol:
                break
            before = self._coef.copy()
            if not self._kept.any():
                break
        sigma = np.empty((0, 0))
        if self._kept.any():
            sigma = self._posterior(alpha)
        return ARDFit(self._coef, alpha, self._precisions, sigma, self._scores, step)

    def _step(self, alpha: Any) -> Any:
        """Find coefficients and new precisions, and drop columns; return the precision of the noise."""
        model, kept = self._model, self._kept
        sigma = self._posterior(alpha)
        errors = self._target - self._columns @ self._coef
        error = errors @ errors
        known = 1.0 - self._precisions[kept] * np.diagonal(sigma)
        spread = self._coef[kept] ** 2 + 2.0 * model.lambda_2
        self._precisions[kept] = (known + 2.0 * model.lambda_1) / spread
        alpha = (self._count - known.sum() + 2.0 * model.alpha_1) / (error + 2.0 * model.alpha_2)
        self._kept = self._precisions < model.threshold_lambda
        self._coef[~self._kept] = 0
        if model.compute_score:
            self._scores.append(self._score(alpha, sigma, error))
        return alpha

    def _posterior(self, alpha: Any) -> Array:
        """Put in the posterior mean of the coefficients that are left, and return their covariance."""
        columns, precisions = self._columns[:, self._kept], self._precisions[self._kept]
        if self._count >= self._columns.shape[1]:
            sigma = pinvh(np.diag(precisions) + alpha * (columns.T @ columns))
        else:
            shrunk = columns / precisions
            inner = np.eye(len(columns)) / alpha + shrunk @ columns.T
            # directions are dropped by the number of rows that scikit-learn has
            sigma = -shrunk.T @ pinvh(inner, rtol=self._count * _EPS) @ shrunk
            sigma[np.diag_indices_from(sigma)] += 1.0 / precisions
        self._coef[self._kept] = alpha * (sigma @ (columns.T @ self._target))
        return np.asarray(sigma)

    def _score(self, alpha: Any, sigma: Array, error: float) -> Any:
        """Return the log marginal likelihood, up to a constant."""
        model, precisions = self._model, self._precisions
        sign, logarithm = np.linalg.slogdet(sigma)
        prior = (model.lambda_1 * np.log(precisions) - model.lambda_2 * precisions).sum()
        prior += model.alpha_1 * log(alpha) - model.alpha_2 * alpha
        volume = logarithm if sign > 0 else -np.inf
        likely = volume + self._count * log(alpha) + np.log(precisions).sum()
        misfit = alpha * error + (precisions * self._coef**2).sum()
        return prior + 0.5 * likely - 0.5 * misfit
