"""Changes: how much each sweep of an imputation changes the row that it changes most.

``IterativeImputer`` stops when no row changes by more than a tolerance, and sums over rows do not
tell what a single row does.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from fedps.statistics.base import (
    LARGEST_TO_SQUARE,
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.products.imputation import (
    Imputation,
    ImputedRows,
    impute_in_turn,
    observed,
    started,
)

MOST_SWEEPS = 1 << 16  # far beyond any max_iter: each is work for the client


class ChangesSummary(Summary, frozen=True, array_like=True, tag="changes"):
    """The largest change of a row in each sweep, and the first step in which a cell was clipped.

    ``beyond`` is the number of steps if none was.
    """

    width_field: ClassVar[str | None] = None

    changes: list[float]
    beyond: int

    def check(self, width: int, rows: int) -> None:
        """Check signs and sizes."""
        moderate = all(0 <= change <= LARGEST_TO_SQUARE for change in self.changes)
        demand(moderate, "changes", "must be finite and not negative")
        demand(self.beyond >= 0, "beyond", "must not be negative")

    def support(self) -> Array:
        """Return nothing to check: how far imputed cells move shows no cell."""
        return NOTHING_TO_CHECK


class Changes(
    Statistic[ChangesSummary, ChangesSummary], frozen=True, array_like=True, tag="changes"
):
    """The largest sum of absolute changes in a row, for each sweep of ``sweep`` steps.

    The first ``skipped`` sweeps are left out. Also the first step with a cell beyond the bounds. Level
    SUMMARY: shows a number per sweep, about one row: how far its imputed cells moved. Costs that
    number.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = ChangesSummary

    imputation: Imputation
    sweep: Annotated[int, Meta(ge=1, le=MOST_SWEEPS)]
    skipped: Annotated[int, Meta(ge=0, le=MOST_SWEEPS)] = 0

    @property
    def columns(self) -> int | None:
        """How many columns there are."""
        return len(self.imputation.pivot)

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "how far the imputed cells of the row that changes most have moved"

    @property
    def _sweeps(self) -> int:
        return len(self.imputation.columns) // self.sweep - self.skipped

    def empty(self, width: int) -> ChangesSummary:
        """Return zeros."""
        self.imputation.demand(width)
        if not 0 <= self._sweeps <= MOST_SWEEPS:
            raise BadCells("width")
        return ChangesSummary([0.0] * self._sweeps, len(self.imputation.columns))

    def update(self, summary: ChangesSummary, block: Block) -> ChangesSummary:
        """Fold in a block of rows."""
        for cells, gaps in observed(block, self.imputation.missing):
            some = gaps.any(axis=1)
            with np.errstate(over="ignore", invalid="ignore"):  # refused below
                rows = started(self.imputation, cells[some], gaps[some])
                found = self._run(rows)
            if not (np.array(found.changes) <= LARGEST_TO_SQUARE).all():
                raise BadCells("range")
            summary = self.merge(summary, found)
        return summary

    def _run(self, rows: ImputedRows) -> ChangesSummary:
        """Return the changes of some rows."""
        changes, beyond = [], len(self.imputation.columns)
        before = rows.cells.copy()
        for step, held in enumerate(impute_in_turn(self.imputation, rows), start=1):
            if held:
                beyond = min(beyond, step - 1)
            if step % self.sweep == 0:
                moved = np.abs(rows.cells - before).sum(axis=1)
                changes.append(float(moved.max(initial=0.0)))
                before[:] = rows.cells
        return ChangesSummary(changes[self.skipped :], beyond)

    def merge(self, left: ChangesSummary, right: ChangesSummary) -> ChangesSummary:
        """Return the larger changes, and the earlier step."""
        pairs = zip(left.changes, right.changes, strict=True)
        return ChangesSummary([max(pair) for pair in pairs], min(left.beyond, right.beyond))

    def check(self, summary: ChangesSummary, width: int, rows: int) -> None:
        """Check also that there is a change for each sweep."""
        summary.check(width, rows)
        sweeps, steps = self._sweeps, len(self.imputation.columns)
        have = len(summary.changes)
        demand(have == sweeps, "changes", f"has {have} sweeps, not {sweeps}")
        demand(summary.beyond <= steps, "beyond", f"is not in 0..{steps}")

    def result(self, summary: ChangesSummary) -> ChangesSummary:
        """Return the summary itself."""
        return summary
