"""What plans share: an estimator's parameters as they travel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sklearn
from sklearn.base import BaseEstimator

from fedps.learned import Facts, Learned

# they change how a fit runs, never what comes out of a transform
LEFT_OUT = {
    "copy",
    "memory",
    "n_jobs",
    "verbose",
    "inverse_func",
    "check_inverse",
    "transform_input",
}


def params_of(estimator: Any, without: Iterable[str] = ()) -> Facts:
    """Return the constructor parameters that matter to a transform, and the output container."""
    skipped = LEFT_OUT | set(without)
    params = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name not in skipped and not isinstance(value, BaseEstimator)
    }
    chosen = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    output = chosen or sklearn.get_config()["transform_output"]
    if output != "default":
        params["set_output"] = output
    return Facts(params)


def learned(estimator: Any, *steps: Learned, **arrays: Any) -> Learned:
    """Return what was learned for an estimator."""
    return Learned(type(estimator).__name__, params_of(estimator), Facts(arrays), steps)


def is_nan(value: Any) -> bool:
    """Whether a marker of missing values is NaN or pandas' NA.

    >>> is_nan(float("nan")), is_nan(None), is_nan("?")
    (True, False, False)
    """
    if type(value).__name__ == "NAType":
        return True
    return isinstance(value, float) and value != value  # noqa: PLR0124 - only NaN differs from itself
