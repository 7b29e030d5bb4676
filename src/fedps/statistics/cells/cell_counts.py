"""Missing and Stored: how many cells are missing per column, and how many a sparse table stores."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    Block,
    Statistic,
    Summary,
    demand,
    demand_counts,
)
from fedps.statistics.limits import Disclosure


class CellsSummary(Summary, frozen=True, array_like=True, tag="cells"):
    """A number of cells per column."""

    width_field: ClassVar[str | None] = "cells"
    told_fields: ClassVar[tuple[str, ...]] = ("cells",)

    cells: Array

    def check(self, width: int, rows: int) -> None:
        """Check that no column has more cells than the table has rows."""
        demand_counts(self.cells, "cells", (width,), rows)

    def support(self) -> Array:
        """Return nothing to check: a count of missing cells shows no cell."""
        return NOTHING_TO_CHECK


class Missing(Statistic[CellsSummary, Array], frozen=True, array_like=True, tag="missing"):
    """The number of missing cells per column; ``marker`` is scikit-learn's ``missing_values``.

    Level AGGREGATE: shows counts. Costs a number per column.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    additive: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = CellsSummary
    reads_numbers: ClassVar[bool] = False

    marker: Any = float("nan")

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "number of missing cells"

    def empty(self, width: int) -> CellsSummary:
        """Return zeros."""
        return CellsSummary(np.zeros(width, dtype=np.int64))

    def update(self, summary: CellsSummary, block: Block) -> CellsSummary:
        """Fold in a block of rows."""
        return CellsSummary(summary.cells + block.missing(self.marker))

    def merge(self, left: CellsSummary, right: CellsSummary) -> CellsSummary:
        """Add up."""
        return CellsSummary(left.cells + right.cells)

    def result(self, summary: CellsSummary) -> Array:
        """Return the counts."""
        return summary.cells


class StoredSummary(Summary, frozen=True, array_like=True, tag="stored"):
    """The number of stored cells of all columns together."""

    width_field: ClassVar[str | None] = None
    told_fields: ClassVar[tuple[str, ...]] = ("cells",)

    cells: int

    def check(self, width: int, rows: int) -> None:
        """Check that there are no cells without rows, nor more than any table has."""
        demand(0 <= self.cells <= rows * 2**31, "cells", f"cannot be of {rows} rows")

    def support(self) -> Array:
        """Return nothing to check: the number shows no cell."""
        return NOTHING_TO_CHECK


class Stored(Statistic[StoredSummary, int], frozen=True, array_like=True, tag="stored"):
    """The number of stored cells: by it ``ColumnTransformer`` chooses sparse or dense output.

    Level AGGREGATE: shows and costs one number.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    additive: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = StoredSummary

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "number of stored cells of all columns together"

    def empty(self, width: int) -> StoredSummary:
        """Return zero."""
        return StoredSummary(0)

    def update(self, summary: StoredSummary, block: Block) -> StoredSummary:
        """Fold in a block of rows."""
        return StoredSummary(summary.cells + block.stored())

    def merge(self, left: StoredSummary, right: StoredSummary) -> StoredSummary:
        """Add up."""
        return StoredSummary(left.cells + right.cells)

    def result(self, summary: StoredSummary) -> int:
        """Return the number."""
        return summary.cells
