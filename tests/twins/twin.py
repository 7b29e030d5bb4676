"""Fit one estimator twice, pooled by scikit-learn and across clients by FedPS, and compare."""

from __future__ import annotations

import inspect
from copy import deepcopy

import polars as pl
import pytest
from sklearn.base import clone

import fedps
from fedps.errors import FedPSError
from tests.rotation import rotated
from tests.twins import tables
from tests.twins.compare import assert_same_fit, assert_same_transform, assert_unchanged
from tests.twins.gaps import unified
from tests.twins.partitions import pool, suits
from tests.twins.quiet import quiet

RAISED = (FedPSError, ValueError, TypeError)


def check(estimator, clients, *, probe=None, rtol=1e-12, scale=0.0):
    """Compare the fit across ``clients`` with the pooled one; where that raises, ours must too.

    Both are then applied to the pooled rows, and to the rows of ``probe`` if there are any.
    """
    table = unified(pool(clients), clients)
    rows = [table] if probe is None else [table, probe]
    compare(estimator, fedps.Federation(clients), table, None, rows=rows, rtol=rtol, scale=scale)


def compare(estimator, federation, *fit, rows, rtol=1e-12, scale=0.0):
    """Compare ``federation.fit(estimator)`` with ``estimator.fit(*fit)``, and on tables ``rows``."""
    before = deepcopy(estimator)
    pooled = fit_pooled(estimator, *fit)
    if isinstance(pooled, Exception):
        with quiet(), pytest.raises((*RAISED, type(pooled))):
            federation.fit(estimator)
        return
    with quiet():
        ours = federation.fit(estimator)
    assert_unchanged(estimator, before)
    assert_same_fit(ours, pooled, rtol, scale)
    for table in rows:
        assert_same_transform(ours, pooled, table, rtol)


def fit_pooled(estimator, *fit, **kwargs):
    """Return the pooled fit, or the error that it raises."""
    with quiet():
        try:
            return clone(estimator).fit(*fit, **kwargs)
        except Warning:
            raise
        except Exception as error:  # noqa: BLE001 (any error must be an error in ours too)
            return error


def cross(settings, *partitions):
    """Return test parameters: settings under partitions that suit their tables, in rotation.

    A setting is a name with a pair of an estimator and a builder of tables; the estimator is None
    where the installed scikit-learn lacks one of its parameters.
    """
    cases, choices = [], []
    for name, (estimator, builder) in settings.items():
        table = builder()
        if marks := _marks(estimator, table):
            cases.append(pytest.param(estimator, builder, None, id=name, marks=marks))
        else:
            choices.append((name, [each for each in partitions if suits(each, table)]))
    for name, partition in rotated(choices):
        case = f"{name}-{partition.__name__}"
        cases.append(pytest.param(*settings[name], partition, id=case))
    return cases


def without(settings, others):
    """Return the settings whose name is not among the others."""
    return {name: setting for name, setting in settings.items() if name not in others}


def _marks(estimator, table):
    if estimator is None:
        return [pytest.mark.skip(reason="a parameter that this scikit-learn does not have")]
    if isinstance(table, pl.DataFrame) and not tables.POLARS_NAMED:
        return [pytest.mark.skip(reason="this scikit-learn does not see this polars' names")]
    return []


def if_known(kind, **params):
    """Return the estimator, or None where its class lacks one of the parameters."""
    known = inspect.signature(kind).parameters
    return kind(**params) if set(params) <= set(known) else None
