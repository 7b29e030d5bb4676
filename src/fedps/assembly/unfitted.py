"""Unfitted estimators from their names and parameters, as a message has them.

Only classes on the allow-list can be made. Functions are looked up by the caller, who decides which
names it trusts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.frozen import FrozenEstimator

from fedps.assembly.classes import CLASSES
from fedps.assembly.freeze import SELECTOR, Lookup, thaw
from fedps.learned import Function, Learned

OUTPUT = "set_output"


def unfitted(learned: Learned, lookup: Lookup) -> Any:
    """Return the unfitted estimator that some learned numbers belong to."""
    if learned.estimator == "FrozenEstimator":
        return FrozenEstimator(thaw(learned.steps[0], lookup))
    params = {name: _param(value, lookup) for name, value in learned.params.items()}
    output = params.pop(OUTPUT, None)
    steps = (unfitted(step, lookup) for step in learned.steps)
    if learned.estimator in _COMPOUNDS:
        estimator = _COMPOUNDS[learned.estimator](learned.estimator, params, steps)
    else:
        if learned.estimator == "IterativeImputer" and learned.steps:
            params["estimator"] = next(steps)
        estimator = CLASSES[learned.estimator](**params)
    if output is not None:
        estimator.set_output(transform=output)
    return estimator


def _param(value: Any, lookup: Lookup) -> Any:
    return lookup(value.name) if isinstance(value, Function) else value


def _in_order(name: str, params: dict[str, Any], steps: Any) -> Any:
    """Return a Pipeline or a FeatureUnion: 'passthrough' and 'drop' are no steps of what was learned."""
    parts = [(part, kept or next(steps)) for part, kept in params.pop("parts")]
    return CLASSES[name](parts, **params)


def _by_columns(name: str, params: dict[str, Any], steps: Any) -> Any:
    parts = [
        (part, kept or next(steps), _columns(columns))
        for part, kept, columns in params.pop("parts")
    ]
    remainder = params.pop("remainder") or next(steps)
    return ColumnTransformer(parts, remainder=remainder, **params)


def _columns(columns: Any) -> Any:
    """Return a column choice as scikit-learn takes it."""
    if not isinstance(columns, dict):
        return list(columns)
    if SELECTOR in columns:
        return make_column_selector(**columns[SELECTOR])
    return slice(*columns["slice"])


_COMPOUNDS: dict[str, Callable[[str, dict[str, Any], Any], Any]] = {
    "ColumnTransformer": _by_columns,
    "FeatureUnion": _in_order,
    "Pipeline": _in_order,
}
