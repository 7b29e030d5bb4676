"""ByCategory: the categories of each column, and how the target is distributed over them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fedps.statistics.base import Array, BadCells, Block, Distinct, Statistic, Summary, demand
from fedps.statistics.categories.categories import check_values, has_infinity, one_zero
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.sums.moments import Moments, MomentsSummary
from fedps.statistics.target.category_by_label import (
    GAPS,
    ByCategorySummary,
    Crossed,
    Labels,
    all_rows,
    as_sums,
    empty_by_category,
    merge_by_category,
    shorter,
)
from fedps.statistics.target.rare_groups import rare_label, without_rare_groups
from fedps.statistics.target.target_cells import (
    HOW,
    BesideColumn,
    OfTarget,
    TargetKind,
    TargetReader,
    dense,
    fields,
    target_moments,
)


class ByCategory(
    Statistic[ByCategorySummary, OfTarget], frozen=True, array_like=True, tag="by_category"
):
    """The categories of each column, and how the target is distributed over them.

    ``target`` says how to read the target: as labels, as numbers, or ("any") as numbers only if some
    are not integers, which is scikit-learn's own rule. Labels are counted; of numbers, count, sum and,
    with ``squares``, the sum of squares are taken. Level SUMMARY: shows every category and every label.
    Costs the length of the categories, and per category a count for each label, or three or four
    numbers.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    of_target: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = ByCategorySummary
    reads_numbers: ClassVar[bool] = False

    target: TargetKind = "any"
    squares: bool = True

    @property
    def tells_cells(self) -> bool:
        """Not here: a missing cell is a category like any other, but not a value."""
        return False

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return f"distinct values, and the target for each: {HOW[self.target]}"

    def empty(self, width: int) -> ByCategorySummary:
        """Return no categories."""
        return empty_by_category(width, overall=False)

    def update(self, summary: ByCategorySummary, block: Block) -> ByCategorySummary:
        """Fold in a block of rows."""
        y = TargetReader(block.target(), self.target)
        columns = []
        for j in range(block.width):
            found, codes = block.codes(j)
            if has_infinity(found.values):
                raise BadCells("infinity", j)
            values = one_zero(found.values)
            if _height(values) * len(y.labels) > _MOST_CELLS:
                raise BadCells("too many categories", j)
            columns.append(y.beside(values, codes, _height(values), squares=self.squares))
        labels = Labels(y.labels, [block.target_kind()])
        return self.merge(summary, ByCategorySummary.of(labels, None, columns))

    def merge(self, left: ByCategorySummary, right: ByCategorySummary) -> ByCategorySummary:
        """Return the union of categories and of labels, counts and sums added."""
        return merge_by_category(left, right, None, None)

    def compact(self, summary: ByCategorySummary, limits: Limits = OPEN) -> ByCategorySummary:
        """Return counts in their shorter form; all as sums if the target is numbers."""
        labels, sums = summary.labels, summary.by_sums
        columns = [
            shorter(c, labels.values, _height(c.values), squares=self.squares, sums=sums)
            for c in summary.columns
        ]
        sent = Labels(np.empty(0), labels.kinds) if sums else labels
        number, overall = len(sent.values), None
        if limits.count > 0 and columns:
            overall = all_rows(columns[0], number)
            if rare_label(overall, number, 1, limits):
                limits.refuse("min_count", f"needs {limits.count} rows of each label of the target")
            columns = [
                without_rare_groups(
                    c, j, (_height(c.values), number, 1), overall.rows, limits, again=False
                )
                for j, c in enumerate(columns)
            ]
            overall = _in_one_part(overall) if limits.less else None
        return ByCategorySummary.of(sent, overall, columns)

    def check(self, summary: ByCategorySummary, width: int, rows: int) -> None:
        """Check each column: every row is counted in exactly one category."""
        summary.check(width, rows)
        demand(len(summary.overall) < 2, "overall", "must be one line")
        for total in summary.overall:
            total.check(1, len(summary.labels.values), rows, squares=self.squares)
        for column in summary.columns:
            check_values(column.values)
            labels = len(summary.labels.values)
            cells = _height(column.values) * labels
            demand(cells <= _MOST_CELLS, "counts", f"has {cells} categories and labels")
            column.check(_height(column.values), labels, rows, squares=self.squares)
            found = [total.rows for total in summary.overall] or [column.rows]
            demand(found == [rows], "counts", f"adds up to {found[0]} for {rows} rows")

    def result(self, summary: ByCategorySummary) -> OfTarget:
        """Return how the target is distributed over the categories of each column."""
        labels, sums = summary.labels.values, summary.by_sums
        none = Distinct(np.empty(0), None, 0, 0)
        columns, overall = [], BesideColumn(none, dense(_NONE, 1, len(labels), 1), ())
        for column in summary.columns:
            height = _height(column.values)
            if sums:
                found = as_sums(column, labels, height, squares=self.squares)
                one = MomentsSummary(*(x.reshape(-1, 1) for x in fields(found)))
                overall = BesideColumn(none, None, target_moments(one, 1, squares=self.squares))
                lines = target_moments(found, 1, squares=self.squares)
                columns.append(BesideColumn(_categories(column, lines[0].count), None, lines))
            else:
                counts = dense(column, height, len(labels), 1)
                overall = BesideColumn(none, counts.sum(axis=0, keepdims=True), ())
                columns.append(
                    BesideColumn(_categories(column, counts.sum(axis=(1, 2))), counts, ())
                )
        for total in summary.overall:  # some rows are in no line
            found = as_sums(total, labels, 1, squares=self.squares) if sums else _NO_SUMS
            lines = target_moments(found, 1, squares=self.squares) if sums else ()
            all_counts = None if sums else dense(total, 1, len(labels), 1)
            overall = BesideColumn(none, all_counts, lines)
        return OfTarget(None if sums else labels, summary.labels.kinds, overall, columns)


def _in_one_part(overall: Crossed) -> Crossed:
    if overall.sums is None:
        return overall
    order = Moments(order=2 if len(overall.sums.square) else 1)
    return Crossed(overall.values, overall.cells, overall.counts, order.compact(overall.sums))


_MOST_CELLS = 1 << 22  # categories times labels of a column: the server makes a dense table of them

_NO_SUMS = Moments().empty(1)
_NONE = empty_by_category(1, overall=False).columns[0]


def _height(values: Array) -> int:
    return len(values) + GAPS


def _categories(column: Crossed, count: Array) -> Distinct:
    none, nan = count[len(column.values) :].astype(np.int64).tolist()
    return Distinct(column.values, None, none, nan)
