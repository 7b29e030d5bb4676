"""Why some estimators take no row weights across clients."""

from __future__ import annotations

from typing import Any

from fedps.errors import UsageError

_QUANTILES = (
    "Weighted quantiles add up the weights of all rows in the order of their values: each client would "
    "have to show the weight of each row beside its value."
)
_CLUSTERS = (
    "k-means moves a cluster that is left empty to the row farthest from its own, by that row's weight: "
    "its client would have to show the weight of a single row beside its value."
)
_WHY = {
    ("KBinsDiscretizer", "strategy", "quantile"): _QUANTILES,
    ("KBinsDiscretizer", "strategy", "kmeans"): _CLUSTERS,
    ("SplineTransformer", "knots", "quantile"): _QUANTILES,
}


def check_takes_weights(estimator: Any) -> None:
    """Say why an estimator takes no weights with its parameters, if it takes none."""
    name = type(estimator).__name__
    for (kind, parameter, value), why in _WHY.items():
        given = getattr(estimator, parameter, None)
        if name == kind and isinstance(given, str) and given == value:
            raise UsageError(
                f"FedPS does not support sample_weight for {name}({parameter}={value!r}). {why} If weights "
                f"are whole numbers, repeat the rows there; {parameter}='uniform' takes any weights."
            )
