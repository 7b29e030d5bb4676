"""Crossed: what of the target stands beside each category of a column, and how two such merge."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct, structs

from fedps.statistics.base import Array, BadCells, MergeConflict, Summary, demand, demand_array
from fedps.statistics.categories import check_values, union_of
from fedps.statistics.moments import Moments, MomentsSummary

GAPS = 2  # a line for None and one for NaN follow those of the categories


class Labels(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The distinct labels of the target, sorted."""

    values: Array


class Crossed(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One column: its categories, and what of the target stands beside each.

    A line is a category, or one in one fold of the rows. Where the target is labels, ``counts`` are
    those of the cells of a table of lines and labels: of ``cells`` alone, where most are zero, else
    of all. Where it is numbers, ``sums`` are its moments in each line.
    """

    values: Array
    cells: Array
    counts: Array
    sums: MomentsSummary | None

    def table(self, size: int) -> tuple[Array, Array]:
        """Return the cells that are not zero, and their counts."""
        if len(self.cells) or not len(self.counts):
            return self.cells, self.counts
        cells = np.flatnonzero(self.counts[:size])
        return cells, self.counts[cells]

    def check(self, lines: int, labels: int, rows: int) -> None:
        """Check shapes, order, signs, and that each row is counted once."""
        size = lines * labels
        demand_array(self.counts, "counts", "int64", (None,))
        demand_array(self.cells, "cells", "int64", (None,))
        if len(self.cells):
            demand(len(self.cells) == len(self.counts), "cells", "has another length than counts")
            demand((self.counts > 0).all(), "counts", "must be positive")
            demand((np.diff(self.cells) > 0).all(), "cells", "must be sorted and distinct")
            inside = 0 <= self.cells[0] and self.cells[-1] < size
            demand(inside, "cells", f"is not in 0..{size - 1}")
        else:
            demand(len(self.counts) in (0, size), "counts", f"has {len(self.counts)} cells")
            demand((self.counts >= 0).all(), "counts", "must not be negative")
        total = sum(self.counts.tolist())  # one by one: the sum of hostile counts could wrap around
        if self.sums is not None:
            self.sums.check(lines, rows)
            demand((self.sums.count == np.rint(self.sums.count)).all(), "sums", "must be whole")
            total += int(self.sums.count.sum())
        demand(total <= rows, "counts", f"adds up to {total} cells for {rows} rows")


class ByCategorySummary(Summary, frozen=True, array_like=True, tag="by_category"):
    """The labels of the target, and per column what stands beside each category."""

    labels: Labels
    columns: tuple[Crossed, ...]

    def check(self, width: int, rows: int) -> None:
        """Check the labels and the number of columns."""
        check_values(self.labels.values, "labels")
        demand(len(self.labels.values) <= rows, "labels", f"has more than the {rows} rows")
        demand(len(self.columns) == width, "columns", f"has {len(self.columns)}, not {width}")

    def support(self) -> Array:
        """Return how many rows stand behind each column."""
        return np.array([_rows(column) for column in self.columns], dtype=np.int64)


def _rows(column: Crossed) -> int:
    counted = 0 if column.sums is None else int(column.sums.count.sum())
    return int(column.counts.sum()) + counted


def nothing(width: int) -> ByCategorySummary:
    """Return the summary of no rows."""
    none = np.zeros(0, dtype=np.int64)
    column = Crossed(np.empty(0), none, none, None)
    return ByCategorySummary(Labels(np.empty(0)), (column,) * width)


def merged(
    left: ByCategorySummary, right: ByCategorySummary, lines: list[int] | None, labels: int | None
) -> ByCategorySummary:
    """Return the summary of both.

    ``lines`` are those of each column where both have the same, ``labels`` how many there are where
    both have the same.
    """
    union, *places = _united(left.labels.values, right.labels.values)
    size = len(union) if labels is None else labels
    same = [np.arange(size)] * 2 if labels is not None else places
    columns = []
    for j, pair in enumerate(zip(left.columns, right.columns, strict=True)):
        values, *moves = _lines(pair, j) if lines is None else (pair[0].values, None, None)
        height = len(values) + GAPS if lines is None else lines[j]
        parts = [
            _moved(column, move, (old, place), (height, size))
            for column, move, old, place in zip(
                pair, moves, _sizes(left, right, labels), same, strict=True
            )
        ]
        columns.append(_added(values, parts))
    return ByCategorySummary(Labels(union), tuple(columns))


def _sizes(left: ByCategorySummary, right: ByCategorySummary, labels: int | None) -> list[int]:
    return [len(s.labels.values) if labels is None else labels for s in (left, right)]


def _lines(pair: tuple[Crossed, Crossed], position: int) -> tuple[Array, Array, Array]:
    """Return the categories of both, and where the lines of each are among them."""
    left, right = pair[0].values, pair[1].values
    union = union_of(left, right, position)
    gaps = len(union) + np.arange(GAPS)
    return (
        union,
        np.concatenate([place(union, left), gaps]),
        np.concatenate([place(union, right), gaps]),
    )


def _united(left: Array, right: Array) -> tuple[Array, Array, Array]:
    """Return the labels of both, and where those of each are among them."""
    try:
        union = union_of(left, right, 0)
    except MergeConflict:
        raise MergeConflict(0, "target") from None
    return union, place(union, left), place(union, right)


def _moved(
    column: Crossed, move: Array | None, labels: tuple[int, Array], shape: tuple[int, int]
) -> tuple[Array, Array, MomentsSummary | None]:
    """Return a column's numbers at their places in the table of both."""
    size, places = labels
    height, width = shape
    cells, counts = column.table(height * width)
    if size:
        line, label = np.divmod(cells, size)
        line = line if move is None else move[line]
        cells = line * width + places[label]
    sums = column.sums
    if sums is not None and move is not None:
        sums = MomentsSummary(*(_scattered(x, move, height) for x in structs.astuple(sums)))
    return cells, counts, sums


def _scattered(lines: Array, move: Array, height: int) -> Array:
    wide = np.zeros((len(lines), height))
    wide[:, move] = lines
    return wide


def _added(values: Array, parts: list[tuple[Array, Array, MomentsSummary | None]]) -> Crossed:
    """Return what two columns with the same lines come to."""
    (cells, counts, sums), (more, others, further) = parts
    if len(more):
        cells, inverse = np.unique(np.concatenate([cells, more]), return_inverse=True)
        added = np.bincount(inverse, np.concatenate([counts, others]), len(cells))
        counts = added.astype(np.int64)
    if sums is not None and further is not None:
        sums = Moments().merge(sums, further)
    return Crossed(values, cells, counts, further if sums is None else sums)


def place(union: Array, values: Array) -> Array:
    """Return where values stand in sorted ones that hold them all."""
    if union.dtype.kind != "O":
        return np.searchsorted(union, values)
    at = {item: i for i, item in enumerate(union.tolist())}
    return np.fromiter(map(at.__getitem__, values.tolist()), np.intp, len(values))


def sums_by(
    lines: Array, numbers: Array, height: int, weights: Array | None = None, *, squares: bool
) -> MomentsSummary:
    """Return the moments of some numbers in each line; a weight says how often each number is.

    The pivot of a line is near its mean: whole where all numbers are, else a 32-bit float where
    that is no farther from the mean than the numbers are.
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
    return np.bincount(lines, numbers if weights is None else numbers * weights, height)


def as_sums(column: Crossed, labels: Array, height: int, *, squares: bool) -> MomentsSummary:
    """Return a column's table of labels as moments of the labels, with the sums that it has."""
    cells, counts = column.table(height * len(labels))
    own = [] if column.sums is None else [column.sums]
    if len(cells):
        line, label = np.divmod(cells, len(labels))
        numbers = labels.astype(np.float64)[label]
        own.append(sums_by(line, numbers, height, counts.astype(float), squares=squares))
    total: Any = Moments(order=2 if squares else 1).empty(height)
    for part in own:
        total = Moments().merge(total, part)
    return total  # type: ignore[no-any-return]
