"""How far a client is from all others together."""

from __future__ import annotations

from math import isfinite, sqrt

import numpy as np

from fedps.plans.looks.tables import Sums
from fedps.statistics.base import Array

OWN_KEPT_BACK = "its own numbers are only in those of all clients (own_numbers)"
COLUMN_KEPT_BACK = "its policy keeps some columns back"


def mean_difference(own: Sums, others: Sums) -> float | None:
    """Return the standardised mean difference; None where it is not defined.

    >>> mean_difference(Sums(2, 1.0, 2.0), Sums(2, 3.0, 2.0))
    -1.414213562373095
    """
    if not own.count or not others.count:
        return None
    spread = sqrt((_variance(own) + _variance(others)) / 2)
    apart = own.mean - others.mean
    if spread == 0:
        return 0.0 if apart == 0 else None
    return apart / spread if isfinite(apart / spread) else None


def _variance(sums: Sums) -> float:
    return sums.square / (sums.count - 1) if sums.count > 1 else 0.0


def total_variation(own: Array, others: Array) -> float | None:
    """Return half of the difference between two distributions of the same categories, from 0 to 1.

    >>> total_variation(np.array([1, 1]), np.array([4, 0]))
    0.5
    """
    if not own.sum() or not others.sum():
        return None
    return float(np.abs(own / own.sum() - others / others.sum()).sum() / 2)
