"""Fitted estimators as values, for FrozenEstimator: taken apart, and put together at a client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector

from fedps.assembly.classes import CLASSES
from fedps.assembly.recipes.iterative import Regression
from fedps.learned import FrozenState, Function, Learned, Parameters

Lookup = Callable[[str], Any]
SELECTOR = "make_column_selector"

# how an estimator runs at a client, whatever was chosen elsewhere: it changes no table, starts no processes
RUN_HERE: dict[str, Any] = {
    "copy": True,
    "copy_X": True,
    "copy_x": True,
    "memory": None,
    "n_jobs": None,
    "verbose": False,
}


def freeze(fitted: Any) -> Learned:
    """Return a fitted estimator as values: its parameters and its attributes, parts inside.

    Raises KeyError, with the class's name, for an estimator that is not on the allow-list.
    """
    if type(fitted) is not CLASSES.get(type(fitted).__name__):
        raise KeyError(type(fitted).__name__)
    if getattr(fitted, "sample_posterior", False):  # transform draws random numbers
        raise KeyError(f"{type(fitted).__name__}(sample_posterior=True)")
    parts: list[Learned] = []
    state = {name: _put_away(value, parts) for name, value in vars(fitted).items()}
    return Learned(type(fitted).__name__, Parameters(), FrozenState(state), tuple(parts))


def thaw(learned: Learned, lookup: Lookup) -> Any:
    """Return the fitted estimator that :func:`freeze` took apart."""
    fitted = object.__new__(CLASSES[learned.estimator])
    parts = [thaw(part, lookup) for part in learned.steps]
    for name, value in learned.numbers_as(FrozenState).attributes.items():
        # not by setattr: the name "__dict__" would set all attributes at once, unseen by who checks them
        vars(fitted)[name] = RUN_HERE.get(name, _take_out(value, parts, lookup))
    return fitted


def _put_away(value: Any, parts: list[Learned]) -> Any:
    """Return a value with estimators replaced by their positions among the parts."""
    if isinstance(value, BaseEstimator):
        parts.append(freeze(value))
        return {"part": len(parts) - 1}
    if isinstance(value, Regression):
        return {"regression": [_put_away(item, parts) for item in value]}
    if isinstance(value, np.random.RandomState):
        return None  # transform does not draw from it
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    if isinstance(value, make_column_selector):
        return {SELECTOR: vars(value)}
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
    if SELECTOR in value:
        return make_column_selector(**value[SELECTOR])
    values = [_take_out(v, parts, lookup) for v in value["values"]]
    return dict(zip(value["keys"], values, strict=True))
