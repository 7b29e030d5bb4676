"""Unfitted estimators from their names, and fitted ones that are frozen.

Only names on the allow-list below can be made. Functions are looked up by the caller, who decides
which names it trusts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.cluster
import sklearn.compose
import sklearn.frozen
import sklearn.impute
import sklearn.linear_model
import sklearn.neighbors
import sklearn.pipeline
import sklearn.preprocessing
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector

from fedps.assembly.build import RECIPES
from fedps.assembly.recipes.iterative import Regression
from fedps.learned import FrozenState, Function, Learned, Parameters

Lookup = Callable[[str], Any]
OUTPUT = "set_output"
WHERE = "make_column_selector"


def _allowed() -> dict[str, Any]:
    homes = (
        sklearn.cluster,
        sklearn.preprocessing,
        sklearn.impute,
        sklearn.linear_model,
        sklearn.neighbors,
    )
    found = {name: getattr(home, name) for home in homes for name in RECIPES if hasattr(home, name)}
    return found | {
        "ColumnTransformer": sklearn.compose.ColumnTransformer,
        "FeatureUnion": sklearn.pipeline.FeatureUnion,
        "FrozenEstimator": sklearn.frozen.FrozenEstimator,
        "LinearRegression": sklearn.linear_model.LinearRegression,
        "Pipeline": sklearn.pipeline.Pipeline,
        "Ridge": sklearn.linear_model.Ridge,
    }


CLASSES = _allowed()


def blank(learned: Learned, lookup: Lookup) -> Any:
    """Return the unfitted estimator that some learned numbers belong to."""
    if learned.estimator == "FrozenEstimator":
        return sklearn.frozen.FrozenEstimator(thaw(learned.steps[0], lookup))
    make = _COMPOUNDS.get(learned.estimator)
    params = {name: _param(value, lookup) for name, value in learned.params.items()}
    output = params.pop(OUTPUT, None)
    if make is not None:
        estimator = make(params, (blank(step, lookup) for step in learned.steps))
    else:
        if learned.estimator == "IterativeImputer" and learned.steps:
            params["estimator"] = blank(learned.steps[0], lookup)
        estimator = CLASSES[learned.estimator](**params)
    if output is not None:
        estimator.set_output(transform=output)
    return estimator


def _param(value: Any, lookup: Lookup) -> Any:
    return lookup(value.name) if isinstance(value, Function) else value


def _pipeline(params: dict[str, Any], steps: Any) -> Any:
    parts = [(name, kept or next(steps)) for name, kept in params.pop("parts")]
    return sklearn.pipeline.Pipeline(parts, **params)


def _feature_union(params: dict[str, Any], steps: Any) -> Any:
    parts = [(name, kept or next(steps)) for name, kept in params.pop("parts")]
    return sklearn.pipeline.FeatureUnion(parts, **params)


def _column_transformer(params: dict[str, Any], steps: Any) -> Any:
    parts = [
        (name, kept or next(steps), _columns(columns))
        for name, kept, columns in params.pop("parts")
    ]
    remainder = params.pop("remainder") or next(steps)
    return sklearn.compose.ColumnTransformer(parts, remainder=remainder, **params)


def _columns(columns: Any) -> Any:
    """Return a column choice as scikit-learn takes it."""
    if not isinstance(columns, dict):
        return list(columns)
    if WHERE in columns:
        return make_column_selector(**columns[WHERE])
    return slice(*columns["slice"])


_COMPOUNDS = {
    "ColumnTransformer": _column_transformer,
    "FeatureUnion": _feature_union,
    "Pipeline": _pipeline,
}


def freeze(fitted: Any) -> Learned:
    """Return a fitted estimator as values: its parameters and its attributes, parts inside.

    KeyError, with the class's name, for an estimator that is not on the allow-list.
    """
    if type(fitted) is not CLASSES.get(type(fitted).__name__):
        raise KeyError(type(fitted).__name__)
    if getattr(fitted, "sample_posterior", False):  # it draws numbers whenever it transforms
        raise KeyError(f"{type(fitted).__name__}(sample_posterior=True)")
    parts: list[Learned] = []
    state = {name: _put_away(value, parts) for name, value in vars(fitted).items()}
    return Learned(type(fitted).__name__, Parameters(), FrozenState(state), tuple(parts))


def thaw(learned: Learned, lookup: Lookup) -> Any:
    """Return the fitted estimator that :func:`freeze` took apart."""
    fitted = object.__new__(CLASSES[learned.estimator])
    parts = [thaw(part, lookup) for part in learned.steps]
    for name, value in learned.numbers_as(FrozenState).attributes.items():
        setattr(fitted, name, _take_out(value, parts, lookup))
    return fitted


def _put_away(value: Any, parts: list[Learned]) -> Any:
    """Return a value with estimators replaced by where they stand among the parts."""
    if isinstance(value, BaseEstimator):
        parts.append(freeze(value))
        return {"part": len(parts) - 1}
    if isinstance(value, Regression):
        return {"regression": [_put_away(item, parts) for item in value]}
    if isinstance(value, np.random.RandomState):
        return None  # a transform does not draw from it
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    if isinstance(value, make_column_selector):
        return {WHERE: vars(value)}
    if isinstance(value, dict):
        return {"keys": list(value), "values": [_put_away(v, parts) for v in value.values()]}
    if isinstance(value, list | tuple):
        return type(value)(_put_away(item, parts) for item in value)
    return value


def _take_out(value: Any, parts: list[Any], lookup: Lookup) -> Any:
    """Undo :func:`_put_away`."""
    if isinstance(value, Function):
        return lookup(value.name)
    if isinstance(value, list | tuple):
        return type(value)(_take_out(item, parts, lookup) for item in value)
    if not isinstance(value, dict):
        return value
    if "part" in value:
        return parts[value["part"]]
    if "regression" in value:
        return Regression(*(_take_out(item, parts, lookup) for item in value["regression"]))
    if "slice" in value:
        return slice(*value["slice"])
    if WHERE in value:
        return make_column_selector(**value[WHERE])
    values = [_take_out(v, parts, lookup) for v in value["values"]]
    return dict(zip(value["keys"], values, strict=True))
