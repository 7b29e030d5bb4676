"""RowCounts: how many rows each client has, and in which precision their numbers are."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    OPEN,
    Array,
    Block,
    Disclosure,
    Limits,
    Statistic,
    Summary,
    demand,
)


class RowCountsSummary(Summary, frozen=True, array_like=True, tag="row_counts"):
    """A number of rows for each client, and whether all numbers of all of them have 32 bits."""

    width_field: ClassVar[str | None] = None

    rows: list[int]
    narrow: bool

    def check(self, width: int, rows: int) -> None:
        """Check that a client tells of itself."""
        demand(self.rows == [rows], "rows", f"is not {rows}, which the schema has")

    def support(self) -> Array:
        """Return nothing to check: the schema tells as much."""
        return NOTHING_TO_CHECK


class Heights(NamedTuple):
    """What a plan receives: the rows of each client, and whether all numbers have 32 bits."""

    rows: Array
    narrow: bool


class RowCounts(
    Statistic[RowCountsSummary, Heights], frozen=True, array_like=True, tag="row_counts"
):
    """How many rows each client has, in the order of the clients, and whether numbers are floats of 32 bits.

    That is what drawing single rows out of all rows takes. Shows no more than the schema does.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    ordered: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = RowCountsSummary

    @property
    def shows(self) -> str:
        """What of the columns an answer shows."""
        return "how many rows there are, and whether numbers have 32 bits"

    def empty(self, width: int) -> RowCountsSummary:
        """Return no clients."""
        return RowCountsSummary([], narrow=True)

    def update(self, summary: RowCountsSummary, block: Block) -> RowCountsSummary:
        """Fold in a block of rows of the same client."""
        narrow = summary.narrow and block.numbers().dtype == np.float32
        return RowCountsSummary([sum(summary.rows) + block.rows], narrow=bool(narrow))

    def merge(self, left: RowCountsSummary, right: RowCountsSummary) -> RowCountsSummary:
        """Keep the numbers of both, the left one's first."""
        return RowCountsSummary(left.rows + right.rows, narrow=left.narrow and right.narrow)

    def compact(self, summary: RowCountsSummary, limits: Limits = OPEN) -> RowCountsSummary:
        """Return one number, also where there are no rows."""
        return RowCountsSummary([sum(summary.rows)], narrow=summary.narrow)

    def result(self, summary: RowCountsSummary) -> Heights:
        """Return the numbers."""
        return Heights(np.array(summary.rows, dtype=np.int64), summary.narrow)
