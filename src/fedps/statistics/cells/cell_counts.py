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
)
from fedps.statistics.demands import demand_counts
from fedps.statistics.limits import Disclosure
from fedps.statistics.missing_kinds import as_kinds


class CellsSummary(Summary, frozen=True, array_like=True, tag="cells"):
    """Per column, how many cells are missing: those that equal the marker or, without one, are NaN.

    Where there are cells that are None, a second line of ``cells`` counts these.
    """

    width_field: ClassVar[str | None] = "cells"
    told_fields: ClassVar[tuple[str, ...]] = ("cells",)

    cells: Array

    @classmethod
    def of(cls, none: Array, nan: Array) -> CellsSummary:
        """Return the summary of so many cells of each column that are None, and NaN."""
        return cls(np.array([nan, none]) if none.any() else nan)

    def check(self, width: int, rows: int) -> None:
        """Check that no column has more cells than the table has rows."""
        both = self.cells.ndim == 2 and len(self.cells) == 2
        demand_counts(self.cells, "cells", (2, width) if both else (width,), rows)
        if both:
            demand_counts(self.cells.sum(axis=0), "cells", (width,), rows)

    def gaps(self) -> Array:
        """Return how many cells of each column are None, and how many are NaN."""
        if self.cells.ndim == 2:
            return self.cells[::-1]
        return np.array([np.zeros_like(self.cells), self.cells])

    def with_gaps(self, kinds: Array) -> CellsSummary:
        """Return the summary with the missing cells of each column as one kind."""
        none, nan = self.gaps()
        return CellsSummary.of(*as_kinds(none, nan, kinds))

    def support(self) -> Array:
        """Return nothing to check: a count of missing cells shows no cell."""
        return NOTHING_TO_CHECK


class Missing(Statistic[CellsSummary, Array], frozen=True, array_like=True, tag="missing"):
    """The number of missing cells per column; ``marker`` is scikit-learn's ``missing_values``.

    With ``every``, cells that are None or NaN are missing, as for pandas' NA. Level AGGREGATE: shows
    counts. Costs a number per column.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    additive: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = CellsSummary
    reads_numbers: ClassVar[bool] = False

    marker: Any = float("nan")
    every: bool = False

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "number of missing cells"

    @property
    def is_gap(self) -> bool:
        """Whether the marker is None or NaN, and not a value that cells may have."""
        return self.marker is None or self.marker != self.marker

    def empty(self, width: int) -> CellsSummary:
        """Return zeros."""
        return CellsSummary(np.zeros(width, dtype=np.int64))

    def update(self, summary: CellsSummary, block: Block) -> CellsSummary:
        """Fold in a block of rows."""
        if not self.is_gap:
            return self.merge(summary, CellsSummary(block.missing(self.marker)))
        none, nan = block.gaps_by_kind()
        return self.merge(summary, CellsSummary.of(none, nan))

    def merge(self, left: CellsSummary, right: CellsSummary) -> CellsSummary:
        """Add up."""
        none, nan = left.gaps() + right.gaps()
        return CellsSummary.of(none, nan)

    def result(self, summary: CellsSummary) -> Array:
        """Return the counts."""
        none, nan = summary.gaps()
        if not self.is_gap:
            return summary.cells
        return np.asarray(none + nan if self.every else none if self.marker is None else nan)


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
