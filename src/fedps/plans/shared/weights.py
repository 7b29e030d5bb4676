"""Why some estimators take no row weights across clients."""

from __future__ import annotations

_ADDED_IN_ORDER = (
    " Weighted quantiles add up the weights of all rows in the order of their values: each client would "
    "have to show the weight of each row beside its value."
)
_WAY_OUT = (
    " If weights are whole numbers, repeat the rows there; uniform bins or knots only need rows of weight "
    "0 left out."
)

WHY_NO_WEIGHTS = {
    "KBinsDiscretizer": _ADDED_IN_ORDER + _WAY_OUT,
    "SplineTransformer": _ADDED_IN_ORDER + _WAY_OUT,
}
