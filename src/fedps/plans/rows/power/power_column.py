"""One column of a PowerTransformer: what is known of it, and what its lambda is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fedps.draws.pooled_rows import check_pooled
from fedps.errors import ClientError
from fedps.plans.rows.power.lambda_search import Search
from fedps.plans.rows.power.power_table import (
    below_overflow,
    bounds,
    is_constant,
    lambda_of_constant,
    moments_of_table,
    search_for,
    slopes_of,
    transformed,
)
from fedps.plans.rows.power.told_apart import PowerOutput, told_apart
from fedps.plans.shared.warned import warn_of_overflow
from fedps.protocol.plan import View
from fedps.statistics.base import Array
from fedps.statistics.order.spread import Marginal
from fedps.statistics.sums.power_curves import Curve, PowerForm
from fedps.statistics.sums.power_sum_parts import Trial

BOX_COX = "box-cox"
RARELY = 0.01  # of that distance: once in a hundred columns two cells are as close
# from cell to cell at each end: a transform may lose the nearest whatever its lambda, and spare two by luck
DISTANCES = np.append(0.0, np.repeat(2.0 ** np.arange(12), 4))
HERE = 1e-13  # how well lambda is wanted where trying another costs no round


@dataclass
class PowerColumn:
    """One column: its distribution and, in the end, its exponent.

    ``whole`` says that its cells are integers, and ``standardize`` that its output will be scaled.
    ``may_be_constant`` where scikit-learn takes it for constant, or may, and leaves it as it is;
    ``is_huge`` where that is because its variance overflows.
    """

    position: int
    marginal: Marginal
    method: str
    dtype: Any
    whole: bool = False
    standardize: bool = True
    exponent: float = 1.0
    search: Search | None = None

    def __post_init__(self) -> None:
        self.shares: dict[float, float] = {}
        self._made: tuple[Array, float, Array] | None = None  # cells, under an exponent
        found, cells = self.marginal, self.marginal.count
        self.may_be_constant = self.is_huge = False
        if cells and self.method != BOX_COX and not found.nan:
            span = found.maximum - found.minimum
            largest = max(abs(found.maximum), abs(found.minimum))
            if found.exact:
                mean, variance = moments_of_table(found.values, found.counts)
                self.may_be_constant = is_constant(variance, mean, cells)
            else:  # no column has less variance than one with two cells off the middle
                with np.errstate(over="ignore"):
                    least = np.float64(span) ** 2 / 2 / cells
                self.may_be_constant = is_constant(float(least), largest, cells)
                self.is_huge = bool(np.isinf(least))  # then scikit-learn's variance is, too

    def begin(self, view: View) -> None:
        """Find the exponent where that is possible now; begin a search where not."""
        found, low, high = self.marginal, self.marginal.minimum, self.marginal.maximum
        name = repr(view.names[self.position]) if view.names else f"number {self.position}"
        if found.count == 0 and found.nan:
            raise ClientError(
                f"column {name} has nothing but missing values at all clients, so no power "
                "transform can be learned for it. Leave it out."
            )
        if found.count == 0 or self.may_be_constant:
            return
        if low == high:
            if self.method == BOX_COX:
                raise ClientError(
                    f"column {name} has the same number in all rows of all clients: Box-Cox needs "
                    "two at least. Leave it out."
                )
            if view.pooled.remote:  # SciPy gets all of these cells
                check_pooled(view.pooled.heights, f"Leave out column {name}, which is constant")
            self.exponent = lambda_of_constant(low, found.count, self.dtype)
            return
        self.curve = Curve.over(low, high, box_cox=self.method == BOX_COX)
        self.search = search_for(self.curve, low, high, self.dtype)
        if self.search is None:
            raise ClientError(
                f"column {name} has both positive and negative numbers that are too large for a "
                "Yeo-Johnson transform. Scale it first."
            )
        self._stop_if_found()
        if found.exact:
            slopes = slopes_of(self.curve, found.values, found.counts)
            while self.search is not None:
                self.search.enough = HERE
                self._learn(slopes(self.search.wanted))

    @property
    def trial(self) -> Trial:
        """What to ask next."""
        assert self.search is not None
        return Trial(self.curve, self.search.wanted)

    def learn(self, found: Array) -> None:
        """Take the slopes and standard deviations at the exponents of the trial."""
        assert self.search is not None
        for t, spread in zip(self.search.wanted, found[1].tolist(), strict=True):
            self.shares[t] = spread / self._span(t)
        self._learn(found[0])

    def _learn(self, slopes: Array) -> None:
        assert self.search is not None
        if not np.isfinite(slopes).all():
            raise ClientError(
                f"the clients' power sums of column number {self.position} have no variance although "
                "its smallest and largest number differ: someone's answer cannot be right."
            )
        self.search.learn(slopes)
        self._stop_if_found()

    def _span(self, t: float) -> float:
        """Return how far apart the smallest and the largest cell are under an exponent."""
        ends = np.array([self.marginal.minimum, self.marginal.maximum])
        logs = self.curve.logs(ends[:: -1 if self.curve.form == PowerForm.NEGATIVE else 1])
        values, _ = self.curve.values(logs, t)
        return float(np.ptp(values))

    def _stop_if_found(self) -> None:
        if self.search is None or self.search.best is None:
            return
        ends = (self.marginal.minimum, self.marginal.maximum)
        self.exponent = self.curve.lambda_of(self.search.best)
        allowed = (-np.inf, np.inf)
        if self.method == BOX_COX:
            best, self.exponent = self.exponent, below_overflow(self.exponent, *ends, self.dtype)
            if self.exponent != best:
                warn_of_overflow(best, self.dtype)
        else:
            allowed = bounds(*ends, self.dtype)
        self.exponent = told_apart(self.exponent, allowed, self._output())
        self.search = None

    def _output(self) -> PowerOutput:
        """Return what is known of the transformed cells."""
        found = self.marginal
        cells, moments = found.values, self._moments_of_values
        if not found.exact:
            cells, moments = self._closest(), self._moments_of_sums
        return PowerOutput(
            found.count,
            partial(self._transformed, cells),
            self.standardize,
            self.dtype,
            moments,
            made_up=not found.exact,
        )

    def _transformed(self, cells: Array, exponent: float) -> Array:
        """Return cells under an exponent; once where it is that of the last time, as at the end of a search."""
        known = float(self.dtype(exponent))
        if self._made is None or self._made[0] is not cells or self._made[1] != known:
            self._made = cells, known, transformed(cells, known, self.method, self.dtype)
        return self._made[2]

    def _closest(self) -> Array:
        """Return the ends of a column without a table, with cells as near as they may be.

        Cells of no particular kind have a closest pair at about their standard deviation over their
        number squared, and one that is RARELY as close.
        """
        low, high = self.marginal.minimum, self.marginal.maximum
        _, variance = self._moments_of_sums(1.0, np.array([low, high]))
        gap = 1.0 if self.whole else RARELY * variance**0.5 / self.marginal.count**2
        gap = max(gap, float(np.spacing(max(-low, high))))
        steps = np.cumsum(gap * DISTANCES)
        return np.unique(np.clip(np.append(low + steps, high - steps), low, high))

    def _moments_of_values(self, exponent: float, made: Array) -> tuple[float, float]:
        return moments_of_table(made, self.marginal.counts)

    def _moments_of_sums(self, exponent: float, made: Array) -> tuple[float, float]:
        """Return a bound of the mean, and the variance as the trials show it: as a share of the range."""
        tried = sorted(self.shares)
        share = np.interp(self.curve.t_of(exponent), tried, [self.shares[t] for t in tried])
        return float(made[np.abs(made).argmax()]), float((share * np.ptp(made)) ** 2)

    def moments(self) -> tuple[float, float]:
        """Return mean and variance of the transformed cells of a table."""
        found, values = self.marginal, self.marginal.values
        if found.count == 0:
            return np.nan, np.nan
        if not self.may_be_constant:  # scikit-learn does not transform what it takes for constant
            values = self._transformed(values, self.exponent)
        mean, variance = moments_of_table(values, found.counts)
        return mean, variance if np.isfinite(variance) else np.inf

    def overflows(self) -> bool:
        """Return whether the squares of the transformed cells are too large for a variance."""
        ends = np.array([self.marginal.minimum, self.marginal.maximum])
        exponent = float(self.dtype(self.exponent))
        with np.errstate(all="ignore"):
            span = np.ptp(transformed(ends, exponent, self.method, self.dtype))
            return not np.isfinite(span * span / 2)
