"""Describing columns of numbers, and of dates.

Round 1 asks how each column is distributed. Of columns whose tables of values are small everything follows
from that. Of the others, round 2 asks for the values around their quantiles, and for sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fedps.looks.column_facts import ColumnFacts, Kind, SiteFacts
from fedps.plans.looks.bars import bar_counts, edges_of, histogram
from fedps.plans.looks.sites import KEPT_BACK, mean_difference
from fedps.plans.looks.tables import (
    Sums,
    number_or_none,
    numbers_or_none,
    pivot_of,
    sums_about,
    sums_of_table,
)
from fedps.plans.shared.percentiles import percentile_ranks, percentiles_of
from fedps.plans.shared.quantiles import FURTHER, Ordered, settle_order
from fedps.protocol.heard import OWN_NUMBERS
from fedps.protocol.plan import STILL_EXACT, EachClient, Plan, View, ask, ask_each, gather
from fedps.statistics import Cubes, Marginal, Moments, Spread
from fedps.statistics.base import Array


def describe_numbers(look: Any, view: View, kind: Kind = "numbers") -> Plan[list[ColumnFacts]]:
    """Return what is known of each column of numbers."""
    percents = np.asarray(look.percentiles, dtype=np.float64) * 100
    first = yield from ask_each(Spread(targets=len(percents)), view, further=FURTHER)
    rough = [j for j, column in enumerate(first.merged) if not column.exact]
    plans: list[Plan[Any]] = [
        settle_order(view, first.merged, lambda count: percentile_ranks(count, percents)),
        _sums(view, first, rough),
    ]
    ordered, sums = yield from gather(plans)
    for position in view.limited(OWN_NUMBERS):
        view.bound(position, STILL_EXACT)
    found = _Found(first, ordered, sums, percents, view, look.where is not None)
    return [found.column(j, kind) for j in range(len(first.merged))]


@dataclass(frozen=True)
class _AllSums:
    """The sums of each column, of all clients and of each."""

    merged: list[Sums]
    own: dict[str, list[Sums]] = field(default_factory=dict)


def _sums(view: View, first: EachClient[list[Marginal]], rough: Sequence[int]) -> Plan[_AllSums]:
    """Return the sums of all columns: from tables of values, or asked for."""
    merged = [sums_of_table(column) for column in first.merged]
    own = {client: [sums_of_table(c) for c in columns] for client, columns in first.own.items()}
    if not rough:
        return _AllSums(merged, own)
    some = view.at(rough)
    pivots = np.array([pivot_of(first.merged[j]) for j in rough])
    plans: list[Plan[Any]] = [ask_each(Moments(), some), ask(Cubes(pivots), some)]
    means, cubes = yield from gather(plans)
    for i, j in enumerate(rough):
        merged[j] = sums_about(*_moments(means.merged, i), pivots[i], cubes[i])
        for client, theirs in means.own.items():
            if client in own:
                count, mean, variance = _moments(theirs, i)
                own[client][j] = Sums(int(count), mean, count * variance)
    return _AllSums(merged, own)


def _moments(found: Any, i: int) -> tuple[float, float, float]:
    return float(found.count[i]), float(found.mean[i]), float(found.variance[i])


@dataclass(frozen=True)
class _Found:
    """All that was found of a table's columns."""

    first: EachClient[list[Marginal]]
    ordered: list[Ordered]
    sums: _AllSums
    percents: Array
    view: View
    grouped: bool

    def column(self, j: int, kind: Kind) -> ColumnFacts:
        """Return what is known of one column."""
        column, sums, names = self.first.merged[j], self.sums.merged[j], self.view.names
        edges, marks = edges_of(column), self._marks(j)
        return ColumnFacts(
            name=j if names is None else names[j],
            kind=kind,
            dtype="",
            count=column.count,
            missing=column.nan,
            unique=len(column.values) if column.exact else None,
            mean=number_or_none(sums.mean),
            std=number_or_none(sums.std),
            minimum=number_or_none(column.minimum),
            quantiles=numbers_or_none(_rounded(self.ordered[j], self.percents)),
            maximum=number_or_none(column.maximum),
            skewness=number_or_none(sums.skewness),
            histogram=histogram(column, edges),
            sites=tuple(self._sites(j, edges)),
            marks=marks,
        )

    def _marks(self, j: int) -> dict[str, str]:
        """Return what to show of numbers that are not known exactly."""
        column, found = self.first.merged[j], self.ordered[j]
        marks = {}
        for name, end in (("minimum", column.minimum), ("maximum", column.maximum)):
            if column.count and not np.isfinite(end):
                marks[name] = "kept back"
        if not column.exact:
            marks["unique"] = f"> {len(column.values):,}"
        if (found.lower < found.upper).any():
            low, high = (
                percentiles_of(_at(found, found.lower), self.percents),
                percentiles_of(_at(found, found.upper), self.percents),
            )
            for share, at_least, at_most in zip(self.percents, low, high, strict=True):
                if at_least < at_most:
                    marks[f"{share:g}%"] = f"between {at_least:.6g} and {at_most:.6g}"
        return marks

    def _sites(self, j: int, edges: Array | None) -> list[SiteFacts]:
        if self.grouped:
            return []
        heights = dict(zip(self.view.pooled.names, self.view.pooled.heights, strict=True))
        return [self._site(j, client, rows, edges) for client, rows in heights.items()]

    def _site(self, j: int, client: str, rows: int, edges: Array | None) -> SiteFacts:
        """Return one column at one client."""
        if client not in self.first.own:
            return SiteFacts(client, rows, kept_back=KEPT_BACK)
        column, sums = self.first.own[client][j], self.sums.own[client][j]
        quantiles: tuple[float | None, ...] = (None,) * len(self.percents)
        if column.exact:
            quantiles = numbers_or_none(_quantiles(column, self.percents))
        return SiteFacts(
            client,
            rows,
            count=column.count,
            missing=rows - column.count,
            mean=number_or_none(sums.mean),
            std=number_or_none(sums.std),
            minimum=number_or_none(column.minimum),
            maximum=number_or_none(column.maximum),
            quantiles=quantiles,
            counts=bar_counts(column, edges),
            difference=mean_difference(sums, self.sums.merged[j].without(sums)),
        )


def _rounded(found: Ordered, percents: Array) -> Array:
    """Return percentiles as pandas gives them: of 32-bit floats as such, if some are missing."""
    values = percentiles_of(found, percents)
    rounds = found.narrow and found.nan > 0
    return values.astype(np.float32).astype(np.float64) if rounds else values


def _at(found: Ordered, values: Array) -> Ordered:
    return Ordered(found.count, found.nan, False, found.ranks, values, values, values)


def _quantiles(column: Marginal, percents: Array) -> Array:
    """Return the percentiles of a column whose values are all known."""
    if not column.count:
        return np.full(len(percents), np.nan)
    ranks = np.unique(percentile_ranks(column.count, percents))
    values = column.values[np.searchsorted(column.counts.cumsum(), ranks, side="right")]
    whole = Ordered(column.count, column.nan, column.narrow, ranks, values, values, values)
    return _rounded(whole, percents)
