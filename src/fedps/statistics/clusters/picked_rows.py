"""PickedRows: single rows of each client, picked by position or by k-means++ potential."""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from msgspec import Meta

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.clusters.assign_rows import (
    MOST_CENTRE_CELLS,
    centred_batches,
    demand_centres,
    distances_to_centres,
    refuse_not_finite,
    rows_at,
)
from fedps.statistics.limits import OPEN, Disclosure, Limits


class PickedRowsSummary(Summary, frozen=True, array_like=True, tag="picked_rows"):
    """Which of the wanted rows are found, and those rows; zeros for all others.

    ``passed`` is the sum of the potentials of the rows seen so far. It is not sent.
    """

    width_field: ClassVar[str | None] = "rows"

    found: Array
    passed: float
    rows: Array

    def check(self, width: int, rows: int) -> None:
        """Check types and that nothing is found without rows."""
        demand_array(self.found, "found", "bool", (None,))
        demand(self.passed == 0, "passed", "must be 0")
        demand(rows > 0 or not self.found.any(), "found", "must be false where there are no rows")
        demand_array(self.rows, "rows", None, (len(self.found), width))
        demand(self.rows.dtype.kind == "f", "rows", f"has dtype {self.rows.dtype}")
        demand(np.isfinite(self.rows).all(), "rows", "must be finite")
        demand(not self.rows[~self.found].any(), "rows", "must be 0 where found is false")

    def support(self) -> Array:
        """Return nothing to check: single rows are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class FoundRows(NamedTuple):
    """What a plan receives: which rows were found, and the rows minus the mean."""

    found: Array
    rows: Array


class PickedRows(
    Statistic[PickedRowsSummary, FoundRows], frozen=True, array_like=True, tag="picked_rows"
):
    """``wanted`` rows of all clients, each picked by the client that was given a number for it.

    A client adds up the squared distances of its rows to the nearest centre, or 1 per row if there are
    no centres, and picks the row at which the sum reaches the number (its last row if it never does).
    Each client is given its own numbers, NaN for the rows of others: see ``View.give``. Centres and
    ``mean`` are as in :class:`~fedps.statistics.clusters.row_clusters.RowClusters`. This is how k-means
    draws its initial centres. Level ROWS: shows these rows. Costs their cells.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    positional: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    by_row_order: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = PickedRowsSummary

    centres: Array
    mean: Array
    wanted: Annotated[int, Meta(ge=1, le=2**31)]

    @property
    def tells_cells(self) -> bool:
        """Not here: only a few rows are in the summary."""
        return False

    @property
    def shows(self) -> str:
        """What of the columns an answer shows."""
        return "some whole rows, drawn at random, as first centres of the clusters"

    def empty(self, width: int) -> PickedRowsSummary:
        """Return no rows."""
        demand_centres(self.centres, self.mean, width, least=0)
        if self.wanted * max(width, 1) > MOST_CENTRE_CELLS:
            raise BadCells("too large")
        rows = np.zeros((self.wanted, width), dtype=self.centres.dtype)
        return PickedRowsSummary(np.zeros(self.wanted, dtype=bool), 0.0, rows)

    def update(self, summary: PickedRowsSummary, block: Block) -> PickedRowsSummary:
        """Fold in a block of rows of the same client."""
        numbers = block.given()
        if numbers.shape != (self.wanted,) or numbers.dtype != np.float64:
            raise BadCells("width")
        # a number beyond all rows of the blocks before has found the last of them, for the time being
        reached = summary.found & (numbers <= summary.passed)
        mine = np.flatnonzero(~np.isnan(numbers) & ~reached)
        if not mine.size or not block.rows:
            return summary
        sums = summary.passed + self._potentials(block).cumsum()
        places = np.minimum(np.searchsorted(sums, numbers[mine]), block.rows - 1)
        found, rows = summary.found.copy(), summary.rows.copy()
        found[mine] = True
        rows[mine] = rows_at(block, places, self.mean, self.centres.dtype)
        return PickedRowsSummary(found, float(sums[-1]), rows)

    def _potentials(self, block: Block) -> Array:
        """Return each row's squared distance to the nearest centre; 1 without centres."""
        potentials = np.ones(block.rows)
        if len(self.centres):
            for start, rows in centred_batches(
                block, self.mean, self.centres.dtype, len(self.centres)
            ):
                away = distances_to_centres(rows, self.centres).min(axis=1)
                potentials[start : start + len(rows)] = away
            if not np.isfinite(potentials).all():
                refuse_not_finite(block)
        return potentials

    def merge(self, left: PickedRowsSummary, right: PickedRowsSummary) -> PickedRowsSummary:
        """Return the rows of both."""
        rows = np.where(left.found[:, None], left.rows, right.rows)
        return PickedRowsSummary(left.found | right.found, left.passed + right.passed, rows)

    def compact(self, summary: PickedRowsSummary, limits: Limits = OPEN) -> PickedRowsSummary:
        """Return the rows without the sum of potentials."""
        return PickedRowsSummary(summary.found, 0.0, summary.rows)

    def check(self, summary: PickedRowsSummary, width: int, rows: int) -> None:
        """Check also that there is a line for each wanted row."""
        summary.check(width, rows)
        demand(len(summary.found) == self.wanted, "found", f"has {len(summary.found)} rows")
        demand(summary.rows.dtype == self.centres.dtype, "rows", f"has dtype {summary.rows.dtype}")

    def result(self, summary: PickedRowsSummary) -> FoundRows:
        """Return the rows."""
        return FoundRows(summary.found, summary.rows)
