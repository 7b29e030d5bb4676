"""What is learned of a regression on the columns of several clients, for each of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fedps.learned import Kept, PerClient
from fedps.learned.owners import BayesianRidgePartNumbers
from fedps.plans.shared.ridge_math import RidgeFit
from fedps.statistics.base import Array
from fedps.statistics.products.triangular_factors import Factor, centred, moved


class OwnersFit(NamedTuple):
    """A regression, and whose its coefficients are."""

    factor: Factor  # of the columns of all clients, the target last
    fit: RidgeFit
    coef: tuple[Array, ...]  # of each client
    intercept: float
    is_rotated: bool  # whether only their owners can rotate the coefficients back


def ridge_part_numbers(ridge: Any, found: OwnersFit) -> BayesianRidgePartNumbers:
    """Return the coefficients for their owners, and for all what belongs to all."""
    fit = found.fit
    means, rows = centred(found.factor)
    if not ridge.fit_intercept:
        rows = moved(found.factor, np.zeros_like(found.factor.pivot)).triangle[:, 1:]
    columns = np.split(rows[:, :-1], np.cumsum([len(own) for own in found.coef])[:-1], axis=1)
    intercept = np.float64(found.intercept if ridge.fit_intercept else 0.0)
    whole: dict[str, Any] = {
        "intercept_": intercept,
        "alpha_": np.float64(fit.alpha),
        "lambda_": np.float64(fit.lambda_),
        "n_iter_": fit.n_iter,
        "scores_": fit.scores if ridge.compute_score else [],
    }
    if not found.is_rotated:
        whole["sigma_"] = fit.sigma
    return BayesianRidgePartNumbers(
        coef=PerClient(found.coef),
        sizes=PerClient(tuple(_size(*both) for both in zip(columns, found.coef, strict=True))),
        is_rotated=found.is_rotated,
        intercept=float(intercept),
        alpha=float(fit.alpha),
        lambda_=float(fit.lambda_),
        n_iter=fit.n_iter,
        scores=fit.scores,
        middle=Kept(float(means[-1]) if ridge.fit_intercept else 0.0),
        reach=Kept(float(np.linalg.norm(rows[:, -1]))),
        attributes=Kept(whole),
    )


def _size(columns: Array, coef: Array) -> Array:
    """Return how far a client's part of the predictions reaches, for it to see that all is well."""
    return np.array([np.linalg.norm(columns @ coef)])
