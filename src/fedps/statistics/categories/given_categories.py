"""Known: how often each of the given categories occurs, and how many cells are not among them."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Distinct,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.categories.categories import rare_not_named
from fedps.statistics.demands import demand_columns, demand_counts, exact_total
from fedps.statistics.limits import OPEN, Disclosure, Limits


class KnownSummary(Summary, frozen=True, array_like=True, tag="known"):
    """Counts per column and category, and the number of all other cells per column."""

    width_field: ClassVar[str | None] = "unknown"
    told_fields: ClassVar[tuple[str, ...]] = ("counts",)

    counts: tuple[Array, ...]
    unknown: Array

    def check(self, width: int, rows: int) -> None:
        """Check shapes, signs and that the counts add up to the rows."""
        demand_columns(self, width, "counts")
        demand_array(self.unknown, "unknown", "int64", (width,))
        demand((self.unknown >= 0).all(), "unknown", "must not be negative")
        for counts, other in zip(self.counts, self.unknown.tolist(), strict=True):
            demand_counts(counts, "counts", (None,), rows)
            total = exact_total(counts) + other
            demand(total == rows, "counts", f"adds up to {total} cells for {rows} rows")

    def support(self) -> Array:
        """Return the number of cells per column."""
        return np.array([c.sum() for c in self.counts], dtype=np.int64) + self.unknown


class KnownCounts(NamedTuple):
    """What a plan receives: counts per column and category, and other cells per column."""

    counts: list[Array]
    unknown: Array


class Known(Statistic[KnownSummary, KnownCounts], frozen=True, array_like=True, tag="known"):
    """How often each given category occurs.

    With ``strict``, a cell that is not one of them is an error at the client. ``gap`` is as in
    :class:`~fedps.statistics.categories.frequent_items.Heaviest`. Level SUMMARY: shows
    counts, and no value that was not given. Costs about two bytes per category.
    """

    # not AGGREGATE: a server could guess values and have them confirmed
    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    additive: ClassVar[bool] = True
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = KnownSummary
    by_value: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False

    categories: tuple[tuple[Any, ...], ...]
    strict: bool = False
    gap: int | float | None = None

    @property
    def columns(self) -> int:
        """One list of categories per column."""
        return len(self.categories)

    @property
    def tells_cells(self) -> bool:
        """Not here: a missing cell is counted among the others."""
        return False

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "counts of the given categories"

    def empty(self, width: int) -> KnownSummary:
        """Return zeros."""
        if len(self.categories) != width:
            raise BadCells("width", None)
        counts = tuple(np.zeros(len(c), dtype=np.int64) for c in self.categories)
        return KnownSummary(counts, np.zeros(width, dtype=np.int64))

    def update(self, summary: KnownSummary, block: Block) -> KnownSummary:
        """Fold in a block of rows."""
        counts, unknown = [], []
        for j, categories in enumerate(self.categories):
            found = _count(block.distinct(j, counts=True, gap=self.gap), categories)
            counts.append(found)
            unknown.append(block.rows - int(found.sum()))
            if self.strict and unknown[-1]:
                raise BadCells("unknown category", j)
        return self.merge(summary, KnownSummary(tuple(counts), np.array(unknown, dtype=np.int64)))

    def merge(self, left: KnownSummary, right: KnownSummary) -> KnownSummary:
        """Add up."""
        counts = tuple(a + b for a, b in zip(left.counts, right.counts, strict=True))
        return KnownSummary(counts, left.unknown + right.unknown)

    def compact(self, summary: KnownSummary, limits: Limits = OPEN) -> KnownSummary:
        """Return the summary with cells of rare categories among the others."""
        if limits.count <= 0:
            return summary
        counts, unknown = [], summary.unknown.copy()
        for j, found in enumerate(summary.counts):
            asked = np.empty(len(found), dtype=object)
            asked[:] = self.categories[j]
            sizes = limits.sizes(j, asked, found)
            rare = (found > 0) & (sizes < limits.count) & ~_missing(self.categories[j])
            unknown[j] += found[rare].sum()
            counts.append(np.where(rare, 0, found))
            # also of one that nobody has: otherwise a guess would be confirmed by this note
            if ((sizes < limits.count) & ~_missing(self.categories[j])).any():
                limits.show_less(j, "min_count", rare_not_named(limits))
        return KnownSummary(tuple(counts), unknown)

    def check(self, summary: KnownSummary, width: int, rows: int) -> None:
        """Check also that there is a count for each given category."""
        demand(width == len(self.categories), "counts", f"has {width} columns")
        summary.check(width, rows)
        for counts, categories in zip(summary.counts, self.categories, strict=True):
            demand(len(counts) == len(categories), "counts", f"has {len(counts)} categories")

    def result(self, summary: KnownSummary) -> KnownCounts:
        """Return the counts."""
        return KnownCounts(list(summary.counts), summary.unknown)


def _missing(categories: tuple[Any, ...]) -> Array:
    return np.array([value is None or _is_nan(value) for value in categories], dtype=bool)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value  # noqa: PLR0124 - only NaN does


def _count(found: Distinct, categories: tuple[Any, ...]) -> Array:
    """Return how often each category was found.

    NaN is found as NaN and None as None; where only one of them is a category, it is both.
    """
    assert found.counts is not None
    table = dict(zip(found.values.tolist(), found.counts.tolist(), strict=True))
    none, nan = None in categories, any(map(_is_nan, categories))
    if none != nan:
        every = found.none + found.nan
        found = found._replace(none=every, nan=every)
    counts = [
        found.none if c is None else found.nan if _is_nan(c) else table.get(c, 0)
        for c in categories
    ]
    return np.array(counts, dtype=np.int64)
