"""Heaviest and FrequentItems: the most frequent values of columns with very many categories.

Why counts with a bound, and not a stream sketch: docs/decisions/007-frequent-items.md.
"""

from __future__ import annotations

from math import ceil
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from msgspec import Meta

from fedps.statistics.base import (
    Array,
    Block,
    Distinct,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.categories.categories import (
    MOST_CATEGORIES,
    Categories,
    CategoriesSummary,
    is_text,
)
from fedps.statistics.categories.table_sizes import MOST_UNFOLDED, unfolded, water_level
from fedps.statistics.demands import demand_columns, exact_total
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.missing_kinds import as_kinds
from fedps.statistics.ragged import Ragged

_TABLE = Categories(counts=True)
NOTHING = np.empty(0, dtype=np.int64)
# A share of the rows, such as min_frequency=0.1, is rounded: rather send a value too many than miss
# one that is exactly at the threshold.
_ROUNDING = 1e-9

Natural = Annotated[int, Meta(ge=0, le=2**62)]


class FrequentSummary(Summary, frozen=True, array_like=True, tag="frequent"):
    """Per column: some values, sorted, how often each occurs at least, and what was left out.

    ``left`` is empty if nothing was left out. Otherwise it has, per column, the number of cells whose
    values were left out, and a bound: no count is too low by more than that.
    """

    width_field: ClassVar[str | None] = "nan"
    told_fields: ClassVar[tuple[str, ...]] = ("counts",)

    values: tuple[Array, ...]
    counts: Ragged
    left: Array
    none: Array
    nan: Array

    @property
    def table(self) -> CategoriesSummary:
        """What was not left out."""
        return CategoriesSummary(self.values, tuple(self.counts), self.none, self.nan)

    @property
    def left_out(self) -> Array:
        """What was left out, zeros included."""
        return self.left if self.left.size else np.zeros((2, len(self.values)), dtype=np.int64)

    def check(self, width: int, rows: int) -> None:
        """Check the table, and that each row has one cell in each column, sent or left out."""
        self.check_cells(width, rows, some=False)

    def check_cells(self, width: int, rows: int, *, some: bool) -> None:
        """Check the table, and that each row has one cell in each column, or at most one of ``some``."""
        self.table.check(width, rows)
        demand_columns(self, width, "counts")
        demand_array(self.left, "left", "int64", (2, width) if self.left.size else (0,))
        if self.left.size:
            demand(((self.left >= 0) & (self.left <= rows)).all(), "left", f"is not in 0..{rows}")
            cells, bound = self.left
            demand((bound <= cells).all(), "left", "bounds counts above its cells")
            demand(((bound > 0) == (cells > 0)).all(), "left", "has cells without a bound")
        for j in range(width):
            total = exact_total(self.counts[j]) + int(self.none[j]) + int(self.nan[j])
            total += int(self.left_out[0, j])
            fits = total <= rows if some else total == rows
            demand(fits, "counts", f"adds up to {total} cells for {rows} rows")

    def gaps(self) -> Array:
        """Return how many cells of each column are None, and how many are NaN."""
        return self.table.gaps()

    def with_gaps(self, kinds: Array) -> FrequentSummary:
        """Return the summary with the missing cells of each column as one kind."""
        none, nan = as_kinds(self.none, self.nan, kinds)
        return FrequentSummary(self.values, self.counts, self.left, none, nan)

    def support(self) -> Array:
        """Return how many cells are not missing."""
        sent = np.array([c.sum() for c in self.counts], dtype=np.int64)
        return np.asarray(sent + self.left_out[0])

    def retained(self) -> Array:
        """Return how many numbers of each column are shown; a policy does not limit text by that."""
        return self.table.retained()


class Frequent(NamedTuple):
    """What a plan receives of a column.

    No count of ``found`` is too low by more than ``bound``, and no value that is not in it occurs
    more often than that. ``left`` cells have values that some client left out.
    """

    found: Distinct
    left: int
    bound: int

    @property
    def complete(self) -> bool:
        """Whether nothing was left out."""
        return self.left == 0


class _Frequent(Statistic[FrequentSummary, list[Frequent]], frozen=True, array_like=True):
    """What the two statistics share. They differ in what they leave out."""

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    summary: ClassVar[type[Summary]] = FrequentSummary
    by_value: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False

    def empty(self, width: int) -> FrequentSummary:
        """Return no values."""
        return _complete(_TABLE.empty(width))

    def update(self, summary: FrequentSummary, block: Block) -> FrequentSummary:
        """Fold in a block of rows; nothing is left out before all rows are in."""
        return _complete(_TABLE.fold(summary.table, block, getattr(self, "gap", None)))

    def merge(self, left: FrequentSummary, right: FrequentSummary) -> FrequentSummary:
        """Return the union, with counts, cells left out and bounds added."""
        merged = _complete(_TABLE.merge(left.table, right.table))
        if not left.left.size and not right.left.size:
            return merged
        return _with(merged, left.left_out + right.left_out)

    def result(self, summary: FrequentSummary) -> list[Frequent]:
        """Return the values of each column, and what is missing of them."""
        columns = zip(_TABLE.result(summary.table), summary.left_out.T.tolist(), strict=True)
        return [Frequent(found, cells, bound) for found, (cells, bound) in columns]


class Heaviest(_Frequent, frozen=True, array_like=True, tag="heaviest"):
    """The distinct values of each column and their counts; of large columns only the most frequent.

    A client whose tables take at most ``whole`` bytes sends all of them. Of larger columns it sends
    the values with a count of at least ``at_least``, and its ``top`` most frequent ones, the most
    frequent first, as far as they fit into ``limit`` bytes. A policy's ``max_share`` bounds how many
    values of a numeric column it sends.

    Pigeonhole: a value with a count of T over C clients has a count of at least T / C at some client,
    and one with a share f of all rows has that share at some client. The bound in the result tells
    whether all such values are there.

    Level SUMMARY: shows these values and their counts. Costs their length, and about two bytes each
    for counts.

    Parameters
    ----------
    at_least : int or float, default=0
        Send values with at least this count or, as a float, this share of the client's rows. With 0,
        no value is sent because of its count.
    top : int, default=0
        Send this many of the most frequent values. Of equally frequent ones, the last in order.
    whole, limit : int
        Bytes that all columns together may take in memory: to be sent whole, and at most.
    gap : int or float, optional
        A number that marks missing cells: in a column of text they count as None.
    some_rows : bool, default=False
        Whether clients may answer about some of their rows only, so that counts add up to no more than these.

    Examples
    --------
    >>> Heaviest(at_least=5).shows
    'distinct values and counts; only the most frequent where they are very many'
    """

    at_least: Natural | float = 0
    top: Natural = 0
    whole: Natural = MOST_UNFOLDED
    limit: Natural = MOST_UNFOLDED
    gap: int | float | None = None
    some_rows: bool = False

    def check(self, summary: FrequentSummary, width: int, rows: int) -> None:
        """Check that each row has one cell in each column, sent or left out."""
        summary.check_cells(width, rows, some=self.some_rows)

    def __post_init__(self) -> None:
        if isinstance(self.at_least, float) and not 0 < self.at_least <= 1:
            raise ValueError("must have a share of the rows above 0 and up to 1")

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        if self.whole == 0:
            return "the most frequent values and their counts"
        return "distinct values and counts; only the most frequent where they are very many"

    def compact(self, summary: FrequentSummary, limits: Limits = OPEN) -> FrequentSummary:
        """Return the summary without what is left out."""
        summary = _without_rare(summary, limits)
        sizes = [float(unfolded(values).sum()) for values in summary.values]
        whole, limit = water_level(sizes, self.whole), water_level(sizes, self.limit)
        chosen: list[Array | None] = []
        for j, values in enumerate(summary.values):
            counts = summary.counts[j]
            cells = int(counts.sum())
            most = _most(values, cells, j, limits)
            if sizes[j] <= whole and len(values) <= most:
                chosen.append(None)  # the whole column
                continue
            rows = cells + int(summary.none[j]) + int(summary.nan[j])
            order = np.argsort(counts, kind="stable")[::-1]
            order = order[: min(self._wanted(counts[order], rows), most)]
            fits = int(np.searchsorted(unfolded(values[order]).cumsum(), limit, side="right"))
            chosen.append(order[:fits])
        return _only(summary, chosen)

    def _wanted(self, falling: Array, rows: int) -> int:
        """Return how many of the most frequent values to send; ``falling`` are their counts."""
        found, least = min(self.top, len(falling)), self.at_least
        if isinstance(least, float):
            least = ceil(least * rows * (1 - _ROUNDING))
        if least:
            found = max(found, int(np.searchsorted(-falling, -least, side="right")))
        return found


class FrequentItems(_Frequent, frozen=True, array_like=True, tag="items"):
    """A sketch of each column's most frequent values, in one round: at most ``k`` per client.

    Each client sends the ``k`` most frequent values of a column with their exact counts there. So a
    merged count is never too high, and it is too low by at most ``n / (k + 1)``, where n is the
    number of cells of all clients: what a client leaves out occurs no more often than each of the k
    that it sends. If ``k`` is at least the number of distinct values, the counts are exact. A policy
    refuses it if it would show too many of the numbers in a column.

    For ``OneHotEncoder`` this means: a category that is found to be frequent is frequent; one whose
    count is less than n / (k + 1) above ``min_frequency`` may be taken for infrequent. For
    ``SimpleImputer(strategy="most_frequent")`` the count of the value found is at most n / (k + 1)
    below that of the most frequent one.

    Level SUMMARY: shows the k most frequent values of each client. Costs their length, and about two
    bytes each for counts.

    Parameters
    ----------
    k : int, default=1000
        How many values of each column a client sends at most, in 1..100000.

    Examples
    --------
    >>> FrequentItems(k=2000).k
    2000
    >>> FrequentItems(k=0)
    Traceback (most recent call last):
    ...
    ValueError: FrequentItems needs a k of 1 to 100000, not 0
    """

    k: int = 1000

    def __dir__(self) -> list[str]:
        return ["k"]  # what a user chooses; plans set the rest

    def __post_init__(self) -> None:
        if type(self.k) is not int or not 1 <= self.k <= MOST_ITEMS:
            raise ValueError(f"FrequentItems needs a k of 1 to {MOST_ITEMS}, not {self.k!r}")

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return f"the {self.k} most frequent values and their counts"

    def compact(
        self,
        summary: FrequentSummary,
        limits: Limits = OPEN,
    ) -> FrequentSummary:
        """Return the summary without what is left out."""
        summary = _without_rare(summary, limits)
        chosen: list[Array | None] = [
            np.argsort(counts, kind="stable")[-self.k :] if len(counts) > self.k else None
            for counts in summary.counts
        ]
        return _only(summary, chosen)

    def check(self, summary: FrequentSummary, width: int, rows: int) -> None:
        """Check also that there are at most ``k`` values per column."""
        summary.check(width, rows)
        most = max(map(len, summary.values), default=0)
        demand(most <= self.k, "values", f"has {most} items, not at most {self.k}")


MOST_ITEMS = 100_000


def _complete(table: CategoriesSummary) -> FrequentSummary:
    counts = Ragged(table.counts)
    return FrequentSummary(table.values, counts, NOTHING, table.none, table.nan)


def _with(summary: FrequentSummary, left: Array) -> FrequentSummary:
    return FrequentSummary(summary.values, summary.counts, left, summary.none, summary.nan)


def _most(values: Array, cells: int, position: int, limits: Limits) -> int:
    """Return how many values of a column a client may name."""
    if limits.share >= 1 or is_text(values):
        return MOST_CATEGORIES
    most = min(MOST_CATEGORIES, limits.most_values(position, cells))
    if len(values) > most:
        limits.show_less(position, "max_share", f"the {most} most frequent values")
    return most


def _without_rare(summary: FrequentSummary, limits: Limits) -> FrequentSummary:
    """Return the summary without values that are too rare to be named: they are left out."""
    if limits.count <= 0:
        return summary
    table = summary.table.without_rare(limits)
    left = summary.left_out.copy()
    for j, (before, after) in enumerate(zip(summary.counts, table.counts, strict=True)):
        lost = int(before.sum() - after.sum())
        # how frequent they are is not told: at most as frequent as one below the limit, or all of them
        most = lost if limits.pairs is not None else min(lost, limits.count - 1)
        left[:, j] += [lost, most]
    only = _complete(table)
    return _with(only, left) if left.any() else only


def _only(summary: FrequentSummary, chosen: list[Array | None]) -> FrequentSummary:
    """Return only the values at the chosen positions; None means all values of a column."""
    values, counts = list(summary.values), list(summary.counts)
    left = summary.left_out.copy()
    for j, positions in enumerate(chosen):
        if positions is None or len(positions) == len(values[j]):
            continue
        kept = np.sort(positions)
        lost = np.delete(counts[j], kept)
        left[:, j] += [lost.sum(), lost.max()]
        # an empty array has no dtype of its own, so that merging in any order gives the same
        values[j] = values[j][kept] if len(kept) else np.empty(0)
        counts[j] = counts[j][kept]
    only = FrequentSummary(tuple(values), Ragged(counts), NOTHING, summary.none, summary.nan)
    return _with(only, left) if left.any() else only
