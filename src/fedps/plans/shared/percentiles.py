"""Percentiles from order statistics, interpolated by the very operations that NumPy uses.

The bits of a quantile depend on the order of these operations, so they follow ``np.percentile``:
where a percentile lies among the sorted cells, which cells stand there, and a mean of the two.
"""

from __future__ import annotations

import numpy as np

from fedps.plans.shared.quantiles import Ordered
from fedps.statistics.base import Array

# Hyndman and Fan's two parameters of the methods that interpolate
INTERPOLATING = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}


def percentile_ranks(count: int, percents: Array, method: str = "linear") -> Array:
    """Return the ranks, counted from 0, of the cells that some percentiles are made of."""
    return quantile_ranks(count, _levels(percents), method)


def percentiles_of(column: Ordered, percents: Array, method: str = "linear") -> Array:
    """Return percentiles of a column; NaN where it has no cells."""
    return quantiles_of(column, _levels(percents), method)


def quantile_ranks(count: int, levels: Array, method: str = "linear") -> Array:
    """Return the ranks, counted from 0, of the cells that quantiles at some shares are made of."""
    before, after, _ = _places(count, levels, method)
    return np.concatenate([before, after])


def quantiles_of(column: Ordered, levels: Array, method: str = "linear") -> Array:
    """Return the quantiles of a column at shares from 0 to 1; NaN where it has no cells.

    A share such as 1 / 3 is not quite the same once it was a percentage: ``np.quantile`` takes it as it is.
    """
    if column.count == 0:
        return np.full(len(levels), np.nan)
    before, after, weight = _places(column.count, levels, method)
    low, high = column.at(before), column.at(after)
    step = high - low
    # the nearer cell is the one to start from
    found = np.where(weight >= 0.5, high - step * (1 - weight), low + step * weight)
    return np.asarray(found, dtype=np.float64)


def median_ranks(count: int) -> Array:
    """Return the ranks of the one or two cells in the middle."""
    return np.array([(count - 1) // 2, count // 2], dtype=np.int64)


def median_of(column: Ordered) -> float:
    """Return the median of a column as ``np.median`` does: half of the sum of the middle two."""
    if column.count == 0:
        return float("nan")
    low, high = column.at(median_ranks(column.count))
    with np.errstate(over="ignore"):
        return float(low if column.count % 2 else (low + high) / low.dtype.type(2))


def _levels(percents: Array) -> Array:
    return np.true_divide(np.asarray(percents, dtype=np.float64), 100)


def _places(count: int, levels: Array, method: str) -> tuple[Array, Array, Array]:
    """Return the ranks of two neighbouring cells per quantile, and the weight of the second."""
    if method in ("inverted_cdf", "closest_observation"):
        at = _nearest(count, levels, method)
        return at, at, np.zeros(len(at))
    if method == "linear":
        where = (count - 1) * levels
    elif method == "averaged_inverted_cdf":
        where = count * levels - 1
    else:
        alpha, beta = INTERPOLATING[method]
        where = count * levels + (alpha + levels * (1 - alpha - beta)) - 1
    before = np.floor(where)
    weight = where - before
    if method == "averaged_inverted_cdf":
        weight = np.where(weight == 0, 0.5, 1.0)
    above, below = where >= count - 1, where < 0
    after = np.where(above, count - 1, np.where(below, 0, before + 1))
    before = np.where(above, count - 1, np.where(below, 0, before))
    # NumPy takes the weight from the last or first cell itself where it goes beyond the ends
    return before.astype(np.int64), after.astype(np.int64), weight


def _nearest(count: int, levels: Array, method: str) -> Array:
    """Return the ranks by the two methods that do not interpolate."""
    where = count * levels - 1 - (0.5 if method == "closest_observation" else 0.0)
    before = np.floor(where)
    exact = where == before
    if method == "closest_observation":
        exact &= before % 2 == 1
    return np.clip(np.where(exact, before, before + 1), 0, count - 1).astype(np.int64)
