"""Categories: the distinct values of each column, with their counts where asked."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import numpy as np

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Disclosure,
    Distinct,
    MergeConflict,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.categories.table_sizes import OBJECT, unfolded

MOST_CATEGORIES = 1_000_000
MOST_AT_ONCE, MOST_PACKED = 31 * 2**20, 15 * 2**20  # what a reply may hold, but for the rest of it
_FEW = 50_000  # fewer categories are not measured
LONGEST_TEXT = 1_000_000


class CategoriesSummary(Summary, frozen=True, array_like=True, tag="categories"):
    """Per column: sorted distinct values, their counts, and how many cells are None and NaN.

    Without counts, ``counts`` is empty and ``none`` and ``nan`` only tell whether there are any.
    """

    width_field: ClassVar[str | None] = "nan"

    values: tuple[Array, ...]
    counts: tuple[Array, ...]
    none: Array
    nan: Array

    def check(self, width: int, rows: int) -> None:
        """Check types, order and that the counts add up to no more than the rows."""
        demand(len(self.values) == width, "values", f"has {len(self.values)} columns, not {width}")
        demand(len(self.counts) in (0, width), "counts", f"has {len(self.counts)} columns")
        for field in ("none", "nan"):
            cells = getattr(self, field)
            demand_array(cells, field, "int64", (width,))
            demand((cells >= 0).all(), field, "must not be negative")
        for values in self.values:
            check_values(values)
        for j, counts in enumerate(self.counts):
            demand_array(counts, "counts", "int64", (len(self.values[j]),))
            demand((counts > 0).all(), "counts", "must be positive")

    def check_rows(self, rows: int) -> None:
        """Check that each row has one cell a column."""
        for j, values in enumerate(self.values):
            # each column of a target of several counts the labels of all of them
            most = rows * len(self.values)
            demand(len(values) <= most, "values", f"has {len(values)} categories in {rows} rows")
            missing = int(self.none[j]) + int(self.nan[j])
            demand(missing <= 2 * rows, "none", f"is above the {rows} rows")
            if self.counts:
                # one by one: the sum of hostile counts could wrap around
                total = sum(self.counts[j].tolist()) + missing
                demand(total == rows, "counts", f"adds up to {total} cells for {rows} rows")

    def support(self) -> Array:
        """Return how many cells are not missing, or nothing to check where they were not counted.

        The number of distinct values says nothing of it: a thousand cells may hold two.
        """
        return np.array([c.sum() for c in self.counts], dtype=np.int64)


class Categories(
    Statistic[CategoriesSummary, list[Distinct]], frozen=True, array_like=True, tag="categories"
):
    """The distinct values of each column, and how often each occurs where ``counts`` is set.

    ``sets`` says that cells are sets of labels, so that a row can have many or none.
    Discloses every category that a client holds, however rare. Costs the length of the categories,
    and about two bytes each for counts.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    summary: ClassVar[type[Summary]] = CategoriesSummary

    counts: bool = False
    sets: bool = False

    @property
    def tells_cells(self) -> bool:
        """Only with counts, and where a row has one cell."""
        return self.counts and not self.sets

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "distinct values and counts" if self.counts else "distinct values"

    def empty(self, width: int) -> CategoriesSummary:
        """Return no values."""
        nothing = np.empty(0)
        zero = np.zeros(width, dtype=np.int64)
        counts = (nothing.astype(np.int64),) * width if self.counts else ()
        return CategoriesSummary((nothing,) * width, counts, zero, zero)

    def update(self, summary: CategoriesSummary, block: Block) -> CategoriesSummary:
        """Fold in a block of rows; an error where there are more categories than fit a message."""
        table = self.fold(summary, block)
        _stop_on_too_many(table.values)
        return table

    def fold(self, summary: CategoriesSummary, block: Block) -> CategoriesSummary:
        """Fold in a block of rows, however many categories there are."""
        found = [block.distinct(j, counts=self.counts, sets=self.sets) for j in range(block.width)]
        for j, column in enumerate(found):
            if has_infinity(column.values):
                raise BadCells("infinity", j)
        counts = tuple(c.counts for c in found if c.counts is not None)
        none = np.array([c.none for c in found], dtype=np.int64)
        nan = np.array([c.nan for c in found], dtype=np.int64)
        if not self.counts:
            none, nan = np.minimum(none, 1), np.minimum(nan, 1)
        new = CategoriesSummary(tuple(one_zero(c.values) for c in found), counts, none, nan)
        return self.merge(summary, new)

    def merge(self, left: CategoriesSummary, right: CategoriesSummary) -> CategoriesSummary:
        """Return the union, counts added."""
        values, counts = [], []
        for j in range(len(left.values)):
            sides = left.counts[j : j + 1] + right.counts[j : j + 1]
            union, added = united(left.values[j], right.values[j], sides, j)
            values.append(union)
            counts.append(added)
        none, nan = left.none + right.none, left.nan + right.nan
        if not self.counts:
            none, nan = np.minimum(none, 1), np.minimum(nan, 1)
        return CategoriesSummary(
            tuple(values), tuple(c for c in counts if c is not None), none, nan
        )

    def check(self, summary: CategoriesSummary, width: int, rows: int) -> None:
        """Check also that there are counts exactly if asked."""
        summary.check(width, rows)
        if not self.sets:
            summary.check_rows(rows)
        wanted = width if self.counts else 0
        demand(len(summary.counts) == wanted, "counts", f"has {len(summary.counts)} columns")

    def result(self, summary: CategoriesSummary) -> list[Distinct]:
        """Return the distinct values of each column."""
        counts = summary.counts or (None,) * len(summary.values)
        missing = zip(summary.none.tolist(), summary.nan.tolist(), strict=True)
        return [
            Distinct(values, count, none, nan)
            for values, count, (none, nan) in zip(summary.values, counts, missing, strict=True)
        ]


