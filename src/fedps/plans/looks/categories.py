"""Describing columns of categories: how many there are, which are the most frequent, and at which client.

Round 1 brings the table of each column, or the most frequent categories where it is too large for a message
or a policy names no rare ones. Of tables that were too large, round 2 counts the candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedps.looks.column_facts import Category, ColumnFacts, SiteFacts
from fedps.plans.looks.kept_back import missing_clients, shown_instead
from fedps.plans.looks.sites import COLUMN_KEPT_BACK, OWN_KEPT_BACK, total_variation
from fedps.protocol.heard import OWN_NUMBERS
from fedps.protocol.plan import STILL_EXACT, EachClient, Plan, View, ask, ask_each, gather
from fedps.questions.frequent import top_of
from fedps.statistics import Known
from fedps.statistics.base import Array
from fedps.statistics.categories.frequent_items import Frequent

_FURTHER = "for columns of very many values: a second round that counts the most frequent ones"
_RULES = "min_count", "max_share"  # by which clients name fewer categories


def describe_categories(look: Any, view: View) -> Plan[list[ColumnFacts]]:
    """Return what is known of each column of categories."""
    grouped = look.where is not None
    first = yield from ask_each(top_of(look.top), view, further=_FURTHER)
    limited = view.limited(*_RULES)
    gone = missing_clients(view, "Heaviest")
    cut = [
        j
        for j, column in enumerate(first.merged)
        if not (column.complete or j in limited or j in gone)
    ]
    tops = [_most_frequent(first.merged[j], look.top) for j in cut]
    counts = yield from gather(
        ask(Known((tuple(values.tolist()),)), view.at((j,)))
        for j, (values, _) in zip(cut, tops, strict=True)
    )
    uncounted = missing_clients(view, "Known")
    exact = {
        j: (values, found.counts[0])
        for j, (values, _), found in zip(cut, tops, counts, strict=True)
        if j not in uncounted
    }
    for position in view.limited(OWN_NUMBERS):
        view.bound(position, STILL_EXACT)
    for position in limited:
        view.bound(
            position, f"categories that are not named have {first.merged[position].left} cells"
        )
    found = _Found(first, exact, look.top, view, grouped, gone)
    return [found.column(j) for j in range(len(first.merged))]


def _most_frequent(column: Frequent, most: int) -> tuple[Array, Array]:
    """Return the most frequent values and their counts; of equally frequent ones, the first in order."""
    counts = column.found.counts
    assert counts is not None
    order = np.argsort(-counts, kind="stable")[:most]
    return column.found.values[order], counts[order]


@dataclass(frozen=True)
class _Found:
    """All that was found of a table's columns; ``exact`` has counts that were asked for."""

    first: EachClient[list[Frequent]]
    exact: dict[int, tuple[Array, Array]]
    most: int
    view: View
    grouped: bool
    gone: dict[int, list[str]]  # clients that show nothing of a column, by its position

    def column(self, j: int) -> ColumnFacts:
        """Return what is known of one column."""
        column, names = self.first.merged[j], self.view.names
        values, counts = self._top(j)
        missing = column.found.none + column.found.nan
        counted = column.found.counts
        assert counted is not None
        count = int(counted.sum()) + column.left
        some = [Category(v, int(n)) for v, n in zip(values.tolist(), counts.tolist(), strict=True)]
        marks = self._marks(column, some, exact=j in self.exact)
        return ColumnFacts(
            name=j if names is None else names[j],
            kind="categories",
            dtype="",
            count=count,
            missing=missing,
            unique=len(column.found.values) if column.complete else None,
            top=some[0].value if some else None,
            freq=some[0].count if some else None,
            categories=tuple(some),
            others=count - sum(one.count for one in some),
            sites=tuple(self._sites(j, values)),
            marks=marks | self._without(j, count, missing, some, marks),
        )

    def _without(
        self, j: int, count: int, missing: int, some: list[Category], marks: dict[str, str]
    ) -> dict[str, str]:
        """Return what to show of numbers that some clients had no part in; ``marks`` are those of all others."""
        first = some[0] if some else Category(None, 0)
        fields = {
            "count": count,
            "missing": missing,
            "unique": len(self.first.merged[j].found.values),
        }
        fields |= {"top": first.value, "freq": first.count}
        return shown_instead(fields | marks, self.gone.get(j, ()), self.view.pooled.clients)

    def _top(self, j: int) -> tuple[Array, Array]:
        if j not in self.exact:
            return _most_frequent(self.first.merged[j], self.most)
        values, counts = self.exact[j]
        order = np.argsort(-counts, kind="stable")
        return values[order], counts[order]

    def _marks(self, column: Frequent, some: list[Category], *, exact: bool) -> dict[str, str]:
        """Return what to show of numbers that are not known exactly."""
        if column.complete:
            return {}
        marks = {"unique": f"> {len(column.found.values):,}"}
        if not some:
            return marks | {"top": "not named", "freq": f"<= {column.bound:,}"}
        second = max((one.count for one in some[1:]), default=0)
        if some[0].count < max(column.bound, 0 if exact else second + column.bound):
            marks["top"] = f"{some[0].value}, or another"
        if not exact:
            marks["freq"] = f"{some[0].count:,} to {some[0].count + column.bound:,}"
        return marks

    def _sites(self, j: int, values: Array) -> list[SiteFacts]:
        if self.grouped:
            return []
        heights = dict(zip(self.view.pooled.names, self.view.pooled.heights, strict=True))
        return [self._site(j, client, rows, values) for client, rows in heights.items()]

    def _site(self, j: int, client: str, rows: int, values: Array) -> SiteFacts:
        """Return one column at one client."""
        if client not in self.first.own:
            return SiteFacts(client, rows, kept_back=OWN_KEPT_BACK)
        if client in self.gone.get(j, ()):
            return SiteFacts(client, rows, kept_back=COLUMN_KEPT_BACK)
        column, every = self.first.own[client][j], self.first.merged[j]
        own = _table(column)
        missing = column.found.none + column.found.nan
        otherwise = 0 if column.complete else None
        difference = None
        if every.complete:
            counts = every.found.counts
            assert counts is not None
            mine = np.array([own.get(value, 0) for value in every.found.values.tolist()])
            difference = total_variation(mine, counts - mine)
        return SiteFacts(
            client,
            rows,
            count=rows - missing,
            missing=missing,
            counts=tuple(own.get(value, otherwise) for value in values.tolist()),
            difference=difference,
        )


def _table(column: Frequent) -> dict[Any, int]:
    assert column.found.counts is not None
    return dict(zip(column.found.values.tolist(), column.found.counts.tolist(), strict=True))
