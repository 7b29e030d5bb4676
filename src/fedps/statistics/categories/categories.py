"""Categories: the distinct values of each column, with their counts if requested."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Distinct,
    MergeConflict,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.categories.cell_sorts import NUMBERS, sort_of
from fedps.statistics.categories.table_sizes import OBJECT, unfolded
from fedps.statistics.demands import demand_columns, exact_total
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.missing_kinds import as_kinds

MOST_CATEGORIES = 1_000_000
# A reply may unfold to 32 MB and take 16 MB on the wire (protocol/limits.py); a megabyte of each is
# left for the rest of it.
MOST_AT_ONCE, MOST_PACKED = 31 * 2**20, 15 * 2**20
_FEW = 50_000  # fewer categories are not measured, which takes time
LONGEST_TEXT = 1_000_000  # characters of one category


class CategoriesSummary(Summary, frozen=True, array_like=True, tag="categories"):
    """Per column: sorted distinct values, their counts, and how many cells are None and NaN.

    If no counts were requested, ``counts`` is empty, and ``none`` and ``nan`` are 0 or 1.
    """

    width_field: ClassVar[str | None] = "nan"
    told_fields: ClassVar[tuple[str, ...]] = ("counts",)

    values: tuple[Array, ...]
    counts: tuple[Array, ...]
    none: Array
    nan: Array

    def check(self, width: int, rows: int) -> None:
        """Check types, order and signs."""
        demand_columns(self, width, "values")
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
        """Check that each row has one cell in each column."""
        for j, values in enumerate(self.values):
            # a target of several columns has the labels of all its columns in each
            most = rows * len(self.values)
            demand(len(values) <= most, "values", f"has {len(values)} categories in {rows} rows")
            missing = int(self.none[j]) + int(self.nan[j])
            demand(missing <= 2 * rows, "none", f"is above the {rows} rows")
            if self.counts:
                total = exact_total(self.counts[j]) + missing
                demand(total <= rows, "counts", f"adds up to {total} cells for {rows} rows")

    def gaps(self) -> Array:
        """Return how many cells of each column are None, and how many are NaN."""
        return np.array([self.none, self.nan])

    def with_gaps(self, kinds: Array) -> CategoriesSummary:
        """Return the summary with the missing cells of each column as one kind."""
        return CategoriesSummary(self.values, self.counts, *as_kinds(self.none, self.nan, kinds))

    def support(self) -> Array:
        """Return how many cells are not missing, or nothing to check if they were not counted.

        The number of distinct values does not tell it: a thousand cells may have two.
        """
        return np.array([c.sum() for c in self.counts], dtype=np.int64)

    def retained(self) -> Array:
        """Return how many numbers of each column are shown; a policy does not limit text by that."""
        return np.array([0 if is_text(v) else len(v) for v in self.values], dtype=np.int64)

    def without_rare(self, limits: Limits) -> CategoriesSummary:
        """Return only the values that stand for enough cells; the limits note the columns of the others."""
        values, counts = list(self.values), list(self.counts)
        for j in range(len(values)):
            kept = limits.sizes(j, values[j], counts[j]) >= limits.count
            if not kept.all():
                # an empty array has no dtype of its own, so that merging in any order gives the same
                values[j] = values[j][kept] if kept.any() else np.empty(0)
                counts[j] = counts[j][kept]
                limits.show_less(j, "min_count", rare_not_named(limits))
        return CategoriesSummary(tuple(values), tuple(counts), self.none, self.nan)


class Categories(
    Statistic[CategoriesSummary, list[Distinct]], frozen=True, array_like=True, tag="categories"
):
    """The distinct values of each column, and with ``counts`` how often each occurs.

    With ``sets``, cells are sets of labels, so that a row can have several or none. Level SUMMARY:
    shows every category of a client, however rare. Costs the length of the categories, and about two
    bytes each for counts.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    summary: ClassVar[type[Summary]] = CategoriesSummary
    by_value: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False

    counts: bool = False
    sets: bool = False

    def under(self, limits: Limits) -> Any:
        """Return this, or one that counts, as rare values may not be named."""
        return CountedCategories(self) if limits.count > 0 else self

    @property
    def tells_cells(self) -> bool:
        """Not here: rare values may be left out, and with sets a row may have several."""
        return False

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
        """Fold in a block of rows; an error if there are more categories than fit into a message."""
        table = self.fold(summary, block)
        _stop_on_too_many(table.values)
        return table

    def fold(
        self, summary: CategoriesSummary, block: Block, gap: float | None = None
    ) -> CategoriesSummary:
        """Fold in a block of rows, however many categories there are; ``gap`` as in ``Heaviest``."""
        how: dict[str, Any] = {"counts": self.counts, "sets": self.sets, "gap": gap}
        found = [block.distinct(j, **how) for j in range(block.width)]
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
        """Return the union, with counts added."""
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

    def compact(self, summary: CategoriesSummary, limits: Limits = OPEN) -> CategoriesSummary:
        """Return the summary without values that are too rare to be named, and counts if requested."""
        if limits.count > 0:
            summary = summary.without_rare(limits)
        if self.counts or not summary.counts:
            return summary
        flags = (np.minimum(summary.none, 1), np.minimum(summary.nan, 1))
        return CategoriesSummary(summary.values, (), *flags)

    def check(self, summary: CategoriesSummary, width: int, rows: int) -> None:
        """Check also that there are counts exactly if requested."""
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


