"""HeldRows: rows that stay in a cluster, because moving so few of them would show them.

A server that knows the sums of a cluster before and after some rows moved knows the sum of these rows. So
the clusters of two answers must be the same, or differ by at least ``min_rows`` rows. Where they would
not, rows stay in their cluster until enough of them move to the same other one, and the answer says so.
Sums over as many clusters as there are rows would determine the rows, too: after a share of so many, the
client answers about earlier clusters only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from fedps.client.places.asked import Refuse, TableKey, Wanted
from fedps.statistics import BadCells, Block
from fedps.statistics.base import Array

Passes = Callable[[], Iterable[Callable[[Wanted], Block]]]  # gives the chunks of the tables, once


class HeldRows:
    """The clusters that rows were in, in all answers of one fit.

    Parameters
    ----------
    least : int
        The fewest rows by which two clusters of one table may differ.
    share : float
        The most clusters in all answers about one table, as a share of its rows.
    """

    def __init__(self, least: int, share: float) -> None:
        self._least = least
        self._share = share
        self._asked: list[tuple[Wanted, TableKey]] = []  # and not settled yet
        self._settled: list[tuple[Wanted, Array | None]] = []
        self._answered: dict[TableKey, list[Array]] = {}

    def ask(self, wanted: Wanted, table: TableKey) -> None:
        """Note a question about clusters of a table, also one that an earlier process answered."""
        self._asked.append((wanted, table))

    def of(self, wanted: Wanted, passes: Passes) -> Array | None:
        """Return the clusters in which rows stay; None where each row is in the nearest."""
        self._settle(passes)
        return next((held for known, held in self._settled if known is wanted), None)

    def _settle(self, passes: Passes) -> None:
        """Decide all questions so far, in the order in which they came."""
        if not self._asked:
            return
        asked, self._asked = self._asked, []
        found: list[list[Array] | None] = [[] for _ in asked]
        for block in passes():
            for i, (wanted, _) in enumerate(asked):
                found[i] = _with_block(found[i], wanted, block)
        self._settled = []
        for (wanted, table), parts in zip(asked, found, strict=True):
            if parts is not None:
                clusters = len(wanted.statistic.centres)  # type: ignore[attr-defined]
                labels = np.concatenate([np.empty(0, dtype=np.intp), *parts])
                self._settled.append((wanted, self._decide(labels, clusters, table)))

    def _decide(self, labels: Array, clusters: int, table: TableKey) -> Array | None:
        """Return clusters that may be answered about, if the given ones may not."""
        answered = self._answered.setdefault(table, [])
        found = labels.astype(np.min_scalar_type(max(clusters, 1)))
        if self._showing(found, answered).size:
            found = self._held(found, answered)
        if answered and self._is_more(found, answered) and not _is_one_of(found, answered):
            found = _nearest(found, answered)
        if found.max(initial=0) >= clusters:
            limit = (
                f"needs {self._least} rows between the clusters of two answers, and there are fewer"
            )
            raise Refuse("min_rows of clusters", limit)
        if not _is_one_of(found, answered):
            answered.append(found)
        return None if np.array_equal(found, labels) else found.astype(np.intp)

    def _held(self, labels: Array, answered: list[Array]) -> Array:
        """Return clusters in which rows stay where they were, as few as possible."""
        before = _nearest(labels, answered)
        # too few rows that leave a cluster for the same other one stay; if that is not enough, so do
        # all rows that would leave or enter a cluster that still shows too much
        moves = before.astype(np.int64) * (int(labels.max(initial=0)) + 1) + labels
        _, kind, often = np.unique(moves, return_inverse=True, return_counts=True)
        found = np.where(often[kind] < self._least, before, labels)
        while (showing := self._showing(found, answered)).size:
            stay = np.isin(found, showing) | np.isin(before, showing)
            found = np.where(stay, before, found)
        return np.asarray(found)

    def _is_more(self, labels: Array, answered: list[Array]) -> bool:
        """Whether one more answer would show sums over too many clusters, for so many rows."""
        shown = sum(np.unique(each).size for each in (labels, *answered))
        return shown > max(self._share * labels.size, 1)

    def _showing(self, labels: Array, answered: list[Array]) -> Array:
        """Return the clusters that differ from an earlier one by a few rows.

        Only clusters that share a row are compared: two that share none differ by all of their rows, and
        those of a small one are refused in any case.
        """
        kinds, own, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        found = np.zeros(kinds.size, dtype=bool)
        for earlier in answered:
            _, other, others = np.unique(earlier, return_inverse=True, return_counts=True)
            pairs, both = np.unique(own * others.size + other, return_counts=True)
            one, another = np.divmod(pairs, max(others.size, 1))
            differing = sizes[one] + others[another] - 2 * both
            found[one[(differing > 0) & (differing < self._least)]] = True
        return kinds[found]


def _nearest(labels: Array, answered: list[Array]) -> Array:
    """Return the earlier clusters that differ by the fewest rows."""
    return answered[int(np.argmin([np.count_nonzero(labels != earlier) for earlier in answered]))]


def _is_one_of(labels: Array, answered: list[Array]) -> bool:
    return any(np.array_equal(labels, earlier) for earlier in answered)


def _with_block(
    parts: list[Array] | None, wanted: Wanted, block: Callable[[Wanted], Block]
) -> list[Array] | None:
    """Return the clusters of rows with those of one more block; None if there are none to be had."""
    statistic: Any = wanted.statistic
    if parts is None:
        return None
    try:
        rows = block(wanted)
        statistic.empty(rows.width)  # refuses centres that do not fit the table
        return [*parts, statistic.labels(rows)]
    except BadCells:  # the answer says so
        return None
