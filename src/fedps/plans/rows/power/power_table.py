"""What one column says of its power transform: which lambdas are allowed, and which is best."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from scipy import special, stats
from sklearn.preprocessing import PowerTransformer

from fedps.plans.rows.power.lambda_search import Search
from fedps.statistics.base import Array
from fedps.statistics.sums.power_curves import Curve, PowerForm
from fedps.statistics.sums.power_sum_parts import Trial, slopes

_EPS = float(np.finfo(np.float64).eps)
SHORT = 1e-3  # of the reach of a column's logs


def is_constant(variance: float, mean: float, rows: int) -> bool:
    """Return whether scikit-learn takes a column without gaps for constant, up to rounding."""
    with np.errstate(all="ignore"):
        bound = np.float64(rows) * _EPS * variance + (np.float64(rows) * mean * _EPS) ** 2
    return bool(variance <= bound)


def moments_of_table(values: Array, counts: Array) -> tuple[float, float]:
    """Return mean and variance of counted values."""
    with np.errstate(all="ignore"):  # numbers whose squares overflow have none
        cells = counts.sum()
        mean = (counts * values).sum() / cells
        off = values - mean
        mean_off = (counts * off).sum() / cells
        return float(mean + mean_off), float((counts * off**2).sum() / cells - mean_off**2)


def lambda_of_constant(value: float, cells: int, dtype: Any) -> float:
    """Return what SciPy makes of cells that are all equal, some missing: the likelihood is flat."""
    with np.errstate(all="ignore"):
        return float(stats.yeojohnson_normmax(np.full(cells, value, dtype=dtype)))


def bounds(minimum: float, maximum: float, dtype: Any) -> tuple[float, float]:
    """Return the lambdas between which SciPy looks for the best Yeo-Johnson transform.

    Between them cells twenty times the largest are transformed, and squared, without overflow.
    """
    limits = np.finfo(dtype)
    with np.errstate(all="ignore"):
        largest = np.abs(np.array([minimum, maximum], dtype=dtype)).max()
        log_largest = np.log1p(dtype(20) * largest)
        log_eps = np.log(limits.eps)
        lower = float((np.log(limits.tiny) - log_eps) / 2 / log_largest)
        upper = float((np.log(limits.max) + log_eps) / 2 / log_largest)
    if maximum < 0:
        return 2 - upper, 2 - lower
    if minimum < 0:
        return max(2 - upper, lower), min(2 - lower, upper)
    return lower, upper


def below_overflow(exponent: float, minimum: float, maximum: float, dtype: Any) -> float:
    """Return a Box-Cox lambda, or the one nearest to it that keeps the column from overflowing.

    SciPy's rule: no transformed cell is above the largest float over 10 000.
    """
    most = float(np.finfo(dtype).max) / 10_000
    with np.errstate(all="ignore"):
        ends = np.abs(special.boxcox(np.array([minimum, maximum]), exponent))
        extreme = maximum if minimum >= 1 or (maximum > 1 and ends[1] > ends[0]) else minimum
        if ends.max() <= most or not np.abs(special.boxcox(extreme, exponent)) > most:
            return exponent
    # (x ** l - 1) / l = y has the solution l = -W(-x ** (-1 / y) log(x) / y) / log(x) - 1 / y
    y, log = np.copysign(most, extreme - 1), np.log(extreme)
    found = special.lambertw(-np.exp(-log / y) * log / y, k=-1)
    return float(np.real(-found / log - 1 / y))


def search_for(curve: Curve, minimum: float, maximum: float, dtype: Any) -> Search | None:
    """Return the search for a column's best exponent; None if there is none that is allowed."""
    if curve.form == PowerForm.BOX_COX:
        return Search(-inf, inf, curve.reach)
    lower, upper = bounds(minimum, maximum, dtype)
    if lower > upper:
        return None
    first, last = sorted((curve.t_of(lower), curve.t_of(upper)))
    middle = curve.reach if curve.form == PowerForm.MIXED else 0.0
    return Search(first, last, curve.reach, middle)


def slopes_of(curve: Curve, values: Array, counts: Array) -> Callable[[tuple[float, ...]], Array]:
    """Return a function that gives the slopes of a value/count table at some exponents.

    A column such as 1e9 and a little is taken in the longest floats that there are: rounding of
    ``t`` is magnified by the inverse of the reach.
    """
    long: Any = np.longdouble if curve.reach < SHORT else np.float64
    if curve.form == PowerForm.NEGATIVE:
        values, counts = values[::-1], counts[::-1]
    weights = counts.astype(long) / counts.sum()
    logs = curve.logs(values.astype(long))
    mean_log = (weights * logs).sum()

    def one(t: float) -> Any:
        value, slope = curve.values(logs, t)
        value = value - (weights * value).sum()
        weighted = weights * value
        slope = slope - (weights * slope).sum()
        return (weighted * slope).sum() / (weighted * value).sum()

    def evaluate(ts: tuple[float, ...]) -> Array:
        with np.errstate(all="ignore"):
            ratios = np.array([one(t) for t in ts])
        return slopes(Trial(curve, ts), ratios, mean_log).astype(np.float64)

    return evaluate


def transformed(values: Array, exponent: float, method: str, dtype: Any) -> Array:
    """Return values as scikit-learn's own transform gives them, without standardizing."""
    tool = PowerTransformer(method=method, standardize=False)
    tool.lambdas_ = np.array([exponent], dtype=dtype)
    tool.n_features_in_ = 1
    with np.errstate(all="ignore"):
        cells = values.astype(dtype)[:, None]
        return np.asarray(tool.transform(cells)[:, 0], dtype=np.float64)
