"""Power curves: a column under a power transform, and its derivative by the exponent.

A Box-Cox or Yeo-Johnson transform of cells of one sign is ``(exp(t d) - 1) / t`` up to a shift and a
factor, where ``d`` is the log of a cell, counted from the middle of the column and in units of its
``reach``. So ``d`` lies in -1..1 for every column, and no precision is lost where the transform itself
saturates: for years, for values just above 1e9, or for 1e300.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from msgspec import Struct

from fedps.statistics.base import Array

FAR = 300.0  # above it exp(t d) is taken relative to its maximum: its square overflows from 355 on
_SMALL = 0.5  # below it a difference of two logs, or expm1(x) - x, would cancel
# The coefficients 1 / (k! (k + 2)) of the series below: more than double precision needs up to _SMALL.
_SERIES = 1.0 / np.cumprod([1.0, *range(1, 17)]) / np.arange(2, 19)


class PowerForm(IntEnum):
    """Which transform, and on which side of zero the column is."""

    BOX_COX = 0
    POSITIVE = 1
    NEGATIVE = 2  # the mirror image: cells and 2 - lambda take the place of cells and lambda
    MIXED = 3


class Curve(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """How the logs of a column are taken: counted from ``origin``, in units of ``reach``.

    The logs of a column with both signs are counted from zero. ``t`` is the exponent times ``reach``.
    """

    form: PowerForm
    origin: float
    reach: float

    @classmethod
    def over(cls, minimum: float, maximum: float, *, box_cox: bool) -> Curve:
        """Return the curve of a column with these extremes."""
        if box_cox:
            form, low, high = PowerForm.BOX_COX, minimum, maximum
        elif minimum >= 0:
            form, low, high = PowerForm.POSITIVE, minimum, maximum
        elif maximum <= 0:
            form, low, high = PowerForm.NEGATIVE, -maximum, -minimum
        else:
            return cls(PowerForm.MIXED, 0.0, float(np.log1p(max(-minimum, maximum))))
        if box_cox:
            origin = np.exp((np.log(low) + np.log(high)) / 2)
        else:
            origin = np.expm1((np.log1p(low) + np.log1p(high)) / 2)
        curve = cls(form, float(min(max(origin, low), high)), 1.0)
        ends = np.abs(curve.logs(np.array([minimum, maximum])))
        return cls(form, curve.origin, float(ends.max()))

    def t_of(self, exponent: float) -> float:
        """Return ``t`` for a lambda."""
        return (2.0 - exponent if self.form == PowerForm.NEGATIVE else exponent) * self.reach

    def lambda_of(self, t: float) -> float:
        """Return the lambda of a ``t``."""
        return 2.0 - t / self.reach if self.form == PowerForm.NEGATIVE else t / self.reach

    def is_far(self, t: Array) -> Array:
        """Return for which ``t`` the values are relative to their maximum."""
        return (np.abs(t) > FAR) & (self.form != PowerForm.MIXED)

    def logs(self, cells: Array) -> Array:
        """Return the logs of cells, with the signs of the cells if the column has both."""
        if self.form == PowerForm.MIXED:
            return np.copysign(np.log1p(np.abs(cells)), cells) / self.reach
        cells = -cells if self.form == PowerForm.NEGATIVE else cells
        shift = self.form != PowerForm.BOX_COX
        base = self.origin + shift
        with np.errstate(over="ignore"):
            ratio = (cells - self.origin) / base
        # near the origin the difference of the cells is exact, and that of their logs would cancel
        near = np.abs(ratio) < _SMALL
        log = np.log1p if shift else np.log
        found = log(cells) - log(self.origin)
        found[near] = np.log1p(ratio[near])
        return np.asarray(found / self.reach)

    def values(self, logs: Array, t: float) -> tuple[Array, Array]:
        """Return the transformed values, up to a shift and a factor, and their derivatives by t.

        The logs must be in ascending order, as those of ascending cells are, or of descending cells
        for NEGATIVE. Where :meth:`is_far`, the factor depends on t, and 1 / t has to be subtracted from
        the slope of the log of the values' standard deviation.
        """
        if self.form == PowerForm.MIXED:
            return self._mixed(logs, t)
        if abs(t) > FAR:
            values = np.exp(t * logs - abs(t))
            return values, logs * values
        return _pair(logs, t)

    def _mixed(self, logs: Array, t: float) -> tuple[Array, Array]:
        middle = int(np.searchsorted(logs, 0.0))
        below, below_slopes = _pair(-logs[:middle][::-1], 2.0 * self.reach - t)
        above, above_slopes = _pair(logs[middle:], t)
        values = np.concatenate([-below[::-1], above])
        return values, np.concatenate([below_slopes[::-1], above_slopes])


def _pair(logs: Array, t: float) -> tuple[Array, Array]:
    """Return ``expm1(t d) / t`` of ascending logs, and its derivative by t."""
    if abs(t) < 1e-100:  # t * t below would underflow
        return logs, _series(t * logs) * logs**2
    x = t * logs
    powers = np.expm1(x)
    slopes = ((x - 1.0) * powers + x) / (t * t)
    first, last = np.searchsorted(logs, (-_SMALL / abs(t), _SMALL / abs(t)))
    if first < last:
        slopes[first:last] = _series(x[first:last]) * logs[first:last] ** 2
    return powers / t, slopes


def _series(x: Array) -> Array:
    """Return ``(x exp(x) - expm1(x)) / x**2`` for small x by its series: the formula cancels there."""
    largest = float(np.abs(x).max(initial=0.0))
    # the sum is about 1/2: smaller terms do not change its last bit
    terms = int(np.count_nonzero(_SERIES * largest ** np.arange(len(_SERIES)) > 1e-21))
    found = np.full_like(x, _SERIES[max(terms, 1) - 1])
    for coefficient in _SERIES[: max(terms, 1) - 1][::-1]:
        found *= x
        found += coefficient
    return found
