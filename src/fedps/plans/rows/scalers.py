"""Scalers: one round each."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.learned import Learned
from fedps.learned.scalers import (
    MaxAbsScalerNumbers,
    MinMaxScalerNumbers,
    StandardScalerNumbers,
)
from fedps.plans.shared.parameters import learned
from fedps.protocol.plan import Plan, View, ask
from fedps.questions.scalers import moments_of
from fedps.statistics import Extremes, Missing


def max_abs_scaler(scaler: Any, view: View) -> Plan[Learned]:
    """Learn the largest absolute number of each column."""
    found = yield from ask(Extremes(absolute=True), view)
    return learned(scaler, MaxAbsScalerNumbers(largest=found.upper, rows=view.rows))


def min_max_scaler(scaler: Any, view: View) -> Plan[Learned]:
    """Learn the extremes of each column."""
    found = yield from ask(Extremes(), view)
    numbers = MinMaxScalerNumbers(lower=found.lower, upper=found.upper, rows=view.rows)
    return learned(scaler, numbers)


def standard_scaler(scaler: Any, view: View, weight: str | None = None) -> Plan[Learned]:
    """Learn mean and variance of each column, and no more than the parameters need."""
    weighted = weight is not None
    wanted = moments_of(scaler, weight)
    if isinstance(wanted, Missing):
        gaps = yield from ask(wanted, view)
        count = np.asarray(view.rows - gaps)
        return learned(scaler, StandardScalerNumbers(count=count, weighted=weighted))
    found = yield from ask(wanted, view)
    numbers = StandardScalerNumbers(
        count=found.count, mean=found.mean, weighted=weighted, variance=found.variance
    )
    return learned(scaler, numbers)
