"""The parts of a fitted estimator that ask the clients, and an estimator that fits only these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from fedps.assembly.federated.neighbours import AskingClients
from fedps.compounds import is_estimator, parts_of, set_parts, walk
from fedps.learned import Learned


def asking(fitted: Any) -> list[AskingClients]:
    """Return the parts of a fitted estimator that ask the clients about their rows."""
    return [part for part in walk(fitted, fitted=True) if isinstance(part, AskingClients)]


def asking_with_learned(fitted: Any, learned: Learned) -> Iterator[tuple[AskingClients, Learned]]:
    """Yield the parts of a fitted estimator that ask, each with what was learned for it.

    A part without columns is not fitted, and asks nothing.
    """
    if isinstance(fitted, AskingClients):
        yield fitted, learned
    if isinstance(fitted, FrozenEstimator):  # its parts were fitted elsewhere
        return
    # a fitted ColumnTransformer replaces 'passthrough' with estimators: look at the parts as given
    learning = [part for part in parts_of(fitted) if is_estimator(part.estimator)]
    now = _fitted_parts(fitted)
    for part, step in zip(learning, learned.steps, strict=False):
        yield from asking_with_learned(now.get(part.name, part.estimator), step)


def _fitted_parts(fitted: Any) -> dict[str, Any]:
    return {part.name: part.estimator for part in parts_of(fitted, fitted=True)}


def only_asking(fitted: Any) -> Any:
    """Return an estimator in which only the parts that ask are unfitted, and all others frozen.

    ``fit_transform`` of it across the clients gives what ``transform`` of the fitted one would.
    """
    if isinstance(fitted, AskingClients):
        return fitted.unfitted()
    if not asking(fitted):
        return _as_it_is(fitted)
    made, now = clone(fitted), _fitted_parts(fitted)
    again = [
        part._replace(estimator=only_asking(now.get(part.name, part.estimator)))
        if is_estimator(part.estimator)
        else part  # 'passthrough' and 'drop' stay words
        for part in parts_of(fitted)
    ]
    set_parts(made, again)
    return made


def _as_it_is(fitted: Any) -> Any:
    if isinstance(fitted, FunctionTransformer):
        return clone(fitted)  # it learns nothing, and its function is found by its name
    try:
        check_is_fitted(fitted)
    except NotFittedError:  # a part without columns
        return clone(fitted)
    return FrozenEstimator(fitted)
