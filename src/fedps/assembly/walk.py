"""What a fitted estimator is made of, and the same estimator as one that learns less."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from fedps.assembly.federated.neighbours import AskingClients
from fedps.learned import Learned


def inside(fitted: Any) -> Iterator[Any]:
    """Yield a fitted estimator and all that it is made of."""
    yield fitted
    parts = [*getattr(fitted, "steps", ()), *getattr(fitted, "transformer_list", ())]
    for _, part, *_ in (*parts, *getattr(fitted, "transformers_", ())):
        yield from inside(part)


def asking(fitted: Any) -> list[AskingClients]:
    """Return what of a fitted estimator asks the clients for what only their rows tell."""
    return [part for part in inside(fitted) if isinstance(part, AskingClients)]


def asking_with_learned(fitted: Any, learned: Learned) -> Iterator[tuple[AskingClients, Learned]]:
    """Yield what of a fitted estimator asks the clients, each with what it was assembled from.

    A part without columns was not fitted, and asks nothing.
    """
    if isinstance(fitted, AskingClients):
        yield fitted, learned
    for part, step in zip(_parts(fitted), learned.steps, strict=False):
        yield from asking_with_learned(part, step)


def _parts(fitted: Any) -> list[Any]:
    """Return the fitted parts of a compound for which something was learned, in that order."""
    if isinstance(fitted, FrozenEstimator):  # its parts were fitted before
        return []
    if hasattr(fitted, "transformers_"):
        now = {name: part for name, part, _ in fitted.transformers_}
        named = [(name, part) for name, part, _ in fitted.transformers]
        named.append(("remainder", fitted.remainder))
        # a fitted ColumnTransformer has estimators for 'passthrough', too: ask the unfitted parts
        return [now.get(name, part) for name, part in named if _is_estimator(part)]
    parts = [*getattr(fitted, "steps", ()), *getattr(fitted, "transformer_list", ())]
    return [part for _, part in parts if _is_estimator(part)]


def _is_estimator(part: Any) -> bool:
    return part is not None and not isinstance(part, str)


def only_asking(fitted: Any) -> Any:
    """Return an estimator in which all is fitted as it was, but for what asks the clients.

    To fit it across the clients is to transform their rows by the fitted one.
    """
    if isinstance(fitted, AskingClients):
        return fitted.unfitted()
    if not asking(fitted):
        return _as_it_is(fitted)
    made = clone(fitted)
    if hasattr(fitted, "transformers_"):
        now = {name: part for name, part, _ in fitted.transformers_}
        made.transformers = [
            (name, _again(part, now.get(name, part)), columns)
            for name, part, columns in fitted.transformers
        ]
        made.remainder = _again(fitted.remainder, now.get("remainder", fitted.remainder))
    else:
        parts = "steps" if hasattr(fitted, "steps") else "transformer_list"
        setattr(made, parts, [(name, _again(p, p)) for name, p in getattr(fitted, parts)])
    return made


def _again(original: Any, fitted: Any) -> Any:
    """Return a part as it goes into a compound: 'passthrough' and 'drop' stay words."""
    return only_asking(fitted) if _is_estimator(original) else original


def _as_it_is(fitted: Any) -> Any:
    if isinstance(fitted, FunctionTransformer):
        return clone(fitted)  # it learns nothing, and its function is found by its name
    try:
        check_is_fitted(fitted)
    except NotFittedError:  # of no columns
        return clone(fitted)
    return FrozenEstimator(fitted)
