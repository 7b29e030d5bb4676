"""What plans share: an estimator's parameters as they travel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sklearn
from sklearn.base import BaseEstimator

from fedps.learned import HOW_IT_RUNS, Learned, Nothing, Numbers, Parameters


def params_of(estimator: Any, without: Iterable[str] = (), *, whole: bool = False) -> Parameters:
    """Return the constructor parameters that matter to a transform, and the output container.

    ``whole`` is for a client that keeps the estimator: it gets all parameters but for a cache, which
    is a folder of the caller's machine.
    """
    skipped = ({"memory"} if whole else HOW_IT_RUNS) | set(without)
    params = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name not in skipped and not isinstance(value, BaseEstimator)
    }
    if (output := _output_of(estimator, whole=whole)) is not None:
        params["set_output"] = output
    return Parameters(params)


def _output_of(estimator: Any, *, whole: bool) -> str | None:
    """Return the output container of an estimator, where it is not scikit-learn's usual one.

    A client that keeps the estimator follows the configuration of whoever uses it, as scikit-learn does.
    """
    chosen = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    everywhere = sklearn.get_config()["transform_output"]
    if whole or not hasattr(estimator, "set_output"):
        return chosen
    output = chosen or everywhere
    return None if output == everywhere == "default" else output


def learned(
    estimator: Any, numbers: Numbers | None = None, *steps: Learned, without: Iterable[str] = ()
) -> Learned:
    """Return what was learned for an estimator: its numbers, and what was learned for its parts.

    ``without`` names parameters that clients need not be told.
    """
    params = params_of(estimator, without)
    return Learned(type(estimator).__name__, params, numbers or Nothing(), steps)


def learned_for_owners(estimator: Any, numbers: Numbers | None = None, *steps: Learned) -> Learned:
    """Return what was learned for an estimator that clients fit on their own columns, and keep."""
    params = params_of(estimator, whole=True)
    return Learned(type(estimator).__name__, params, numbers or Nothing(), steps)
