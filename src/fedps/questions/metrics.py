"""Which distance a nearest-neighbours estimator means, in words that travel."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from fedps.errors import NotFederated, UsageError
from fedps.statistics.base import Array
from fedps.statistics.neighbours.neighbours import Metric

METRICS: dict[str, str] = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "sqeuclidean": "sqeuclidean",
    "manhattan": "cityblock",
    "cityblock": "cityblock",
    "l1": "cityblock",
    "chebyshev": "chebyshev",
    "minkowski": "minkowski",
    "canberra": "canberra",
    "hamming": "hamming",
}
SIMPLE = {1.0: "cityblock", 2.0: "euclidean", np.inf: "chebyshev"}


class Distance(NamedTuple):
    """A metric that clients know by name; ``p`` and ``weights`` matter to Minkowski's only."""

    name: Metric
    p: float
    weights: Array


def metric_of(estimator: Any) -> Distance:
    """Return the metric of a nearest-neighbours estimator, or say that it has no federated form."""
    metric, options = estimator.metric, dict(estimator.metric_params or {})
    if callable(metric):
        raise NotFederated(
            f"metric={getattr(metric, '__name__', 'a function')} is measured at the clients, which run "
            "no function of a server. Name a metric."
        )
    name = METRICS.get(metric)
    if name is None:
        raise NotFederated(
            f"metric={metric!r} has no federated form. Use one of {_listed(METRICS)}."
        )
    none = np.empty(0)
    if name != "minkowski":
        if options:
            raise NotFederated(
                f"metric_params={_listed(options)} of metric={metric!r} has no federated form. "
                "metric='minkowski' takes 'p' and 'w'."
            )
        return Distance(cast("Metric", name), 2.0, none)
    p, weights = float(options.pop("p", estimator.p)), options.pop("w", None)
    if options:
        raise UsageError(f"metric='minkowski' takes 'p' and 'w', not {_listed(options)}.")
    if weights is not None:
        found = np.asarray(weights, dtype=np.float64)
        if found.ndim != 1 or not (np.isfinite(found).all() and (found >= 0).all()):
            raise UsageError(
                "metric_params={'w': ...} must be a weight for each column, 0 or more."
            )
        return Distance("minkowski", p, found)
    return Distance(cast("Metric", SIMPLE.get(p, "minkowski")), p if p != np.inf else 2.0, none)


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
