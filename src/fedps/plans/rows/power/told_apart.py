"""The most likely lambda that still tells cells apart, where the most likely of all does not.

A power transform may be so strong that what comes out differs by less than doubles can say: with
lambda -30 the years 2006 to 2010 all become 1/30. Its likelihood, in exact arithmetic, is the highest
all the same. As it falls on both sides of the best lambda, the best that is of use is the nearest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import asinh, sinh
from typing import Any

import numpy as np

from fedps.plans.rows.power.power_table import is_constant
from fedps.statistics.base import Array

STEPS, HALVINGS = 64, 40  # of the way from the best lambda to one that changes little
ROOM = 4.0  # how far from overflow the squares have to be
SAFELY = 1.01  # how much more than nothing a standard deviation has to be
SURELY = 4.0  # units in the last place between two outputs, which rounding does not take away
WIDEST = 16.0  # a power that spreads neighbouring doubles by more than that, whatever they are

Score = tuple[int, bool]


@dataclass(frozen=True)
class PowerOutput:
    """What a transform makes of a column, as far as it is known.

    ``transform`` gives the cells which should stay apart, in ascending order, under a lambda; ``moments``
    mean and variance of the transformed column from a lambda and these; ``rows`` is their number.
    ``made_up`` says that the cells stand for others which are as near to each other: then rounding must
    not have spared them by luck.
    """

    rows: int
    transform: Callable[[float], Array]
    standardize: bool
    dtype: Any
    moments: Callable[[float, Array], tuple[float, float]]
    made_up: bool = False

    def is_lost(self, exponent: float) -> bool:
        """Return whether the spread of what comes out is near what rounding does to it.

        Elsewhere scikit-learn sees the likelihood as it is, and finds the same lambda.
        """
        made = self.transform(exponent)
        with np.errstate(all="ignore"):
            mean, variance = self.moments(exponent, made)
            least = np.sqrt(np.finfo(self.dtype).eps) * np.abs(made).max()
            return bool(np.sqrt(variance) <= least) or not self._has_variance(mean, variance)

    def score(self, exponent: float) -> Score:
        """Return how many neighbours stay apart, and whether a StandardScaler sees the column vary."""
        made = self.transform(exponent)
        if not np.isfinite(made).all():
            return -1, False
        sure = np.diff(made) >= self._least(exponent, made)
        with np.errstate(all="ignore"):
            mean, variance = self.moments(exponent, made)
            varies = self._has_variance(mean, variance)
            if self.standardize and varies:
                made = ((made - mean) / np.sqrt(variance)).astype(self.dtype)
        return int(np.count_nonzero(sure & (np.diff(made) > 0))), varies

    def _least(self, exponent: float, made: Array) -> Array | float:
        """Return how far apart neighbours must come out; a power of 1 leaves them as far as they were."""
        if not self.made_up or exponent == 1:
            return 0.0
        largest = np.maximum(np.abs(made[:-1]), np.abs(made[1:])).astype(self.dtype)
        return np.asarray(SURELY * np.spacing(largest).astype(np.float64))

    def _has_variance(self, mean: float, variance: float) -> bool:
        if not np.isfinite(
            variance * self.rows * ROOM
        ):  # squares are added up before they are divided
            return not self.standardize
        return not is_constant(variance / SAFELY**2, mean, self.rows)


def told_apart(best: float, allowed: tuple[float, float], output: PowerOutput) -> float:
    """Return the best lambda, or the allowed one nearest to it that tells most cells apart."""
    if not output.is_lost(best):
        return best
    way = _way(best, *allowed)
    scores = [output.score(exponent) for exponent in way]
    most = max(scores)
    first = scores.index(most)
    if first == 0:
        return best
    lost, kept = way[first - 1], way[first]
    for _ in range(HALVINGS):
        middle = (lost + kept) / 2
        if output.score(middle) >= most:
            kept = middle
        else:
            lost = middle
    return float(output.dtype(kept))


def _way(best: float, lower: float, upper: float) -> list[float]:
    """Return lambdas from the best over 1, which changes nothing, to one that spreads large numbers."""
    end = min(max(2.0 - WIDEST if best > 1 else WIDEST, lower), upper)
    inner = [sinh(x) for x in np.linspace(asinh(best), asinh(end), STEPS + 1)[1:-1]]
    between = [1.0] if min(best, end) < 1 < max(best, end) else []
    return [best, *sorted([*inner, *between], reverse=bool(best > end)), end]
