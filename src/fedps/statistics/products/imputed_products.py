"""Completed: the inner products of rows whose missing cells are imputed as far as the fit has come."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from fedps.statistics.base import (
    LARGEST_TO_SQUARE,
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    refuse_columns,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.products.imputation import (
    Imputation,
    ImputedRows,
    impute_in_turn,
    observed,
    started,
)
from fedps.statistics.products.triangular_factors import Factor, reduced

ALL_ROWS = -1  # the group of all rows; any other is a column: the rows in which it is observed
MOST_GROUPS = 1 << 10


class CompletedSummary(Summary, frozen=True, array_like=True, tag="completed"):
    """Triangles of imputed rows, for each part of the data and each group of its rows.

    ``rows`` is the number of rows of each part, ``counts`` that of each group of each part. The
    ``triangles`` are without their column of ones, which is the root of the count, and zeros.
    """

    width_field: ClassVar[str | None] = "triangles"
    told_fields: ClassVar[tuple[str, ...]] = ("triangles",)

    group: ClassVar[str] = "observed column"

    asked: list[int]
    rows: list[int]
    counts: list[int]
    triangles: Array

    def check(self, width: int, rows: int) -> None:
        """Check shapes and sizes, and that there is one part, of all rows."""
        parts = 1 if rows else 0
        demand(self.rows == [rows] * parts, "rows", f"is not {[rows] * parts}")
        number = len(self.asked)
        known = all(ALL_ROWS <= group < width for group in self.asked)
        demand(known, "asked", f"is not below {width}")
        demand(len(self.counts) == parts * number, "counts", f"is not {parts * number} long")
        inside = all(0 <= count <= rows for count in self.counts)
        demand(inside, "counts", f"is not in 0..{rows}")
        shape = (parts, number, width + 1, width)
        demand_array(self.triangles, "triangles", "float64", shape)
        numbers = np.abs(self.triangles).max(initial=0.0)
        demand(bool(numbers <= LARGEST_TO_SQUARE), "triangles", "must be finite and not too large")
        for count, triangle in zip(
            self.counts, self.triangles.reshape(-1, *shape[2:]), strict=True
        ):
            demand(not triangle[count:].any(), "triangles", "has more rows than counts")

    def _sizes(self) -> list[int]:
        """Return how many rows each group has in all parts, for groups that have any."""
        number = len(self.asked)
        return list(filter(None, (sum(self.counts[i::number]) for i in range(number))))

    def support(self) -> Array:
        """Return the number of rows; that of each group is in :meth:`groups`."""
        return np.full(self.triangles.shape[-1], sum(self.rows))

    def groups(self) -> Array:
        """Return how many rows are in each group."""
        return np.array(self._sizes(), dtype=np.int64)

    def columns_per_row(self) -> float:
        """Return the number of columns, with the column of ones, per row of the smallest group."""
        columns = self.triangles.shape[-1] + 1
        sizes = self._sizes()
        return min(columns / min(sizes), 1.0) if sizes else 0.0


class Completed(
    Statistic[CompletedSummary, list[Factor]], frozen=True, array_like=True, tag="completed"
):
    """Sums and inner products of all columns, after missing cells are imputed by given regressions.

    For each of ``groups``: over the rows in which that column is observed, or over all rows if it is
    -1. Level AGGREGATE: shows sums over these rows; those over few rows determine the rows up to a
    rotation. Sums of different groups and after different steps, taken together, show more than each:
    their differences are sums over the rows in which a column is missing, so that a policy's ``min_count``
    is also the fewest of these. Costs half the square of the number of columns for each group.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    multiplies: ClassVar[bool] = True
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = CompletedSummary

    imputation: Imputation
    groups: Annotated[tuple[int, ...], Meta(max_length=MOST_GROUPS)]

    @property
    def fills(self) -> float:
        """The marker of the cells that are imputed."""
        return self.imputation.missing

    @property
    def columns(self) -> int | None:
        """How many columns there are."""
        return len(self.imputation.pivot)

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "count, sum, and sum of products with each column, of rows whose missing cells are imputed"

    def empty(self, width: int) -> CompletedSummary:
        """Return no parts."""
        self.imputation.demand(width)
        if not all(ALL_ROWS <= group < width for group in self.groups):
            raise BadCells("width")
        triangles = np.empty((0, len(self.groups), width + 1, width))
        return CompletedSummary(list(self.groups), [], [], triangles)

    def update(self, summary: CompletedSummary, block: Block) -> CompletedSummary:
        """Fold in a block of rows."""
        for cells, gaps in observed(block, self.imputation.missing):
            rows = started(self.imputation, cells, gaps)
            with np.errstate(over="ignore", invalid="ignore"):  # refused below
                deque(impute_in_turn(self.imputation, rows), maxlen=0)
                summary = self._with(summary, rows)
        return summary

    def _with(self, summary: CompletedSummary, rows: ImputedRows) -> CompletedSummary:
        """Return the summary with rows folded in: it stays one part."""
        total = sum(summary.rows) + len(rows.cells)
        # an entry of R is at most the largest cell times the root of the number of rows
        large = ~(np.abs(rows.cells).max(axis=0, initial=0.0) <= LARGEST_TO_SQUARE / np.sqrt(total))
        refuse_columns(large, "range")
        before = summary.counts or [0] * len(self.groups)
        counts = list(before)
        width = rows.cells.shape[1]
        triangles = np.zeros((1, len(self.groups), width + 1, width))
        for i, group in enumerate(self.groups):
            some = slice(None) if group == ALL_ROWS else ~rows.gaps[:, group]
            here = np.column_stack([rows.ones[some], rows.cells[some]])
            counts[i] += len(here)
            stacked = [_triangle(before[i], part[i]) for part in summary.triangles]
            found = reduced(np.concatenate([*stacked, here]))
            triangles[0, i, : len(found)] = found[:, 1:]
        return CompletedSummary(list(self.groups), [total], counts, triangles)

    def merge(self, left: CompletedSummary, right: CompletedSummary) -> CompletedSummary:
        """Keep the parts of both: the result puts them together."""
        return CompletedSummary(
            left.asked,
            [*left.rows, *right.rows],
            [*left.counts, *right.counts],
            np.concatenate([left.triangles, right.triangles]),
        )

    def check(self, summary: CompletedSummary, width: int, rows: int) -> None:
        """Check also that the groups are the requested ones."""
        demand(summary.asked == list(self.groups), "asked", "is not as requested")
        summary.check(width, rows)

    def result(self, summary: CompletedSummary) -> list[Factor]:
        """Return the factor of each group."""
        number = len(self.groups)
        return [
            self._factor(summary.counts[i::number], summary.triangles[:, i]) for i in range(number)
        ]

    def _factor(self, counts: Sequence[int], triangles: Array) -> Factor:
        """Return the factor of one group of all parts."""
        pairs = zip(counts, triangles, strict=True)
        # sorted, since QR rounds: the same in any order of clients
        parts = sorted((_triangle(count, part) for count, part in pairs), key=np.ndarray.tobytes)
        width = triangles.shape[-1]
        rows = np.concatenate([np.empty((0, width + 1)), *parts])
        whole = reduced(rows) if len(rows) else rows
        return Factor(float(sum(counts)), self.imputation.pivot, whole)


def _triangle(count: int, sent: Array) -> Array:
    """Return a triangle with its column of ones."""
    height = min(count, len(sent))
    ones = np.zeros(height)
    ones[:1] = np.sqrt(count)
    return np.column_stack([ones, sent[:height]])
