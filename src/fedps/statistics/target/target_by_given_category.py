"""ByKnown: how the target is distributed over given categories, per fold if requested."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta

from fedps.statistics.base import Array, BadCells, Block, Distinct, Statistic, Summary, demand
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.target.category_by_label import (
    ByCategorySummary,
    Crossed,
    Labels,
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
    label_array,
    target_moments,
)

MOST_LINES = 1 << 19  # four sums for each of more lines would not fit into a message of 16 MB


class ByKnown(Statistic[ByCategorySummary, OfTarget], frozen=True, array_like=True, tag="by_known"):
    """How the target is distributed over given categories of each column, and over all rows.

    Cells that are not one of the categories are in no line (they follow from all rows minus the
    lines) or, with ``others``, in that of the first category. ``labels`` are the labels of the target,
    if known. With ``folds``, each fold of the rows has numbers of its own. Level SUMMARY: shows counts
    or sums of the target per given category and fold. Costs a count for each label, or three or four
    numbers, per category and fold.
    """

    # not AGGREGATE: a server could guess values and have them confirmed
    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    of_target: ClassVar[bool] = True
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = ByCategorySummary
    reads_numbers: ClassVar[bool] = False

    categories: tuple[tuple[Any, ...], ...]
    target: TargetKind = "any"
    squares: bool = True
    labels: tuple[Any, ...] | None = None
    folds: Annotated[int, Meta(ge=1, le=2**31)] = 1
    others: bool = False

    @property
    def columns(self) -> int:
        """One list of categories per column."""
        return len(self.categories)

    @property
    def tells_cells(self) -> bool:
        """Not here: a missing cell may be one of the categories, or in no line."""
        return False

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        folds = " in each fold" if self.folds > 1 else ""
        return f"the target for each given category{folds}: {HOW[self.target]}"

    @property
    def _heights(self) -> list[int]:
        return [len(categories) * self.folds for categories in self.categories]

    def empty(self, width: int) -> ByCategorySummary:
        """Return no rows."""
        if len(self.categories) != width:
            raise BadCells("width", None)
        if self.target != "labels" and sum(self._heights) + self.folds > MOST_LINES:
            raise BadCells("too large")
        return empty_by_category(width, overall=True)

    def update(self, summary: ByCategorySummary, block: Block) -> ByCategorySummary:
        """Fold in a block of rows."""
        y = TargetReader(block.target(), self.target, self.labels)
        among = (block.folds(), self.folds) if self.folds > 1 else None
        if among is not None and among[0].max(initial=0) >= self.folds:
            raise BadCells("folds")

        def beside(lines: Array, height: int) -> Crossed:
            return y.beside(np.empty(0), lines, height, squares=self.squares, among=among)

        columns = []
        for j, categories in enumerate(self.categories):
            found, codes = block.codes(j)
            lines = _places(found, categories, 0 if self.others else -1)
            columns.append(beside(lines[codes], len(categories)))
        overall = beside(np.zeros(block.rows, dtype=np.intp), 1)
        labels = Labels(np.empty(0))
        if self.labels is None:
            labels = Labels(y.labels, [block.target_kind()])
        return self.merge(summary, ByCategorySummary.of(labels, overall, columns))

    def merge(self, left: ByCategorySummary, right: ByCategorySummary) -> ByCategorySummary:
        """Add up; the union of labels where they are not given."""
        known = None if self.labels is None else len(self.labels)
        return merge_by_category(left, right, known, self._heights)

    def compact(self, summary: ByCategorySummary, limits: Limits = OPEN) -> ByCategorySummary:
        """Return counts in their shorter form; all as sums if the target is numbers."""
        labels, sums = self._names(summary), summary.by_sums
        overall, *columns = (
            shorter(column, labels, height, squares=self.squares, sums=sums)
            for column, height in zip(
                (*summary.overall, *summary.columns), (self.folds, *self._heights), strict=True
            )
        )
        sent = Labels(np.empty(0), summary.labels.kinds) if sums else summary.labels
        if rare_label(overall, len(labels), self.folds, limits):
            limits.refuse("min_count", f"needs {limits.count} rows of each label of the target")
        shown = [
            without_rare_groups(
                c, j, (len(known), len(labels), self.folds), overall.rows, limits, again=True
            )
            for j, (c, known) in enumerate(zip(columns, self.categories, strict=True))
        ]
        return ByCategorySummary.of(sent, overall, shown)

    def _names(self, summary: ByCategorySummary) -> Array:
        return summary.labels.values if self.labels is None else label_array(self.labels)

    def check(self, summary: ByCategorySummary, width: int, rows: int) -> None:
        """Check each column, that nothing given is sent again, and that all rows are counted."""
        demand(width == len(self.categories), "columns", f"has {width}")
        summary.check(width, rows)
        found = len(summary.labels.values)
        demand(self.labels is None or not found, "labels", "must not be sent again")
        demand(len(summary.overall) == 1, "overall", "must be one line")
        labels = found if self.labels is None else len(self.labels)
        for column, height in zip(
            (*summary.overall, *summary.columns), (self.folds, *self._heights), strict=True
        ):
            demand(len(column.values) == 0, "values", "must not be sent again")
            column.check(height, labels, rows, squares=self.squares)
        sent = summary.overall[0].rows
        demand(sent == rows, "overall", f"adds up to {sent} cells for {rows} rows")

    def result(self, summary: ByCategorySummary) -> OfTarget:
        """Return how the target is distributed over the categories, and over all rows."""
        names = self._names(summary)
        numbers = self.target == "numbers" or summary.by_sums
        overall, *columns = (
            self._beside(column, names, height, numbers=numbers)
            for column, height in zip(
                (*summary.overall, *summary.columns), (self.folds, *self._heights), strict=True
            )
        )
        return OfTarget(None if numbers else names, summary.labels.kinds, overall, columns)

    def _beside(
        self, column: Crossed, labels: Array, height: int, *, numbers: bool
    ) -> BesideColumn:
        none = Distinct(np.empty(0), None, 0, 0)
        if not numbers:
            return BesideColumn(
                none, dense(column, height // self.folds, len(labels), self.folds), ()
            )
        sums = as_sums(column, labels, height, squares=self.squares)
        return BesideColumn(none, None, target_moments(sums, self.folds, squares=self.squares))


def _places(found: Distinct, categories: tuple[Any, ...], other: int) -> Array:
    """Return which category each distinct value is, None and NaN last; ``other`` if it is not one.

    Where only one of None and NaN is a category, it is both.
    """
    at = {_key(value): i for i, value in enumerate(categories)}
    if (None in at) != (_NAN in at):
        at[None] = at[_NAN] = at[None] if None in at else at[_NAN]
    items = [*found.values.tolist(), None, float("nan")]
    return np.array([at.get(_key(item), other) for item in items], dtype=np.intp)


def _key(value: Any) -> Any:
    return _NAN if isinstance(value, float) and value != value else value  # noqa: PLR0124 - only NaN does


_NAN = object()  # NaN does not equal itself, so that a dict would not find it
