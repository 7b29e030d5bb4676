"""Estimators that each owner fits on its own columns: their plans ask nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from fedps.errors import NotFederated, UsageError
from fedps.learned import Learned, Nothing, Numbers, PerClient
from fedps.learned.owners import OwnColumnsNumbers
from fedps.plans.shared.parameters import learned_for_owners
from fedps.protocol.plan import Plan, View

ColumnsPlan = Callable[[Any, View], Plan[Learned]]

# parameters that may have an item for each column
PER_COLUMN = ("categories", "drop", "n_bins", "knots")


def by_owner(estimator: Any, view: View) -> Plan[Learned]:
    """Learn nothing: each owner fits it on its own columns."""
    inner = getattr(estimator, "estimator", None)
    steps = [learned_for_owners(inner)] if isinstance(inner, BaseEstimator) else []
    return learned_for_owners(estimator, _own_columns(estimator, view), *steps)
    yield


def of_target(estimator: Any, view: View) -> Plan[Learned]:
    """Learn nothing: the owner of the target fits it."""
    if view.pooled.target_at is None:
        raise UsageError(
            "no client has a target. Name the column with Federation(..., target='column')."
        )
    return learned_for_owners(estimator)
    yield


def cell_by_cell(transformer: Any, view: View) -> Plan[Learned]:
    """Let each owner run a function that is known to work cell by cell."""
    ufunc = transformer.func is None or isinstance(transformer.func, np.ufunc)
    if owners_of(view) > 1 and not ufunc:
        raise NotFederated(
            "FunctionTransformer runs its function at each owner, on that owner's columns only. FedPS "
            "cannot tell whether yours works on each cell alone: use a NumPy ufunc such as np.log1p, or "
            "a ColumnTransformer that gives it columns of one owner."
        )
    return (yield from by_owner(transformer, view))


def beside_target(encoder: Any, view: View) -> Plan[Learned]:
    """Let the owner of the target fit an encoder that reads it, on its own columns."""
    at = [i for i, width in enumerate(view.widths) if width]
    if at and at != [view.pooled.target_at]:
        raise _not_across(
            encoder,
            "the target is with one client and the column with another. Use OneHotEncoder or "
            "OrdinalEncoder there",
        )
    return (yield from by_owner(encoder, view))


def only_at_one_owner(reason: str, plan: ColumnsPlan = by_owner) -> ColumnsPlan:
    """Return a plan for an estimator that mixes columns: one client must hold all of them."""

    def at_one_owner(estimator: Any, view: View) -> Plan[Learned]:
        if owners_of(view) > 1:
            raise _not_across(estimator, reason)
        return (yield from plan(estimator, view))

    return at_one_owner


def unless_alone(plan: ColumnsPlan) -> ColumnsPlan:
    """Return a plan that asks nothing if one client holds all columns: it fits them alone."""

    def across_owners(estimator: Any, view: View) -> Plan[Learned]:
        if owners_of(view) <= 1:
            return (yield from by_owner(estimator, view))
        return (yield from plan(estimator, view))

    return across_owners


def owners_of(view: View) -> int:
    """Return how many clients hold columns of a view."""
    return sum(width > 0 for width in view.widths)


def _not_across(estimator: Any, reason: str) -> NotFederated:
    name = type(estimator).__name__
    return NotFederated(f"{name} cannot be fitted on columns of several clients: {reason}.")


def _own_columns(estimator: Any, view: View) -> Numbers:
    """Return which columns each owner holds, for parameters that have an item per column."""
    values = {name: getattr(estimator, name, None) for name in PER_COLUMN}
    listed = {n: v for n, v in values.items() if v is not None and not isinstance(v, str | int)}
    every = sum(view.widths)
    for name, value in listed.items():
        items = np.shape(value)[-1] if name == "knots" else len(value)
        if items != every and not view.is_transformed:
            raise UsageError(
                f"{type(estimator).__name__}({name}=...) has {items} items; all clients together have "
                f"{every} columns for it. Give one item per column."
            )
    if not listed:
        return Nothing()
    own = PerClient(tuple(np.array(own, dtype=np.int64) for own in view.places))
    return OwnColumnsNumbers(own=own, listed=list(listed))