class CountedCategories:
    """Categories that are counted, whether counts were requested or not."""

    def __init__(self, asked: Categories) -> None:
        self.tells_cells = not asked.sets
        counting = Categories(counts=True, sets=asked.sets)
        self.empty, self.update = counting.empty, counting.update
        self.compact = asked.compact


def _stop_on_too_many(columns: tuple[Array, ...]) -> None:
    """Refuse the largest column if all columns together do not fit into a message."""
    if sum(map(len, columns)) < _FEW:
        return
    sizes = [int(unfolded(values).sum()) for values in columns]
    packed = sum(  # what text takes on the wire, where there are no Python objects
        size - OBJECT * len(values)
        for size, values in zip(sizes, columns, strict=True)
        if values.dtype.kind == "O"
    )
    longest = max(map(len, columns))
    if sum(sizes) > MOST_AT_ONCE or packed > MOST_PACKED or longest > MOST_CATEGORIES:
        raise BadCells("too many categories", int(np.argmax(sizes)))


def rare_not_named(limits: Limits) -> str:
    """Return what is shown where rare values are left out, for a report."""
    return f"only categories of at least {limits.count} cells"


def is_text(values: Array) -> bool:
    """Return whether values are text."""
    return values.dtype.kind == "O" and len(values) > 0 and isinstance(values[0], str | bytes)


def one_zero(values: Array) -> Array:
    """Return values with 0.0 for -0.0: which of two equal values stays must not depend on the order."""
    if values.dtype.kind == "f":
        return np.asarray(values + values.dtype.type(0))
    if values.dtype.kind == "O" and len(values) and isinstance(values[0], float | int):
        values = values.copy()
        values[:] = [x + 0.0 if type(x) is float else x for x in values.tolist()]
    return values


def has_infinity(values: Array) -> bool:
    """Return whether sorted values begin or end with infinity."""
    if len(values) == 0 or values.dtype.kind not in "fO" or is_text(values):
        return False
    return bool(values[0] == -np.inf or values[-1] == np.inf)


def _sort_of(values: Array) -> str:
    """Return what may be sorted together: text, bytes, times, lengths of time, numbers, dates and so on."""
    if values.dtype.kind in "mM":
        return {"m": "lengths of time (timedelta64)", "M": "times (datetime64)"}[values.dtype.kind]
    return (values.dtype.kind == "O" and sort_of({type(values[0])})) or NUMBERS


def _dates_alike(left: Array, right: Array) -> tuple[Array, Array]:
    """Return both as dates of Python if one side has these, and the other the days of polars."""
    kinds = {values.dtype.str for values in (left, right)}
    if kinds != {"|O", "<M8[D]"}:
        return left, right
    return left.astype(object), right.astype(object)


def united(
    left: Array, right: Array, counts: tuple[Array, ...], position: int
) -> tuple[Array, Array | None]:
    """Return the sorted union of two sorted arrays, and their counts added."""
    if len(left) == 0 or len(right) == 0:
        first = 0 if len(right) == 0 else 1
        return (left, right)[first], counts[first] if counts else None
    left, right = _dates_alike(left, right)
    sorts = _sort_of(left), _sort_of(right)
    if sorts[0] != sorts[1]:
        raise MergeConflict(position, sorts=sorts)
    if left.dtype == right.dtype and np.array_equal(left, right):
        return left, counts[0] + counts[1] if counts else None
    both = np.concatenate([left, right])
    if both.dtype.kind != "O":
        union, inverse = np.unique(both, return_inverse=True)
    else:
        # a hash set is about ten times as fast as np.unique on text
        items = sorted(set(both.tolist()))
        place = {item: i for i, item in enumerate(items)}
        union = np.array(items, dtype=object)
        inverse = np.fromiter(map(place.__getitem__, both.tolist()), np.intp, len(both))
    if not counts:
        return union, None
    return union, np.bincount(inverse, np.concatenate(counts), len(union)).astype(np.int64)


def place(union: Array, values: Array) -> Array:
    """Return the positions of values in a sorted array that contains all of them."""
    if union.dtype.kind != "O":
        return np.searchsorted(union, values)
    at = {item: i for i, item in enumerate(union.tolist())}
    return np.fromiter(map(at.__getitem__, values.tolist()), np.intp, len(values))


def check_values(values: Array) -> None:
    """Check the values of one column: all of a sort, sorted, without repeats."""
    demand_array(values, "values", None, (None,))
    demand(len(values) <= MOST_CATEGORIES, "values", f"has {len(values)} categories")
    if values.dtype.kind != "O":
        demand(np.isfinite(values).all(), "values", "must be finite")
        demand((values[1:] > values[:-1]).all(), "values", "must be sorted and distinct")
        return
    items = values.tolist()
    sort = sort_of(set(map(type, items)))
    demand(sort is not None, "values", "must be text only, numbers only, or objects of one type")
    if sort == NUMBERS:
        demand(all(abs(t) < np.inf for t in items), "values", "must be finite")
    elif is_text(values):
        demand(all(len(t) <= LONGEST_TEXT for t in items), "values", "must not be too long")
    demand(all(a < b for a, b in pairwise(items)), "values", "must be sorted")
