"""Scalers: one round each."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.learned import Learned
from fedps.plans.shared.parameters import learned
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import Extremes, Missing, Moments


def max_abs_scaler(scaler: Any, view: View) -> Plan[Learned]:
    """Learn the largest absolute number of each column."""
    found = yield from ask(Extremes(absolute=True), view)
    return learned(scaler, largest=found.upper, rows=view.rows)


def minmax_scaler(scaler: Any, view: View) -> Plan[Learned]:
    """Learn the extremes of each column."""
    found = yield from ask(Extremes(), view)
    return learned(scaler, lower=found.lower, upper=found.upper, rows=view.rows)


def standard_scaler(scaler: Any, view: View, weight: str | None = None) -> Plan[Learned]:
    """Learn mean and variance of each column, and no more than the parameters need."""
    weighted = weight is not None
    if not (scaler.with_mean or scaler.with_std):
        # scikit-learn then counts rows, whatever their weights
        gaps = yield from ask(Missing(), view)
        return learned(scaler, count=np.asarray(view.rows - gaps), weighted=weighted)
    order = 2 if scaler.with_std else 1
    found = yield from ask(Moments(order=order, weight=weight), view)
    numbers = {"count": found.count, "mean": found.mean, "weighted": weighted}
    if found.variance is not None:
        numbers["variance"] = found.variance
    return learned(scaler, **numbers)
