"""Describing columns of numbers, and of dates.

Round 1 asks how each column is distributed. Of columns whose tables of values are small everything follows
from that. Of the others, round 2 asks for the values around their quantiles, and for sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fedps.looks.column_facts import ColumnFacts, Kind, SiteFacts
from fedps.looks.formats import date_text, span_text
from fedps.looks.percentile_labels import percentile_labels
from fedps.plans.looks.bars import bar_counts, edges_of, histogram
from fedps.plans.looks.kept_back import NOT_SHOWN, missing_clients, shown_instead
from fedps.plans.looks.seconds import A_SECOND
from fedps.plans.looks.sites import COLUMN_KEPT_BACK, OWN_KEPT_BACK, mean_difference
from fedps.plans.looks.tables import (
    Sums,
    number_or_none,
    numbers_or_none,
    sums_about,
    sums_of_table,
)
from fedps.plans.shared.brackets import rounded
from fedps.plans.shared.percentiles import quantile_ranks, quantiles_of
from fedps.plans.shared.quantiles import FURTHER, Ordered, settle_order
from fedps.protocol.heard import OWN_NUMBERS
from fedps.protocol.plan import STILL_EXACT, EachClient, Plan, View, ask, ask_each, gather
from fedps.statistics import Cubes, Marginal, Moments, Spread
from fedps.statistics.base import Array


def describe_numbers(look: Any, view: View, kind: Kind = "numbers") -> Plan[list[ColumnFacts]]:
    """Return what is known of each column of numbers."""
    shares = np.asarray(look.percentiles, dtype=np.float64)
    # sums first: a client with a small budget tells these rather than many bins
    both: list[Plan[Any]] = [
        ask_each(Moments(), view),
        ask_each(Spread(targets=len(shares)), view, further=FURTHER),
    ]
    means, first = yield from gather(both)
    plans: list[Plan[Any]] = [
        settle_order(view, first.merged, lambda count: quantile_ranks(count, shares)),
        _cubes(view, first.merged, means.merged.mean),
    ]
    ordered, cubes = yield from gather(plans)
    for position in view.limited(OWN_NUMBERS):
        view.bound(position, STILL_EXACT)
    left_out = [missing_clients(view, name) for name in ("Spread", "Moments", "Cubes")]
    # cubes of some clients say nothing beside the sums of others
    same = {j: cube for j, cube in cubes.items() if left_out[1].get(j) == left_out[2].get(j)}
    sums = _all_sums(first, means, same)
    found = _Found(first, ordered, sums, shares, view, look.where is not None, *left_out)
    return [found.column(j, kind) for j in range(len(first.merged))]


@dataclass(frozen=True)
class _AllSums:
    """The sums of each column, of all clients and of each."""

    merged: list[Sums]
    own: dict[str, list[Sums]] = field(default_factory=dict)


def _cubes(view: View, columns: Sequence[Marginal], means: Array) -> Plan[dict[int, float]]:
    """Ask for cubes about the means of columns whose values are not all known; return their sums."""
    rough = [j for j, column in enumerate(columns) if not column.exact]
    if not rough:
        return {}
    pivots = np.nan_to_num(means[rough])
    found = yield from ask(Cubes(pivots), view.at(rough))
    return {j: float(found[i]) for i, j in enumerate(rough)}


def _all_sums(
    first: EachClient[list[Marginal]],
    means: EachClient[Any],
    cubes: dict[int, float],
) -> _AllSums:
    """Return the sums of all columns: from tables of values where these are known, from the clients' sums."""

    def of(found: Any, columns: Sequence[Marginal], *, thirds: bool) -> list[Sums]:
        return [
            sums_of_table(column)
            if column.exact and column.count == found.count[j]
            else sums_about(
                *_moments(found, j), *((rest[j], cubes[j]) if thirds and j in cubes else ())
            )
            for j, column in enumerate(columns)
        ]

    rest = means.merged.rest if cubes else ()  # cubes are about the rounded means
    own = {c: of(means.own[c], first.own[c], thirds=False) for c in first.own if c in means.own}
    return _AllSums(of(means.merged, first.merged, thirds=True), own)


def _moments(found: Any, i: int) -> tuple[float, float, float]:
    return float(found.count[i]), float(found.mean[i]), float(found.variance[i])


