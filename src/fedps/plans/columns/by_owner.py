"""Plans where each client has other columns of the same rows.

What works column by column needs no plan: its owner fits it. The rest asks about whole rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn import compose, impute, pipeline, preprocessing
from sklearn.utils import _safe_indexing
from sklearn.utils._indexing import _get_column_indices

from fedps.errors import NotFederated, UsageError, did_you_mean
from fedps.learned import Learned, Nothing, Numbers, Parameters, PerClient, PerRow
from fedps.learned.owners import NormalizerPartNumbers, OwnColumnsNumbers, RoutedColumnsNumbers
from fedps.plans.columns.across import ACROSS
from fedps.plans.registry import OF_TARGETS
from fedps.plans.rows.compose import feature_union, kept
from fedps.plans.shared.parameters import learned, params_of
from fedps.protocol.messages import Route
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.statistics import RowNorms
from fedps.statistics.base import Array

# each column on its own: its owner needs nobody else
BY_COLUMN = (
    impute.MissingIndicator,
    impute.SimpleImputer,
    preprocessing.Binarizer,
    preprocessing.KBinsDiscretizer,
    preprocessing.MaxAbsScaler,
    preprocessing.MinMaxScaler,
    preprocessing.OneHotEncoder,
    preprocessing.OrdinalEncoder,
    preprocessing.PowerTransformer,
    preprocessing.QuantileTransformer,
    preprocessing.RobustScaler,
    preprocessing.SplineTransformer,
    preprocessing.StandardScaler,
)
PER_COLUMN = ("categories", "drop", "n_bins", "knots")  # may have an item for each column


def plan_for_columns(estimator: Any, view: View) -> Plan[Learned]:
    """Return the plan that learns an estimator on a view whose columns have several owners."""
    kind = type(estimator)
    if hasattr(estimator, "_parameter_constraints"):
        estimator._validate_params()  # noqa: SLF001 - before anything is asked, not after
    if view.parent is None and not sum(view.widths) and kind not in OF_TARGETS:
        raise UsageError("no client has a column besides the key and the target: nothing to fit.")
    if kind in _COMPOUNDS:
        return _COMPOUNDS[kind](estimator, view)
    if kind is preprocessing.Normalizer and _owners(view) > 1:
        return _normalizer(estimator, view)
    if kind in OF_TARGETS:
        return _of_target(estimator, view)
    if kind in ACROSS:
        return ACROSS[kind](estimator, view)
    if kind in BY_COLUMN or _owners(view) <= 1:
        return _by_owner(estimator, view)
    if kind is preprocessing.FunctionTransformer:
        return _function(estimator, view)
    raise NotFederated(_why_not(estimator))


def _owners(view: View) -> int:
    """Return how many clients have columns of a view."""
    return sum(width > 0 for width in view.widths)


def _by_owner(estimator: Any, view: View) -> Plan[Learned]:
    """Learn nothing: each owner fits it on its own columns."""
    if type(estimator) is preprocessing.TargetEncoder:
        at = [i for i, width in enumerate(view.widths) if width]
        if at and at != [view.pooled.target_at]:
            raise NotFederated(_why_not(estimator))
    return learned(estimator, _own_columns(estimator, view))
    yield


def _of_target(estimator: Any, view: View) -> Plan[Learned]:
    """Learn nothing: the owner of the target fits it."""
    if view.pooled.target_at is None:
        raise UsageError(
            "no client has a target. Name the column with Federation(..., target='column')."
        )
    return learned(estimator)
    yield


def _own_columns(estimator: Any, view: View) -> Numbers:
    """Return which columns each owner has, for parameters that have an item for each column."""
    values = {name: getattr(estimator, name, None) for name in PER_COLUMN}
    listed = {n: v for n, v in values.items() if v is not None and not isinstance(v, str | int)}
    every = sum(view.widths)
    for name, value in listed.items():
        items = np.shape(value)[-1] if name == "knots" else len(value)
        if items != every and not view.is_transformed:
            raise UsageError(
                f"{type(estimator).__name__}({name}=...) has {items} items; all clients together have "
                f"{every} columns for it. Give one for each."
            )
    if not listed:
        return Nothing()
    own = PerClient(tuple(np.array(own, dtype=np.int64) for own in view.places))
    return OwnColumnsNumbers(own=own, listed=list(listed))


def _normalizer(normalizer: Any, view: View) -> Plan[Learned]:
    """Learn the norm of each row."""
    norms = yield from ask(RowNorms(normalizer.norm), view)
    return learned(normalizer, NormalizerPartNumbers(norms=PerRow(norms)))


def _function(transformer: Any, view: View) -> Plan[Learned]:
    """Let each owner run it, where it is known to work cell by cell."""
    if transformer.func is not None and not isinstance(transformer.func, np.ufunc):
        raise NotFederated(
            "FunctionTransformer runs its function at each owner on that owner's columns only. Whether "
            "yours works on each cell by itself cannot be told: use one of NumPy's (np.log1p), or a "
            "ColumnTransformer that gives it columns of one owner."
        )
    return (yield from _by_owner(transformer, view))


def _inside(estimator: Any, view: View) -> Plan[Learned]:
    """Return the plan of an estimator inside another."""
    if type(estimator) in OF_TARGETS:
        raise UsageError(f"{type(estimator).__name__} is for the target: fit it on its own.")
    return plan_for_columns(estimator, view)


def _pipeline(pipe: Any, view: View) -> Plan[Learned]:
    """Learn each step on what the steps before make of the columns, at their owners."""
    steps: list[Learned] = []
    parts = [(name, kept(step)) for name, step in pipe.steps]
    fitted = [step for _, step in pipe.steps if kept(step) is None]
    for step in fitted:
        steps.append((yield from _inside(step, view)))
        view = view.fit(steps[-1])
    params = Parameters({**params_of(pipe, ["steps"]), "parts": parts})
    return Learned("Pipeline", params, Nothing(), tuple(steps))


def _column_transformer(transformer: Any, view: View) -> Plan[Learned]:
    """Learn all branches side by side, each on its columns at their owners."""
    if view.is_transformed:
        raise NotFederated(
            "split by columns, a ColumnTransformer must come first: after another step nobody but the "
            "owners knows which columns there are."
        )
    row = _row(view)
    chosen = [positions(columns, row, name) for name, _, columns in transformer.transformers]
    taken = {i for own in chosen for i in own}
    rest = [i for i in range(sum(view.widths)) if i not in taken]
    branches = [
        (part, own) for (_, part, _), own in zip(transformer.transformers, chosen, strict=True)
    ]
    branches.append((transformer.remainder, rest))
    routes = [view.route(own) for _, own in branches]
    steps = yield from gather(
        _inside(part, route)
        for (part, _), route in zip(branches, routes, strict=True)
        if kept(part) is None
    )
    params = {
        **params_of(transformer, ["transformers", "remainder"]),
        "parts": [(name, kept(part), []) for name, part, _ in transformer.transformers],
        "remainder": kept(transformer.remainder),
    }
    numbers = RoutedColumnsNumbers(columns=_routed_columns(routes[:-1], view.pooled.clients))
    return Learned("ColumnTransformer", Parameters(params), numbers, tuple(steps))


def _routed_columns(routes: Sequence[View], clients: int) -> PerClient[list[Array]]:
    """Return which of its own columns each client has in each branch."""
    chosen = [route.change.positions for route in routes if isinstance(route.change, Route)]
    return PerClient(
        tuple([np.array(own[i], dtype=np.int64) for own in chosen] for i in range(clients))
    )


def _row(view: View) -> Any:
    """Return a made-up row of the columns of all owners that a view has."""
    if view.parent is None:
        return view.dummy_row
    assert isinstance(view.change, Route)
    before = [
        (place, there[position])
        for own, positions_, there in zip(
            view.places, view.change.positions, view.parent.places, strict=True
        )
        for place, position in zip(own, positions_, strict=True)
    ]
    return _safe_indexing(_row(view.parent), [there for _, there in sorted(before)], axis=1)


def positions(columns: Any, row: Any, part: str) -> list[int]:
    """Return where some columns of a ColumnTransformer stand in a row of all owners' columns."""
    if callable(columns):
        try:
            columns = columns(row)
        except ValueError:
            raise UsageError(
                f"the columns of {part!r}: a selector needs pandas data frames at all clients. Name the "
                "columns instead."
            ) from None
    if isinstance(columns, str | int | np.integer):
        raise UsageError(
            f"the columns of {part!r} are given as {columns!r}, which scikit-learn passes on as one "
            f"dimension. Give a list: [{columns!r}]."
        )
    try:
        found = _get_column_indices(row, columns)
    except (ValueError, KeyError, IndexError):
        names = list(getattr(row, "columns", ()))
        lost = [c for c in columns if isinstance(c, str) and c not in names]
        what = f"some are not among the {row.shape[1]} of all clients in their order."
        if lost:
            what = f"no client has a column {lost[0]!r}.{did_you_mean(lost[0], names)}"
        raise UsageError(f"the columns of {part!r}: {what}") from None
    return [int(i) for i in found]


_COMPOUNDS: dict[type, Callable[[Any, View], Plan[Learned]]] = {
    compose.ColumnTransformer: _column_transformer,
    pipeline.FeatureUnion: partial(feature_union, _inside),
    pipeline.Pipeline: _pipeline,
}


def _why_not(estimator: Any) -> str:
    name = type(estimator).__name__
    reason = _REASONS.get(name, "it has no form for columns with several owners")
    return f"{name} cannot be fitted where each client has other columns: {reason}."


_REASONS = {
    "PolynomialFeatures": "it multiplies columns of different owners, row by row. Give it columns of "
    "one owner in a ColumnTransformer",
    "TargetEncoder": "the target is with one client and the column with another. Use OneHotEncoder or "
    "OrdinalEncoder there",
    "KMeans": "its centres have all columns. Split by rows it works",
    "FrozenEstimator": "what it was fitted on had all columns",
}