def _stop_on_too_many(columns: tuple[Array, ...]) -> None:
    """Say of the largest column that it has too many values, where all do not fit in a message."""
    if sum(map(len, columns)) < _FEW:
        return
    sizes = [int(unfolded(values).sum()) for values in columns]
    packed = sum(
        size - OBJECT * len(values)
        for size, values in zip(sizes, columns, strict=True)
        if values.dtype.kind == "O"
    )
    longest = max(map(len, columns))
    if sum(sizes) > MOST_AT_ONCE or packed > MOST_PACKED or longest > MOST_CATEGORIES:
        raise BadCells("too many categories", int(np.argmax(sizes)))


def one_zero(values: Array) -> Array:
    """Return -0.0 as 0.0: which of the two equals stays must not depend on the order."""
    if values.dtype.kind == "f":
        return np.asarray(values + values.dtype.type(0))
    if values.dtype.kind == "O" and len(values) and isinstance(values[0], float | int):
        values = values.copy()
        values[:] = [x + 0.0 if type(x) is float else x for x in values.tolist()]
    return values


def has_infinity(values: Array) -> bool:
    """Whether sorted values begin or end with infinity."""
    if len(values) == 0 or values.dtype.kind not in "fO" or isinstance(values[0], str):
        return False
    return bool(values[0] == -np.inf or values[-1] == np.inf)


def united(
    left: Array, right: Array, counts: tuple[Array, ...], position: int
) -> tuple[Array, Array | None]:
    """Return the sorted union of two sorted arrays and the added counts."""
    if len(left) == 0 or len(right) == 0:
        first = 0 if len(right) == 0 else 1
        return (left, right)[first], counts[first] if counts else None
    if isinstance(left[0], str) != isinstance(right[0], str):
        raise MergeConflict(position)
    if left.dtype == right.dtype and np.array_equal(left, right):
        return left, counts[0] + counts[1] if counts else None
    both = np.concatenate([left, right])
    if both.dtype.kind != "O":
        union, inverse = np.unique(both, return_inverse=True)
    else:
        # a dict is far faster than np.unique on text
        items = sorted(set(both.tolist()))
        place = {item: i for i, item in enumerate(items)}
        union = np.array(items, dtype=object)
        inverse = np.fromiter(map(place.__getitem__, both.tolist()), np.intp, len(both))
    if not counts:
        return union, None
    return union, np.bincount(inverse, np.concatenate(counts), len(union)).astype(np.int64)


def check_values(values: Array) -> None:
    """Check one column's values: plain numbers or plain text, sorted, without repeats."""
    demand_array(values, "values", None, (None,))
    demand(len(values) <= MOST_CATEGORIES, "values", f"has {len(values)} categories")
    if values.dtype.kind != "O":
        demand(np.isfinite(values).all(), "values", "must be finite")
        demand((values[1:] > values[:-1]).all(), "values", "must be sorted and distinct")
        return
    items = values.tolist()
    text = all(type(t) is str and len(t) <= LONGEST_TEXT for t in items)
    numbers = all(type(t) in (bool, int, float) and abs(t) < np.inf for t in items)
    demand(text or numbers, "values", "must be text only, or finite numbers only")
    demand(all(a < b for a, b in pairwise(items)), "values", "must be sorted")
