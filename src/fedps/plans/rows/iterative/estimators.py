"""Which estimators IterativeImputer can impute by across clients, and why not by others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import (
    ARDRegression,
    BayesianRidge,
    ElasticNet,
    Lars,
    Lasso,
    LassoLars,
    LinearRegression,
    OrthogonalMatchingPursuit,
    Ridge,
)

from fedps.errors import NotFederated, UsageError

# they see rows only through sums of products of columns
FROM_SUMS = (
    ARDRegression,
    BayesianRidge,
    DummyRegressor,
    ElasticNet,
    Lasso,
    LinearRegression,
    Ridge,
)
# solvers of Ridge that are exact up to rounding: any of them gives what is computed here
DIRECT = ("auto", "svd", "cholesky")
_ONE_BY_ONE = (Lars, LassoLars, OrthogonalMatchingPursuit)
_CONSTANTS = ("mean", "constant")


def chosen_estimator(imputer: Any) -> Any:
    """Return the estimator that imputes, or say why it cannot be federated."""
    estimator = BayesianRidge() if imputer.estimator is None else imputer.estimator
    if type(estimator) not in FROM_SUMS:
        raise NotFederated(_why_not(type(estimator)))
    estimator._validate_params()  # noqa: SLF001 - before anything is asked, not after
    if isinstance(estimator, Ridge):
        _check_solver(estimator)
    if isinstance(estimator, DummyRegressor):
        _check_dummy(estimator)
    if isinstance(getattr(estimator, "precompute", False), np.ndarray | list | tuple):
        raise UsageError(
            f"{type(estimator).__name__}(precompute=...) with a matrix is about one regression, and "
            "IterativeImputer has one for each column. Use True or False."
        )
    return estimator


def chosen_for_owners(imputer: Any) -> Any:
    """Return the estimator that imputes from columns of several owners, or say why it cannot."""
    estimator = chosen_estimator(imputer)
    name = type(estimator).__name__
    by_column = isinstance(estimator, ARDRegression | ElasticNet)  # a Lasso is an ElasticNet
    if getattr(estimator, "positive", False):
        name, by_column = f"{name}(positive=True)", True
    if by_column:
        raise NotFederated(
            f"{name} treats the coefficient of each column by itself, and with split='columns' the "
            "server knows complete columns only rotated, as mixtures of one another. Use BayesianRidge "
            "(the default), LinearRegression or Ridge."
        )
    return estimator


def _why_not(kind: type) -> str:
    """Return why there is no federated form of an estimator."""
    why = "fits it on the rows themselves, and they stay with the clients"
    if issubclass(kind, _ONE_BY_ONE):
        why = (
            "takes columns in one by one, and which of several alike comes first is decided by how "
            "sums over the rows are rounded"
        )
    known = ", ".join(sorted(known.__name__ for known in FROM_SUMS))
    return (
        f"IterativeImputer(estimator={kind.__name__}()) has no federated form: scikit-learn {why}. "
        f"These need only sums of products of columns: {known}."
    )


def _check_solver(ridge: Any) -> None:
    for name, value, others in (
        ("positive", ridge.positive, (False,)),
        ("solver", ridge.solver, DIRECT),
    ):
        if value not in others:
            raise NotFederated(
                f"Ridge({name}={value!r}) stops at an approximation that depends on the rows and their "
                f"order. Use {name}={' or '.join(map(repr, others))}: that is solved exactly, and so is this."
            )


def _check_dummy(dummy: Any) -> None:
    if dummy.strategy not in _CONSTANTS:
        raise NotFederated(
            f"DummyRegressor(strategy={dummy.strategy!r}) needs quantiles, and IterativeImputer asks "
            "clients for sums of products, which do not have them. Use mean or constant; "
            "SimpleImputer(strategy='median') imputes medians."
        )
    if dummy.strategy == "constant":
        given = np.ravel(np.asarray(dummy.constant, dtype=object))
        if given.size != 1 or not isinstance(given[0], int | float | np.number):
            raise UsageError(
                f"DummyRegressor(constant={dummy.constant!r}) imputes no number. Give one number."
            )
