"""RowCounts: how many rows each client has, and whether all their numbers are 32-bit floats."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.base import NOTHING_TO_CHECK, Array, Block, Statistic, Summary, demand
from fedps.statistics.limits import OPEN, Disclosure, Limits


class RowCountsSummary(Summary, frozen=True, array_like=True, tag="row_counts"):
    """The number of rows of each client, and whether all numbers of all of them are 32-bit floats."""

    width_field: ClassVar[str | None] = None

    rows: list[int]
    narrow: bool

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client, with as many rows as its schema."""
        demand(self.rows == [rows], "rows", f"is not {rows}, which the schema has")

    def support(self) -> Array:
        """Return nothing to check: the schema shows as much."""
        return NOTHING_TO_CHECK


class Heights(NamedTuple):
    """What a plan receives: the number of rows of each client, and whether all have 32 bits."""

    rows: Array
    narrow: bool


class RowCounts(
    Statistic[RowCountsSummary, Heights], frozen=True, array_like=True, tag="row_counts"
):
    """How many rows each client has, in their order, and whether all numbers are 32-bit floats.

    For drawing single rows from all rows. Level AGGREGATE: shows no more than the schema does. Costs a
    number.
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
        """Keep the numbers of both, those of the left one first."""
        return RowCountsSummary(left.rows + right.rows, narrow=left.narrow and right.narrow)

    def compact(self, summary: RowCountsSummary, limits: Limits = OPEN) -> RowCountsSummary:
        """Return one number, also if there are no rows."""
        return RowCountsSummary([sum(summary.rows)], narrow=summary.narrow)

    def result(self, summary: RowCountsSummary) -> Heights:
        """Return the numbers."""
        return Heights(np.array(summary.rows, dtype=np.int64), summary.narrow)
