"""Cubes: the sum of cubed deviations of each column, for its skewness."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    refuse_columns,
)
from fedps.statistics.demands import demand_counts
from fedps.statistics.limits import Disclosure

LARGEST_TO_CUBE = 1e100
_ROWS_AT_ONCE = 1 << 14


class CubesSummary(Summary, frozen=True, array_like=True, tag="cubes"):
    """Per column: how many cells are not missing, and the sum of their cubed deviations."""

    width_field: ClassVar[str | None] = "count"
    told_fields: ClassVar[tuple[str, ...]] = ("cube",)

    count: Array
    cube: Array

    def check(self, width: int, rows: int) -> None:
        """Check shapes, and that sums are finite."""
        demand_counts(self.count, "count", (width,), rows)
        demand_array(self.cube, "cube", "float64", (width,))
        demand(np.isfinite(self.cube).all(), "cube", "must be finite")
        demand((self.cube[self.count == 0] == 0).all(), "cube", "must be 0 where count is 0")

    def support(self) -> Array:
        """Return the counts."""
        return self.count


class Cubes(Statistic[CubesSummary, Array], frozen=True, array_like=True, tag="cubes"):
    """The sum of cubed deviations of each column from a number; missing cells are left out.

    ``pivots`` has the number for each column. Near the mean, the sum is small and loses no digits. Level
    AGGREGATE: shows a sum over all rows. Costs two numbers per column.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    additive: ClassVar[bool] = True
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = CubesSummary

    pivots: Array

    @property
    def columns(self) -> int | None:
        """One for each pivot."""
        return int(self.pivots.size)

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "count and sum of cubes"

    def empty(self, width: int) -> CubesSummary:
        """Return zeros."""
        if self.pivots.ndim != 1 or len(self.pivots) != width:
            raise BadCells("width")
        return CubesSummary(np.zeros(width, dtype=np.int64), np.zeros(width))

    def update(self, summary: CubesSummary, block: Block) -> CubesSummary:
        """Fold in a block of rows."""
        count, cube = summary.count, summary.cube
        cells = block.numbers()
        for start in range(0, block.rows, _ROWS_AT_ONCE):
            some = cells[start : start + _ROWS_AT_ONCE]
            some = some.toarray() if hasattr(some, "toarray") else some
            away = np.asarray(some, dtype=np.float64) - self.pivots
            present = ~np.isnan(away)
            refuse_columns((np.abs(away) > LARGEST_TO_CUBE) & present, "range")
            count = count + present.sum(axis=0)
            cube = cube + np.where(present, away**3, 0.0).sum(axis=0)
        return CubesSummary(count, cube)

    def merge(self, left: CubesSummary, right: CubesSummary) -> CubesSummary:
        """Add up."""
        return CubesSummary(left.count + right.count, left.cube + right.cube)

    def result(self, summary: CubesSummary) -> Array:
        """Return the sums."""
        return summary.cube
