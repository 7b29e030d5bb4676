"""One plan per scikit-learn family: what to ask, and how to turn answers into learned numbers.

For: everything that is known of an estimator's mathematics.
May import: statistics, protocol, learned, compounds and scikit-learn. Never client, transports.
Its one rule: a plan never sees a table, a client or a socket.

- ``registry``: which plans each scikit-learn class has; a new estimator is one entry there
- ``check_estimator``: which step of an estimator cannot be fitted across clients, and what to do
- ``rows/``, ``columns/``: one plan per family for ``split="rows"`` and ``split="columns"``
- ``compose``: Pipeline and FeatureUnion in both settings
- ``shared/``: quantiles, frequent values, folds and other parts of several plans
"""

from __future__ import annotations

from fedps.plans.check_estimator import check_outputs, check_supported
from fedps.plans.registry import (
    ASKING,
    OF_TARGETS,
    plan_for,
    plan_for_columns,
    plan_to_ask,
    plan_to_predict,
    supported,
    weighted_plan_for,
)

__all__ = [
    "ASKING",
    "OF_TARGETS",
    "check_outputs",
    "check_supported",
    "plan_for",
    "plan_for_columns",
    "plan_to_ask",
    "plan_to_predict",
    "supported",
    "weighted_plan_for",
]
