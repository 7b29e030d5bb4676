"""Which estimators of a compound get row weights: by scikit-learn's metadata routing."""

from __future__ import annotations

from typing import Any

import sklearn
from sklearn.utils.metadata_routing import process_routing

from fedps.errors import UsageError

_WEIGHTS = "sample_weight"


def check_routing(compound: Any) -> None:
    """Raise what scikit-learn raises for a compound that is given weights it does not pass on.

    UsageError where routing is not enabled: no compound passes on weights then.
    """
    name = type(compound).__name__
    if not sklearn.get_config()["enable_metadata_routing"]:
        raise UsageError(
            f"a {name} passes sample_weight on to the steps that request it, if scikit-learn's metadata "
            "routing is enabled: sklearn.set_config(enable_metadata_routing=True), and "
            "StandardScaler().set_fit_request(sample_weight=True) for each such step."
        )
    process_routing(compound, "fit", **{_WEIGHTS: _WEIGHTS})


def wants_weights(estimator: Any) -> bool:
    """Return whether an estimator inside a compound requests row weights."""
    if not hasattr(estimator, "get_metadata_routing"):
        return False
    requests = getattr(estimator.get_metadata_routing(), "fit", None)
    return requests is not None and requests.requests.get(_WEIGHTS) is True
