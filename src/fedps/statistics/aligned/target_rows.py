"""TargetRows: the target of every row, from the client that has it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fedps.statistics.aligned.aligned_base import LAST_ROW, Row
from fedps.statistics.base import (
    LARGEST_TO_SQUARE,
    NOTHING_TO_CHECK,
    Array,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.target.numeric_target import numeric_target


class TargetRowsSummary(Summary, frozen=True, array_like=True, tag="target_rows"):
    """The target of each row; empty from a client without the target."""

    width_field: ClassVar[str | None] = None

    target: Array

    def check(self, width: int, rows: int) -> None:
        """Check that they are numbers."""
        demand_array(self.target, "target", "float64", (None,))
        moderate = np.abs(self.target).max(initial=0.0) <= LARGEST_TO_SQUARE
        demand(bool(moderate), "target", "must be finite and not too large")

    def support(self) -> Array:
        """Return nothing to check: single cells are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class TargetRows(
    Statistic[TargetRowsSummary, Array], frozen=True, array_like=True, tag="target_rows"
):
    """The target of the rows from ``start`` to ``stop``.

    Level ROWS: shows the target of every row. Costs a number per row, at the client that has it.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    aligned: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    of_target: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = TargetRowsSummary

    start: Row = 0
    stop: Row = LAST_ROW

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "the target of every single row, from the client that has it"

    def empty(self, width: int) -> TargetRowsSummary:
        """Return no rows."""
        return TargetRowsSummary(np.zeros(0))

    def update(self, summary: TargetRowsSummary, block: Block) -> TargetRowsSummary:
        """Take the target of the whole table, if this client has it."""
        if not block.has_target():
            return summary
        return self.merge(summary, TargetRowsSummary(numeric_target(block)[self.start : self.stop]))

    def merge(self, left: TargetRowsSummary, right: TargetRowsSummary) -> TargetRowsSummary:
        """Return the one that there is: exactly one client has the target."""
        return right if left.target.size == 0 else left

    def check(self, summary: TargetRowsSummary, width: int, rows: int) -> None:
        """Check also that there is a number for each requested row, or none."""
        summary.check(width, rows)
        wanted = len(range(rows)[self.start : self.stop])
        fits = summary.target.size in (0, wanted)
        demand(fits, "target", f"has {summary.target.size} rows, not {wanted}")

    def result(self, summary: TargetRowsSummary) -> Array:
        """Return the target."""
        return summary.target
