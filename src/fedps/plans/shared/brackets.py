"""Order statistics between two bounds, where clients show bins or slices and no values.

A cell at rank r lies above the point up to which at most r cells could be, and not above the one up to which
more than r cells must be. Between these two, cells are taken to be spread evenly; and evenly over the logarithm
beyond the usual size of the column's numbers, since tails thin out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fedps.errors import PeerError
from fedps.statistics import Marginal
from fedps.statistics.base import Array
from fedps.statistics.order.tables import Bins

_HUGE = 1e300  # an end of a slice that is larger says nothing about its cells
_TINY = 1e-300
_MOST = np.finfo(np.float64).max


@dataclass(frozen=True)
class Bracketed:
    """Order statistics of one column: estimates, the bounds that they lie in, and how many ranks they are off."""

    values: Array
    lower: Array
    upper: Array
    off: Array

    def worst(self, ranks: Array, count: int) -> str:
        """Return in words how far a quantile of these may be off; ``ranks`` are sorted."""
        # a quantile may lie between a cell and the next
        follows = np.append(np.diff(ranks) == 1, False)
        upper = np.where(follows, np.append(self.upper[1:], np.inf), self.upper)
        at = int(np.argmax(self.off))
        low, high = rounded(float(self.lower[at]), -1), rounded(float(upper[at]), 1)
        open_end = np.isinf(self.lower).any() or np.isinf(self.upper).any()
        return (
            f"quantiles are at most {int(self.off[at]):,} of {count:,} ranks off; the least certain lies "
            f"in [{low}, {high}]{'; extremes have no bound' if open_end else ''}"
        )


def rounded(number: float, side: int) -> str:
    """Return a bound in a few digits, rounded down if ``side`` is -1, and up if it is 1.

    >>> rounded(2 / 3, -1), rounded(2 / 3, 1), rounded(41.5, 1)
    ('0.66666', '0.666667', '41.5')
    """
    if abs(number) < _TINY:
        return "0"
    text = f"{number:.6g}"
    if (float(text) - number) * side >= 0:
        return text
    return f"{number + side * abs(number) * 1e-5:.6g}"


def intervals(column: Marginal, ranks: Array) -> Array:
    """Return narrow intervals ``(lower, upper]``, sorted and apart, that hold the cells at ranks."""
    start, stop = _bounds(column, ranks)
    order = np.argsort(start, kind="stable")
    start, stop = start[order], np.maximum.accumulate(stop[order])
    first = np.append(True, start[1:] >= stop[:-1])
    last = np.append(first[1:], True)
    return np.stack([start[first], stop[last]])


def bracketed(column: Marginal, ranks: Array) -> Bracketed:
    """Return the cells at some ranks, as far as they are known."""
    start, upper = _bounds(column, ranks)
    lower = np.nextafter(start, np.inf)
    # an open end is no number to take
    values = np.clip(_estimates(column, ranks), *np.clip([lower, upper], -_MOST, _MOST))
    counts = np.concatenate([column.counts, column.bins.counts])
    stops = np.concatenate([column.values, column.bins.upper])
    starts = np.concatenate([column.values, np.nextafter(column.bins.lower, np.inf)])
    passed = _cells(stops, counts, values, "right")  # that must be at or below each
    before = _cells(starts, counts, values, "left")  # that could be below each
    off = np.maximum(np.maximum(ranks + 1 - passed, before - ranks), 0)
    return Bracketed(values, lower, upper, np.where(lower == upper, 0, off))


def both(one: Bracketed, other: Bracketed) -> Bracketed:
    """Return what two answers tell of the same cells: the surer estimates, between the bounds of both."""
    lower, upper = np.maximum(one.lower, other.lower), np.minimum(one.upper, other.upper)
    surer = one if one.off.max(initial=0) <= other.off.max(initial=0) else other
    off = np.where(lower == upper, 0, surer.off)
    return Bracketed(np.clip(surer.values, lower, upper), lower, upper, off)


def _bounds(column: Marginal, ranks: Array) -> tuple[Array, Array]:
    """Return numbers that the cells at ranks are above, and numbers that they are not above."""
    values, bins = column.values, column.bins
    counts = np.concatenate([column.counts, bins.counts])
    if ranks.size and counts.sum() <= ranks.max():
        raise PeerError(
            "some client counts fewer cells than before: its rows changed during the fit, or its "
            "answers are wrong. Start the fit again."
        )
    # the cells of a bin must be passed at its upper end, and could be right after its lower one
    stops, starts = np.concatenate([values, bins.upper]), np.concatenate([values, bins.lower])
    # a value is passed at the value itself: what is not passed is above the number before it
    before = np.concatenate([np.nextafter(values, -np.inf), bins.lower])
    return before[_passing(starts, counts, ranks)], stops[_passing(stops, counts, ranks)]


def _passing(points: Array, counts: Array, ranks: Array) -> Array:
    """Return at which of the points, in their order, more cells are passed than each rank."""
    order = np.argsort(points, kind="stable")  # at the same point values come first
    return order[np.searchsorted(counts[order].cumsum(), ranks, side="right")]


def _cells(points: Array, counts: Array, numbers: Array, side: str) -> Array:
    """Return how many cells are at points up to each of some numbers."""
    order = np.argsort(points, kind="stable")
    upto = np.append(0, counts[order].cumsum())
    return upto[np.searchsorted(points[order], numbers, side=side)]  # type: ignore[call-overload]


def _estimates(column: Marginal, ranks: Array) -> Array:
    """Return about where the cells at ranks are."""
    values, bins = column.values, column.bins
    below, above = bins.lower < -_HUGE, bins.upper > _HUGE
    bins = Bins(*(each[~(below & above)] for each in bins))  # the others could be anywhere
    known = int(column.counts.sum() + bins.counts.sum())
    if not known:
        return np.zeros(ranks.size)
    places = (ranks + 0.5) * (known / column.count)
    lower, upper = _closed(values, bins)
    counts = np.concatenate([column.counts, bins.counts])
    starts, stops = np.concatenate([values, lower]), np.concatenate([values, upper])
    usual = _usual_size(np.concatenate([starts, stops]))
    with np.errstate(over="ignore"):
        starts, stops = np.arcsinh(starts / usual), np.arcsinh(stops / usual)
        starts, stops = np.clip(starts, -_HUGE, _HUGE), np.clip(stops, -_HUGE, _HUGE)
        # as if the cells of each bin were spread up to where the next one starts; and from where the
        # one before stops
        rising = _between(starts, counts, values.size, (known, stops.max()), places, before=True)
        falling = _between(stops, counts, values.size, (0, starts.min()), places, before=False)
        return np.asarray(np.sinh((rising + falling) / 2) * usual)


def _usual_size(numbers: Array) -> float:
    sizes = np.sort(np.abs(numbers[numbers != 0]))
    return float(sizes[(sizes.size - 1) // 2]) if sizes.size else 1.0


def _closed(values: Array, bins: Bins) -> tuple[Array, Array]:
    """Return the ends of bins; an open end is where the numbers known of the column end, or beyond it.

    >>> _closed(np.array([3.0]), Bins(np.array([-np.inf, 4.0]), np.array([4.0, np.inf]), np.ones(2)))
    (array([3., 4.]), array([4., 8.]))
    """
    ends = np.concatenate([values, bins.lower, bins.upper])
    ends = ends[np.abs(ends) < _HUGE]
    low, high = ends.min(initial=np.inf), ends.max(initial=-np.inf)
    size = max(abs(low), abs(high)) or 1.0
    lower, upper = bins.lower.copy(), bins.upper.copy()
    below, above = lower < -_HUGE, upper > _HUGE
    lower[below] = np.where(low < upper[below], low, upper[below] - _octave(upper[below], size, -1))
    upper[above] = np.where(
        high > lower[above], high, lower[above] + _octave(lower[above], size, 1)
    )
    return lower, upper


def _octave(end: Array, size: float, side: int) -> Array:
    """Return how far from an end numbers are of half or twice its size; ``size`` where it is 0."""
    away = np.where(np.sign(end) == side, np.abs(end), np.abs(end) / 2)
    return np.where(np.abs(end) < _TINY, size, away)


def _between(
    points: Array,
    counts: Array,
    values: int,
    end: tuple[int, float],
    places: Array,
    *,
    before: bool,
) -> Array:
    """Return points for some numbers of cells, interpolated; the first ``values`` points are of one value each."""
    order = np.argsort(points, kind="stable")
    points, is_value = points[order], order < values
    passed = counts[order].cumsum()
    first = passed - counts[order]
    here, there = (first, passed) if before else (passed, first)
    cells = np.concatenate([here, there[is_value], [end[0]]])
    found = np.concatenate([points, points[is_value], [end[1]]])
    order = np.lexsort((found, cells))
    return np.asarray(np.interp(places, cells[order], found[order]))
