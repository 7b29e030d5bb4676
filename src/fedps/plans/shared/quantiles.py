"""Quantiles of columns: the same order statistics as of the pooled rows, by the shortest way.

The one place that chooses it. Round 1 brings each client's value/count table where that is small,
and bins with equal shares of the cells where it is not. With tables from all clients, all is known.
Otherwise round 2 asks for the values in the narrow intervals that must hold what is wanted. Where a
policy keeps those back, counts alone find them: a search over the bits of numbers, a few rounds more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedps.plans.shared.rank_search import search
from fedps.plans.shared.subsample import DrawRows, ask_of_sample
from fedps.protocol.plan import Plan, View, ask
from fedps.questions.markers import NAN_MARKER
from fedps.statistics import Marginal, Spread, Within
from fedps.statistics.base import Array

_FURTHER = "for columns of many values: a second round for those in narrow intervals, or several for counts"

RanksOf = Callable[[int], Array]


@dataclass(frozen=True)
class Ordered:
    """Some order statistics of one column."""

    count: int  # cells that are not missing
    nan: int
    narrow: bool  # whether the cells are 32-bit floats
    ranks: Array
    values: Array

    def at(self, ranks: Array) -> Array:
        """Return the values at some of the ranks, in the dtype of the cells."""
        found = self.values[np.searchsorted(self.ranks, ranks)]
        return found.astype(np.float32) if self.narrow else found


def order_statistics(
    view: View,
    ranks: RanksOf,
    *,
    targets: int,
    marker: float | None = NAN_MARKER,
    stored: bool = False,
    draw: DrawRows | None = None,
) -> Plan[list[Ordered]]:
    """Return the cells at some ranks, counted from 0, of each column's sorted cells.

    ``ranks`` gives the wanted ranks of a column from its number of cells; ``targets`` is about how
    many these are. ``marker`` and ``stored`` are as in :class:`~fedps.statistics.Spread`, ``draw``
    as in :func:`~fedps.plans.shared.subsample.ask_of_sample`.
    """
    sketch = view.pooled.options.quantiles
    if sketch is not None:
        return (yield from _sketched(view, sketch, ranks, draw, marker=marker, stored=stored))
    spread = Spread(targets=targets, marker=marker, stored=stored)
    view, found = yield from ask_of_sample(spread, view, draw, further=_FURTHER)
    wanted = [np.unique(ranks(column.count)) if column.count else _none() for column in found]
    known = [
        _look_up(column.values, column.counts, want) if column.exact else None
        for column, want in zip(found, wanted, strict=True)
    ]
    if any(values is None for values in known):
        known = yield from _looked_into(view, found, wanted, known, marker=marker, stored=stored)
    return [
        Ordered(column.count, column.nan, column.narrow, want, values)
        for column, want, values in zip(found, wanted, known, strict=True)
        if values is not None
    ]


def _none() -> Array:
    return np.zeros(0, dtype=np.int64)


def _look_up(values: Array, counts: Array, ranks: Array) -> Array:
    """Return what stands at some ranks of a value/count table."""
    return values[np.searchsorted(counts.cumsum(), ranks, side="right")]


def _looked_into(
    view: View,
    columns: Sequence[Marginal],
    wanted: Sequence[Array],
    known: Sequence[Array | None],
    **cells: Any,
) -> Plan[list[Array | None]]:
    """Find the order statistics of the columns that are known by bins only."""
    places = [
        np.empty((2, 0)) if values is not None else intervals(column, want)
        for column, want, values in zip(columns, wanted, known, strict=True)
    ]
    found = list(known)
    # where some client told nothing but its number of cells, only counts can find anything
    blind = [
        values is None and bool(np.isinf(place).any())
        for values, place in zip(known, places, strict=True)
    ]
    shown = tuple(np.empty((2, 0)) if b else p for b, p in zip(blind, places, strict=True))
    if any(p.size for p in shown):
        inside = yield from ask(Within(shown, **cells), view)
        for j, column in enumerate(inside):
            if not shown[j].size:
                continue
            if column.shown:
                place = np.searchsorted(column.below, wanted[j], side="right") - 1
                before = np.append(0, column.inside.cumsum())[place]
                ranks = wanted[j] - column.below[place] + before
                found[j] = _look_up(column.values, column.counts, ranks)
            else:
                blind[j] = True
    if any(blind):
        targets = [want if b else _none() for want, b in zip(wanted, blind, strict=True)]
        searched = yield from search(view, targets, **cells)
        for j, b in enumerate(blind):
            found[j] = searched[j] if b else found[j]
    return found


def intervals(column: Marginal, ranks: Array) -> Array:
    """Return narrow intervals ``(lower, upper]``, sorted and apart, that hold the cells at ranks.

    A cell at rank r lies above the point up to which at most r cells could be, and not above the
    one up to which more than r cells must be.
    """
    values, bins = column.values, column.bins
    counts = np.concatenate([column.counts, bins.counts])
    # the cells of a bin must be passed at its upper end, and could be right after its lower one
    stops, starts = np.concatenate([values, bins.upper]), np.concatenate([values, bins.lower])
    stop = stops[_passing(stops, counts, ranks)]
    # a value is passed at the value itself: what is not passed is above the number before it
    before = np.concatenate([np.nextafter(values, -np.inf), bins.lower])
    return _apart(before[_passing(starts, counts, ranks)], stop)


def _passing(points: Array, counts: Array, ranks: Array) -> Array:
    """Return at which of the points, in their order, more cells are passed than each rank."""
    order = np.argsort(points, kind="stable")  # at the same point values come first
    return order[np.searchsorted(counts[order].cumsum(), ranks, side="right")]


def _apart(start: Array, stop: Array) -> Array:
    """Return sorted intervals with those that overlap made one."""
    order = np.argsort(start, kind="stable")
    start, stop = start[order], np.maximum.accumulate(stop[order])
    first = np.append(True, start[1:] >= stop[:-1])
    last = np.append(first[1:], True)
    return np.stack([start[first], stop[last]])


def _sketched(
    view: View, sketch: Any, ranks: RanksOf, draw: DrawRows | None, **cells: Any
) -> Plan[list[Ordered]]:
    """Read the order statistics off a sketch: one round, within its error bound."""
    _, found = yield from ask_of_sample(sketch.of(**cells), view, draw)
    columns = []
    for column in found:
        wanted = np.unique(ranks(column.n)) if column.n else _none()
        values = column.values_at(wanted)
        columns.append(Ordered(column.n, column.nan, False, wanted, values))
    return columns
