"""Crossed: the target in the rows of each category of a column, and how two such tables merge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from msgspec import Struct, structs

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    MergeConflict,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.categories.categories import check_values, place, united
from fedps.statistics.demands import exact_total
from fedps.statistics.missing_kinds import AS_IT_IS
from fedps.statistics.ragged import Ragged
from fedps.statistics.sums.moments import Moments, MomentsSummary
from fedps.statistics.target.gap_lines import move_cells, move_sums, rows_of_gaps
from fedps.statistics.target.labels import check_kinds

GAPS = 2  # after the lines of the categories, one for None and one for NaN


class Labels(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The distinct labels of the target, sorted, and the containers and dtypes of the targets."""

    values: Array
    kinds: list[str] = []


class Crossed(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One column: its categories, and the target in the rows of each.

    A line is a category, or a category in one fold. If the target is labels, ``counts`` are the counts
    in the table of lines and labels: of its ``cells`` given by position if most are zero, else of all.
    If it is numbers, ``sums`` are its moments in each line.
    """

    values: Array
    cells: Array
    counts: Array
    sums: MomentsSummary | None

    @property
    def rows(self) -> int:
        """How many rows all lines have together."""
        counted = 0 if self.sums is None else int(self.sums.count.sum())
        return int(self.counts.sum()) + counted

    def table(self) -> tuple[Array, Array]:
        """Return the cells that are not zero, and their counts."""
        if len(self.cells) or not len(self.counts):
            return self.cells, self.counts
        cells = np.flatnonzero(self.counts)
        return cells, self.counts[cells]

    def gaps(self, labels: int) -> Array:
        """Return how many rows are in the line for None, and in that for NaN."""
        count = None if self.sums is None else self.sums.count
        return rows_of_gaps(len(self.values), self.table(), count, labels)

    def with_gaps(self, kind: int, labels: int) -> Crossed:
        """Return the same with the rows of both in one of these lines."""
        if kind == AS_IT_IS:
            return self
        values, sums = len(self.values), self.sums
        cells, counts = move_cells(values, self.table(), labels, kind)
        moved = None if sums is None else move_sums(values, sums, kind)
        return Crossed(self.values, cells, counts, moved)

    def check(self, lines: int, labels: int, rows: int, *, squares: bool) -> None:
        """Check shapes, order, signs, and that each row is counted once."""
        size = lines * labels
        demand_array(self.counts, "counts", "int64", (None,))
        demand_array(self.cells, "cells", "int64", (None,))
        if len(self.cells):
            demand(len(self.cells) == len(self.counts), "cells", "has another length than counts")
            demand((self.counts > 0).all(), "counts", "must be positive")
            demand((np.diff(self.cells) > 0).all(), "cells", "must be sorted and distinct")
            inside = self.cells[0] >= 0 and self.cells[-1] < size
            demand(inside, "cells", f"is not in 0..{size - 1}")
        else:
            demand(len(self.counts) in (0, size), "counts", f"has {len(self.counts)} cells")
            demand((self.counts >= 0).all(), "counts", "must not be negative")
        total = exact_total(self.counts)
        if self.sums is not None:
            self.sums.check(lines, rows)
            parts = len(self.sums.count) if squares else 0
            demand(len(self.sums.square) == parts, "square", f"has {len(self.sums.square)} parts")
            demand((self.sums.count == np.rint(self.sums.count)).all(), "sums", "must be whole")
            total += int(self.sums.count.sum())
        demand(total <= rows, "counts", f"adds up to {total} cells for {rows} rows")


class ByCategorySummary(Summary, frozen=True, array_like=True, tag="by_category"):
    """The labels of the target, and per column the target in the rows of each category.

    ``overall`` is the same for all rows, in one line, if some rows may be in no line of a column;
    otherwise it is empty.
    """

    width_field: ClassVar[str | None] = "counts"
    told_fields: ClassVar[tuple[str, ...]] = ("sums", "counts")

    labels: Labels
    overall: list[Crossed]
    values: tuple[Array, ...]
    sums: tuple[MomentsSummary, ...]
    cells: Ragged
    counts: Ragged

    @classmethod
    def of(
        cls, labels: Labels, overall: Crossed | None, columns: Sequence[Crossed]
    ) -> ByCategorySummary:
        """Return the summary of some columns; a field that no column has is left empty."""
        values = tuple(column.values for column in columns)
        sums = tuple(column.sums for column in columns if column.sums is not None)
        cells = Ragged(column.cells for column in columns)
        counts = Ragged(column.counts for column in columns)
        total = [] if overall is None else [overall]
        return cls(labels, total, values if any(map(len, values)) else (), sums, cells, counts)

    @property
    def columns(self) -> tuple[Crossed, ...]:
        """Each column as a table of its own."""
        width = len(self.counts)
        values = self.values or (np.empty(0),) * width
        sums = self.sums or (None,) * width
        return tuple(map(Crossed, values, self.cells, self.counts, sums))

    def check(self, width: int, rows: int) -> None:
        """Check the labels and the number of columns."""
        check_values(self.labels.values)
        check_kinds(self.labels.kinds)
        demand(len(self.labels.values) <= rows, "labels", f"has more than the {rows} rows")
        demand(len(self.cells) == width, "cells", f"has {len(self.cells)} columns, not {width}")
        demand(len(self.counts) == width, "counts", f"has {len(self.counts)} columns")
        demand(len(self.values) in (0, width), "values", f"has {len(self.values)} columns")
        demand(len(self.sums) in (0, width), "sums", f"has {len(self.sums)} columns")

    def gaps(self) -> Array:
        """Return how many rows of each column are None, and NaN; none where categories were given."""
        if not self.values:
            return np.zeros((2, len(self.counts)), dtype=np.int64)
        labels = len(self.labels.values)
        return np.array([column.gaps(labels) for column in self.columns], dtype=np.int64).T

    def with_gaps(self, kinds: Array) -> ByCategorySummary:
        """Return the summary with the missing cells of each column as one kind."""
        labels = len(self.labels.values)
        columns = [
            c.with_gaps(int(kind), labels) for c, kind in zip(self.columns, kinds, strict=True)
        ]
        overall = self.overall[0] if self.overall else None
        return ByCategorySummary.of(self.labels, overall, columns)

    @property
    def by_sums(self) -> bool:
        """Whether the target is numbers in some part of the data."""
        return bool(self.sums) or any(line.sums is not None for line in self.overall)

    def groups(self) -> Array:
        """Return the fewest rows of a category of each column: a sum over one row is its target."""
        if not self.sums:
            return NOTHING_TO_CHECK
        sizes = [sums.count.sum(axis=0) for sums in self.sums]
        # a column without rows has no group: a number that no min_rows exceeds
        return np.array([n[n > 0].min(initial=np.inf) for n in sizes]).clip(max=2**31)

    def support(self) -> Array:
        """Return how many rows each column's table has."""
        return np.array([column.rows for column in self.columns], dtype=np.int64)


def empty_by_category(width: int, *, overall: bool) -> ByCategorySummary:
    """Return the summary of no rows."""
    none = np.zeros(0, dtype=np.int64)
    column = Crossed(np.empty(0), none, none, None)
    total = column if overall else None
    return ByCategorySummary.of(Labels(np.empty(0)), total, (column,) * width)


def merge_by_category(
    left: ByCategorySummary, right: ByCategorySummary, labels: int | None, lines: list[int] | None
) -> ByCategorySummary:
    """Return the summary of both.

    ``labels`` is the number of labels if both have the same given ones, ``lines`` the number of lines
    of each column if both have the same given categories.
    """
    union, *places = _united(left.labels.values, right.labels.values)
    size = len(union) if labels is None else labels
    if len(union) and isinstance(union[0], str) and (left.by_sums or right.by_sums):
        raise MergeConflict(0, "target")  # text at one client, numbers at another
    if labels is not None:
        places = [np.arange(size)] * 2
    columns = []
    for j, pair in enumerate(zip(left.columns, right.columns, strict=True)):
        if lines is None:
            values, *moves = _lines(pair, j)
            columns.append(_added(pair, values, moves, places, (len(values) + GAPS, size)))
        else:
            columns.append(_added(pair, pair[0].values, [None] * 2, places, (lines[j], size)))
    overall = None
    totals = [side.overall for side in (left, right)]
    if not all(totals) and any(totals):  # one side tells it by its columns
        totals = [
            side.overall or [all_rows(side.columns[0], len(side.labels.values))]
            for side in (left, right)
        ]
    for both in zip(*totals, strict=True):
        overall = _added(both, both[0].values, [None] * 2, places, (1, size))
    kinds = sorted({*left.labels.kinds, *right.labels.kinds})
    return ByCategorySummary.of(Labels(union, kinds), overall, columns)


def all_rows(column: Crossed, labels: int) -> Crossed:
    """Return the target in all rows of a column's table, in one line."""
    nothing = np.empty(0)
    if column.sums is not None:
        parts = (x.reshape(x.size, 1) for x in structs.astuple(column.sums))
        return Crossed(nothing, column.cells[:0], column.counts[:0], MomentsSummary(*parts))
    cells, counts = column.table()
    total = np.bincount(cells % max(labels, 1), counts, labels).astype(np.int64)
    found = np.flatnonzero(total)
    return Crossed(nothing, found, total[found], None)


def _lines(pair: tuple[Crossed, Crossed], position: int) -> tuple[Array, Array, Array]:
    """Return the categories of both, and the positions of the lines of each among them."""
    left, right = pair[0].values, pair[1].values
    union, _ = united(left, right, (), position)
    gaps = len(union) + np.arange(GAPS)
    return (
        union,
        np.concatenate([place(union, left), gaps]),
        np.concatenate([place(union, right), gaps]),
    )


def _united(left: Array, right: Array) -> tuple[Array, Array, Array]:
    """Return the labels of both, and the positions of those of each among them."""
    try:
        union, _ = united(left, right, (), 0)
    except MergeConflict:
        raise MergeConflict(0, "target") from None
    return union, place(union, left), place(union, right)


def _added(
    pair: tuple[Crossed, Crossed],
    values: Array,
    moves: Sequence[Array | None],
    places: Sequence[Array],
    shape: tuple[int, int],
) -> Crossed:
    """Return two columns added up, with lines and labels moved to their positions among both."""
    parts = [_moved(*each, shape) for each in zip(pair, moves, places, strict=True)]
    (cells, counts, sums), (more, others, further) = parts
    if len(more):
        cells, inverse = np.unique(np.concatenate([cells, more]), return_inverse=True)
        # bincount adds in doubles, which is exact up to 2**53 rows
        added = np.bincount(inverse, np.concatenate([counts, others]), len(cells))
        counts = added.astype(np.int64)
    if sums is not None and further is not None:
        sums = Moments().merge(sums, further)
    return Crossed(values, cells, counts, further if sums is None else sums)


def _moved(
    column: Crossed, move: Array | None, places: Array, shape: tuple[int, int]
) -> tuple[Array, Array, MomentsSummary | None]:
    """Return a column's numbers at their positions in the table of both."""
    height, width = shape
    cells, counts = column.table()
    if len(cells):
        line, label = np.divmod(cells, len(places))
        cells = (line if move is None else move[line]) * width + places[label]
    sums = column.sums
    if sums is not None and move is not None:
        sums = MomentsSummary(*(_scattered(x, move, height) for x in structs.astuple(sums)))
    return cells, counts, sums


def _scattered(lines: Array, move: Array, height: int) -> Array:
    wide = np.zeros((len(lines), height))
    wide[:, move] = lines
    return wide


def sums_by(
    lines: Array, numbers: Array, height: int, weights: Array | None = None, *, squares: bool
) -> MomentsSummary:
    """Return the moments of some numbers in each line; weights say how often each number occurs.

    The pivot of a line is near its mean: an integer if all numbers are, otherwise rounded to a 32-bit
    float, unless that is farther from the mean than the numbers are. Both are shorter on the wire, and
    any pivot gives the same result.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        count = np.bincount(lines, weights, height).astype(np.float64)
        mean = _sum(lines, numbers, height, weights) / count
        mean = np.where(count > 0, mean, 0.0)
        if (numbers == np.rint(numbers)).all():
            pivot = np.rint(mean)
        else:
            spread = _sum(lines, (numbers - mean[lines]) ** 2, height, weights) / count
            narrow = mean.astype(np.float32).astype(np.float64)
            pivot = np.where((narrow - mean) ** 2 <= spread, narrow, mean)
        off = numbers - pivot[lines]
        deviation = _sum(lines, off, height, weights)
        square = _sum(lines, off * off, height, weights)
    if not (np.isfinite(deviation).all() and (not squares or np.isfinite(square).all())):
        raise BadCells("range", what="target")
    rows = [line[None, :] for line in (count, pivot, deviation, square)]
    return MomentsSummary(rows[0], rows[1], rows[2], rows[3] if squares else rows[3][:0])


def _sum(lines: Array, numbers: Array, height: int, weights: Array | None) -> Array:
    # bincount of no lines at all gives integers, whatever the weights are
    summed = np.bincount(lines, numbers if weights is None else numbers * weights, height)
    return summed.astype(np.float64, copy=False)


def as_sums(column: Crossed, labels: Array, height: int, *, squares: bool) -> MomentsSummary:
    """Return the moments of a column's labels, taken as numbers, added to the sums that it has.

    For a target that has only integers in some parts of the data and other numbers in others.
    """
    moments = Moments(order=2 if squares else 1)
    total = moments.empty(height) if column.sums is None else column.sums
    cells, counts = column.table()
    if not len(cells):
        return total
    line, label = np.divmod(cells, len(labels))
    numbers = labels.astype(np.float64)[label]
    return moments.merge(total, sums_by(line, numbers, height, counts, squares=squares))


def shorter(column: Crossed, labels: Array, height: int, *, squares: bool, sums: bool) -> Crossed:
    """Return a column in its shortest form, or as ``sums`` if requested."""
    cells, counts = column.table()
    if sums:
        total = as_sums(column, labels, height, squares=squares)
        total = Moments(order=2 if squares else 1).compact(total)
        return Crossed(column.values, cells[:0], counts[:0], total)
    size = height * len(labels)
    if 2 * len(cells) < size or not len(cells):  # a position costs about as much as a count
        return Crossed(column.values, cells, counts, None)
    table = np.zeros(size, dtype=np.int64)
    table[cells] = counts
    return Crossed(column.values, cells[:0], table, None)
