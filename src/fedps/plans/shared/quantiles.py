"""Quantiles of columns: the same order statistics as of the pooled rows, by the shortest way.

The one place that chooses it. Round 1 brings each client's value/count table where that is small,
and bins with equal shares of the cells where it is not. With tables from all clients, all is known.
Otherwise round 2 asks for the values in the narrow intervals that must hold what is wanted. Where a
policy keeps those back, it brings slices of the number line with enough cells in each: quantiles are then
known up to these, and the user is told how far they may be off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedps.plans.shared.brackets import both, bracketed, intervals
from fedps.plans.shared.subsample import DrawRows, ask_of_sample
from fedps.protocol.plan import STILL_EXACT, NeedsSchema, Plan, View, ask
from fedps.questions.markers import NAN_MARKER
from fedps.statistics import Marginal, Spread, Within
from fedps.statistics.base import Array
from fedps.statistics.order.spread import known
from fedps.statistics.order.tables import BinLists, Bins, Tallies
from fedps.statistics.order.within_summary import Inside

FURTHER = "for columns of many values: a second round for those in narrow intervals"
_RULES = "level", "max_share", "budget"  # by which clients show fewer values

RanksOf = Callable[[int], Array]


@dataclass(frozen=True)
class Ordered:
    """Some order statistics of one column."""

    count: int  # cells that are not missing
    nan: int
    narrow: bool  # whether the cells are 32-bit floats
    ranks: Array
    values: Array
    lower: Array  # the bounds in which the values lie, where they are not known
    upper: Array

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
    columns: list[Ordered] = []
    for piece, drawing in _pieces(view, draw):
        seen, found = yield from ask_of_sample(spread, piece, drawing, further=FURTHER)
        columns += yield from settle_order(seen, found, ranks, marker=marker, stored=stored)
    return columns


def _pieces(view: View, draw: DrawRows | None) -> list[tuple[View, DrawRows | None]]:
    """Return what to ask one after the other: the view, or some of its columns at a time."""
    table, pieces = view.pooled.table, view.pooled.pieces
    if pieces > 1 and table is None:
        raise NeedsSchema
    width = table.width if table is not None and view.is_table else 0
    width = width if view.names is None else len(view.names)
    if pieces == 1 or not width:
        return [(view, draw)]
    drawn = view if draw is None else draw(view)
    parts = np.array_split(np.arange(width), min(pieces, width))
    return [(drawn.at(part.tolist()), None) for part in parts]


def settle_order(
    view: View,
    found: list[Marginal],
    ranks: RanksOf,
    *,
    marker: float | None = NAN_MARKER,
    stored: bool = False,
) -> Plan[list[Ordered]]:
    """Return the cells at some ranks of each column, of which the first answer is known: by a second one."""
    wanted = [np.unique(ranks(column.count)) if column.count else _none() for column in found]
    places = tuple(
        np.empty((2, 0)) if column.exact else intervals(column, want)
        for column, want in zip(found, wanted, strict=True)
    )
    inside: list[Any] = [None] * len(found)
    if any(place.size for place in places):
        inside = yield from ask(Within(places, marker=marker, stored=stored), view)
    limited = view.limited(*_RULES)
    unknown = view.nothing_shown("Within")  # only by looks, which can do with what was known before
    columns = []
    for j, (column, want, place) in enumerate(zip(found, wanted, places, strict=True)):
        known = (want, column.count, inside[j] if place.size else None)
        settled = _as_before(column, want) if j in unknown else _settled(column, place, *known)
        lower, values, upper, bound = settled
        if bound or j in limited:
            view.bound(j, bound or STILL_EXACT)
        columns.append(Ordered(column.count, column.nan, column.narrow, want, values, lower, upper))
    return columns


def _none() -> Array:
    return np.zeros(0, dtype=np.int64)


def _look_up(values: Array, counts: Array, ranks: Array) -> Array:
    """Return what stands at some ranks of a value/count table."""
    return values[np.searchsorted(counts.cumsum(), ranks, side="right")]


def _settled(
    column: Marginal, place: Array, ranks: Array, count: int, inside: Inside | None
) -> tuple[Array, Array, Array, str]:
    """Return the cells at ranks between their bounds, and in words how far they may be off."""
    if inside is None:
        values = _look_up(column.values, column.counts, ranks)
        return values, values, values, ""
    if not inside.slices.upper.size:
        at = np.searchsorted(inside.below, ranks, side="right") - 1
        before = np.append(0, inside.inside.cumsum())[at]
        values = _look_up(*inside.tally, ranks - inside.below[at] + before)
        return values, values, values, ""
    # a client may show bins first, and have no values left to show after that
    found = both(bracketed(column, ranks), bracketed(_all_cells(inside, place), ranks))
    bound = found.worst(ranks, count) if found.off.any() else ""
    return found.lower, found.values, found.upper, bound


def _as_before(column: Marginal, ranks: Array) -> tuple[Array, Array, Array, str]:
    """Return the cells at ranks as far as the first answer tells, and in words how far they may be off."""
    found = bracketed(column, ranks)
    bound = found.worst(ranks, column.count) if found.off.any() else ""
    return found.lower, found.values, found.upper, bound


def _all_cells(inside: Inside, place: Array) -> Marginal:
    """Return what is known of a column: values in intervals, how many cells lie between these, and slices."""
    lower, upper = place
    between = Bins(np.append(-np.inf, upper[:-1]), lower, np.diff(inside.below, prepend=0))
    between.counts[1:] -= inside.inside[:-1]
    some = (between.counts > 0) & (between.lower < between.upper)
    parts = inside.slices, Bins(*(each[some] for each in between))
    bins = BinLists.of([Bins(*map(np.concatenate, zip(*parts, strict=True)))])
    tables, bins = known(Tallies.of([inside.tally]), bins)
    return Marginal(tables[0], bins[0], 0, False)


def _sketched(
    view: View, sketch: Any, ranks: RanksOf, draw: DrawRows | None, **cells: Any
) -> Plan[list[Ordered]]:
    """Read the order statistics off a sketch: one round, within its error bound."""
    _, found = yield from ask_of_sample(sketch.of(**cells), view, draw)
    columns = []
    for column in found:
        wanted = np.unique(ranks(column.n)) if column.n else _none()
        values = column.values_at(wanted)
        columns.append(Ordered(column.n, column.nan, False, wanted, values, values, values))
    return columns
