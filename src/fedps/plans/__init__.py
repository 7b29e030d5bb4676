"""One plan per scikit-learn family: what to ask, and how to turn answers into learned numbers.

For: everything that is known of an estimator's mathematics.
May import: statistics, protocol, learned and scikit-learn's parameters. Never client, transports.
Its one rule: a plan never sees a table, a client or a socket.
"""

from __future__ import annotations

from fedps.plans.registry import (
    ASKING,
    OF_TARGETS,
    check_supported,
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
    "check_supported",
    "plan_for",
    "plan_for_columns",
    "plan_to_ask",
    "plan_to_predict",
    "supported",
    "weighted_plan_for",
]
