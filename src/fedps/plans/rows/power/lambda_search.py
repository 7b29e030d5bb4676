"""The search for the best exponent of one column: a root of a rising slope, in few rounds.

The negative log-likelihood of a Box-Cox or Yeo-Johnson transform is strictly convex in its exponent
(Kouider and Chen 1995; Marchand and others 2022), so its slope has one root at most, and a change of
sign brackets it. Each round tries several exponents at once; the slopes seen so far, interpolated,
say where the root is and how well that is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import asinh, inf, sinh

import numpy as np
from scipy.optimize import brentq

from fedps.statistics.base import Array

FIRST_TRIED, LATER_TRIED = 11, 5  # exponents in the first round, and in each other
FIRST_REACH = 50.0  # of t: beyond it the first round does not look
SCALE = 3.0  # of t: below it exponents are spread evenly, above it by a factor
NEAREST = 9  # slopes that are interpolated
FEW, CLOSE = 3, 0.05  # how many slopes must be how near, of t and its scale, to be trusted
CLOSEST = 1e-3  # of t: no closer, where rounding would be all that is seen
NOISE = 4e-15  # what rounding may do to a slope
ENOUGH = 1e-10  # how well lambda is wanted, relative to its size if that is above 1


@dataclass
class Search:
    """Looks for the root of a rising slope between two bounds of t.

    ``middle`` is the t near which to look first, and ``unit`` that of a lambda of 1; ``enough`` is
    how well lambda is wanted.
    Ask for ``wanted``, give the slopes there to :meth:`learn`; ``best`` is the answer once it is
    there. A bound is the answer where the slope does not change its sign before it.
    """

    lower: float
    upper: float
    unit: float
    middle: float = 0.0
    enough: float = ENOUGH
    best: float | None = None
    wanted: tuple[float, ...] = ()
    seen: dict[float, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        low, high = (
            max(self.lower, self.middle - FIRST_REACH),
            min(self.upper, self.middle + FIRST_REACH),
        )
        if not low < high:
            self.best = min(max(self.middle, self.lower), self.upper)
            return
        self._want(self._spread(low, high, FIRST_TRIED))

    def learn(self, slopes: Array) -> None:
        """Take the slopes at the wanted exponents."""
        before = self._width()
        self.seen.update(zip(self.wanted, slopes.tolist(), strict=True))
        self.wanted = ()
        ts = np.array(sorted(self.seen))
        found = np.array([self.seen[t] for t in ts])
        if found[0] >= 0:
            self._outward(ts[0], self.lower, -1.0)
        elif found[-1] <= 0:
            self._outward(ts[-1], self.upper, 1.0)
        else:
            self._inward(ts, found, before)

    def _outward(self, end: float, bound: float, sign: float) -> None:
        """The root lies beyond all that was tried: at a bound, or further out."""
        if end == bound:
            self.best = end
            return
        far = self.middle + sign * (abs(end - self.middle) + 1.0) * 64.0
        if abs(far) > 1e18:  # no data calls for that; the likelihood has no maximum
            self.best = end
            return
        far = max(far, bound) if sign < 0 else min(far, bound)
        self._want(self._spread(end, far, LATER_TRIED + 1)[1:])

    def _inward(self, ts: Array, found: Array, before: float) -> None:
        """The root lies between two that were tried."""
        i = int(np.argmax(found > 0))
        low, high = float(ts[i - 1]), float(ts[i])
        steep = (found[i] - found[i - 1]) / (high - low)
        root, error = self._interpolate(ts, found, i)
        enough = max(self.enough * max(abs(root), self.unit), NOISE / steep)
        # two far curves may agree by chance, or because the column is symmetric
        away = np.sort(np.abs(ts - root))[:FEW].max()
        close = away <= CLOSE * (SCALE + abs(root - self.middle))
        if high - low <= enough or (close and error <= enough):
            self.best = root
            return
        if high - low > before / 2:  # no luck: as in a bisection, but into several parts
            self._want(self._spread(low, high, LATER_TRIED + 2)[1:-1])
            return
        step = max(8.0 * error, CLOSEST * (1.0 + abs(root)))
        near = root + step * np.array([-1.0, -0.35, 0.0, 0.35, 1.0])
        if not (low < near[0] and near[-1] < high):
            near = self._spread(low, high, LATER_TRIED + 2)[1:-1]
        self._want(near)

    def _interpolate(self, ts: Array, found: Array, i: int) -> tuple[float, float]:
        """Return the root of a polynomial through the nearest slopes, and how far another's is."""
        low, high = ts[i - 1], ts[i]
        middle = (low * found[i] - high * found[i - 1]) / (found[i] - found[i - 1])
        xs = self._even(ts)
        order = np.argsort(np.abs(xs - self._even(np.array([middle]))[0]), kind="stable")
        # both ends of the bracket are among them, so that there is a root in it
        kept = np.array([i - 1, i, *(k for k in order if k not in (i - 1, i))][:NEAREST])
        roots = [_root(xs[some], found[some], xs[i - 1], xs[i]) for some in (kept, kept[:-1])]
        first, second = (self.middle + SCALE * sinh(x) for x in roots)
        if len(kept) < 4:
            return float(first), float(high - low)
        return min(max(first, low), high), abs(first - second)

    def _even(self, ts: Array) -> Array:
        return np.arcsinh((ts - self.middle) / SCALE)

    def _spread(self, low: float, high: float, number: int) -> Array:
        """Return exponents between two, both included, closer together near the middle."""
        first, last = (asinh((end - self.middle) / SCALE) for end in (low, high))
        inner = self.middle + SCALE * np.sinh(np.linspace(first, last, number)[1:-1])
        return np.array([low, *inner, high])

    def _want(self, ts: Array) -> None:
        new = {float(t) for t in ts} - set(self.seen)
        self.wanted = tuple(sorted(new))
        if not new:  # two neighbouring doubles: nothing lies between them
            self.best = min(self.seen, key=lambda t: abs(self.seen[t]))

    def _width(self) -> float:
        """Return the width of the bracket so far."""
        below = [t for t, slope in self.seen.items() if slope <= 0]
        above = [t for t, slope in self.seen.items() if slope > 0]
        return min(above) - max(below) if below and above else inf


def _root(xs: Array, ys: Array, low: float, high: float) -> float:
    """Return the root between two of the points of the polynomial through them all."""
    table = ys.astype(np.float64)
    powers = [table[0]]
    for k in range(1, len(xs)):
        table = (table[1:] - table[:-1]) / (xs[k:] - xs[:-k])
        powers.append(table[0])

    def value(x: float) -> float:
        total = 0.0
        for x_k, c in zip(xs[::-1], powers[::-1], strict=True):
            total = total * (x - x_k) + c
        return total

    ends = value(low), value(high)
    if ends[0] >= 0 or ends[1] <= 0:  # rounding, at an end that is the root
        return low if abs(ends[0]) < abs(ends[1]) else high
    try:
        return float(brentq(value, low, high, xtol=1e-300, rtol=1e-15))
    except ValueError:  # it overflows, for slopes that no honest client sends
        return (low + high) / 2