@dataclass(frozen=True)
class _Found:
    """All that was found of a table's columns."""

    first: EachClient[list[Marginal]]
    ordered: list[Ordered]
    sums: _AllSums
    shares: Array
    view: View
    grouped: bool
    no_values: dict[int, list[str]]  # clients that show none of a column, by its position
    no_sums: dict[int, list[str]]
    no_cubes: dict[int, list[str]]

    def column(self, j: int, kind: Kind) -> ColumnFacts:
        """Return what is known of one column."""
        column, sums, names = self.first.merged[j], self.sums.merged[j], self.view.names
        edges, marks = edges_of(column), self._marks(j, kind)
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
            quantiles=self._quantiles(j, marks),
            maximum=number_or_none(column.maximum),
            skewness=number_or_none(sums.skewness),
            histogram=histogram(column, edges),
            sites=tuple(self._sites(j, edges)),
            marks=marks | self._without(j, sums, kind, marks),
        )

    def _quantiles(self, j: int, marks: dict[str, str]) -> tuple[float | None, ...]:
        """Return the quantiles that are known exactly."""
        values = numbers_or_none(_rounded(self.ordered[j], self.shares))
        named = zip(self._labels, values, strict=True)
        return tuple(None if label in marks else value for label, value in named)

    @property
    def _labels(self) -> list[str]:
        return percentile_labels(self.shares.tolist())

    def _without(self, j: int, sums: Sums, kind: Kind, marks: Mapping[str, str]) -> dict[str, str]:
        """Return what to show of numbers that some clients had no part in; ``marks`` are those of all others."""
        clients, column = self.view.pooled.clients, self.first.merged[j]
        values: dict[str, Any] = {
            "count": column.count,
            "missing": column.nan,
            "unique": len(column.values) if column.exact else None,
            "minimum": _moment(column.minimum, kind),
            "maximum": _moment(column.maximum, kind),
        }
        found = _rounded(self.ordered[j], self.shares).tolist()
        values |= {k: _moment(v, kind) for k, v in zip(self._labels, found, strict=True)}
        averages = {"mean": _moment(sums.mean, kind), "std": _span(sums.std, kind)}
        skewness = {"skewness": number_or_none(sums.skewness)}
        # of values that are all known, it was not asked for
        no_cubes = self.no_values if column.exact else self.no_cubes
        return (
            shown_instead(
                values | {k: marks[k] for k in values if k in marks},
                self.no_values.get(j, ()),
                clients,
            )
            | shown_instead(averages, self.no_sums.get(j, ()), clients)
            | shown_instead(skewness, no_cubes.get(j, ()), clients)
        )

    def _marks(self, j: int, kind: Kind) -> dict[str, str]:
        """Return what to show of numbers that are not known exactly."""
        column, found = self.first.merged[j], self.ordered[j]
        marks = {}
        for name, end in (("minimum", column.minimum), ("maximum", column.maximum)):
            if column.count and not np.isfinite(end):
                marks[name] = NOT_SHOWN
        if not column.exact and len(column.values):
            marks["unique"] = f"> {len(column.values):,}"
        if (found.lower < found.upper).any():
            low = quantiles_of(_at(found, found.lower), self.shares)
            high = quantiles_of(_at(found, found.upper), self.shares)
            for label, least, most in zip(self._labels, low, high, strict=True):
                if least < most:
                    marks[label] = f"between {_end(least, -1, kind)} and {_end(most, 1, kind)}"
        return marks

    def _sites(self, j: int, edges: Array | None) -> list[SiteFacts]:
        if self.grouped:
            return []
        heights = dict(zip(self.view.pooled.names, self.view.pooled.heights, strict=True))
        return [self._site(j, client, rows, edges) for client, rows in heights.items()]

    def _site(self, j: int, client: str, rows: int, edges: Array | None) -> SiteFacts:
        """Return one column at one client."""
        if client not in self.sums.own:
            return SiteFacts(client, rows, kept_back=OWN_KEPT_BACK)
        if client in self.no_values.get(j, ()):
            return SiteFacts(client, rows, kept_back=COLUMN_KEPT_BACK)
        column, sums = self.first.own[client][j], self.sums.own[client][j]
        quantiles: tuple[float | None, ...] = (None,) * len(self.shares)
        if column.exact:
            quantiles = numbers_or_none(_quantiles(column, self.shares))
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


def _end(number: float, side: int, kind: Kind) -> str:
    """Return the end of an interval as text, rounded away from what is inside."""
    if kind != "dates" or not np.isfinite(number):
        return rounded(number, side)
    return str(np.datetime64(int(number), "us").astype("datetime64[D]") + (side > 0))


def _moment(number: float, kind: Kind) -> float | str | None:
    """Return a number as it is shown beside the clients that had no part in it: of dates, the day."""
    if kind != "dates" or not np.isfinite(number):
        return number_or_none(number)
    return date_text(number / A_SECOND)


def _span(number: float, kind: Kind) -> float | str | None:
    if kind != "dates" or not np.isfinite(number):
        return number_or_none(number)
    return span_text(number / A_SECOND)


def _rounded(found: Ordered, shares: Array) -> Array:
    """Return quantiles as pandas gives them: of 32-bit floats as such, if some are missing."""
    values = quantiles_of(found, shares)
    rounds = found.narrow and found.nan > 0
    return values.astype(np.float32).astype(np.float64) if rounds else values


def _at(found: Ordered, values: Array) -> Ordered:
    return Ordered(found.count, found.nan, False, found.ranks, values, values, values)


def _quantiles(column: Marginal, shares: Array) -> Array:
    """Return the quantiles of a column whose values are all known."""
    if not column.count:
        return np.full(len(shares), np.nan)
    ranks = np.unique(quantile_ranks(column.count, shares))
    values = column.values[np.searchsorted(column.counts.cumsum(), ranks, side="right")]
    whole = Ordered(column.count, column.nan, column.narrow, ranks, values, values, values)
    return _rounded(whole, shares)
