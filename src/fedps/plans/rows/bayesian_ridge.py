"""Bayesian ridge regression on row-partitioned tables: one round."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.errors import UsageError
from fedps.learned import Learned
from fedps.learned.models import BayesianRidgeNumbers
from fedps.plans.shared.parameters import learned
from fedps.plans.shared.ridge_math import bayesian_ridge_from
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import Gram


def bayesian_ridge(ridge: Any, view: View, weight: str | None = None) -> Plan[Learned]:
    """Learn the posterior of the coefficients: all iterations follow from one factor."""
    factor = yield from ask(Gram(weight), view)
    if len(factor.triangle) and factor.count == 0:
        raise UsageError(f"the row weights in {weight!r} are all zero. Some must be positive.")
    try:
        with np.errstate(all="ignore"):  # there are no rows in a rehearsal
            found = bayesian_ridge_from(ridge, factor)
    except ValueError:  # the logarithm of a negative precision, as in scikit-learn
        if not ridge.compute_score:
            raise
        raise UsageError(
            "BayesianRidge(compute_score=True) has no score here: rows, or the sum of their weights, "
            "are too few for this many columns. Scale the weights up, or set compute_score=False."
        ) from None
    return learned(ridge, BayesianRidgeNumbers(**found._asdict()))
