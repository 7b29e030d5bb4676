"""MaskedColumns: a client's columns under masks."""

from __future__ import annotations

from typing import ClassVar

from fedps.statistics.aligned.aligned_base import LAST_ROW, MOST_CELLS, Row, demand_one_client
from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand_array,
    parts_of_both,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.masked.drawn_masks import drawn, own_seed
from fedps.statistics.masked.own_columns import own_columns
from fedps.statistics.masked.ring import LIMBS, in_ring, ring_sum

MOST_MASKED = MOST_CELLS // LIMBS  # cells in one answer


class MaskedColumnsSummary(Summary, frozen=True, array_like=True, tag="masked_columns"):
    """For each client, some rows of all its columns, and of the target if it has it: numbers of the ring."""

    width_field: ClassVar[str | None] = None

    cells: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client."""
        demand_one_client(self, "cells")
        demand_array(self.cells[0], "cells", "uint64", (None, None, LIMBS))

    def support(self) -> Array:
        """Return nothing to check: no cell can be read from it."""
        return NOTHING_TO_CHECK


class MaskedColumns(
    Statistic[MaskedColumnsSummary, tuple[Array, ...]],
    frozen=True,
    array_like=True,
    tag="masked_columns",
):
    """Each client's columns and the target, each cell plus a uniformly random number modulo 2^128.

    The rows from ``start`` to ``stop`` are sent. Level AGGREGATE: by itself it says nothing about any cell.
    Costs 16 bytes a cell.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    aligned: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    of_target: ClassVar[bool] = True
    multiplies: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = MaskedColumnsSummary

    start: Row = 0
    stop: Row = LAST_ROW

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "the columns under random masks that the server does not know: nothing by itself"

    def empty(self, width: int) -> MaskedColumnsSummary:
        """Return no clients."""
        return MaskedColumnsSummary(())

    def update(self, summary: MaskedColumnsSummary, block: Block) -> MaskedColumnsSummary:
        """Mask some rows of the whole table."""
        rows = len(range(block.rows)[self.start : self.stop])
        if rows > 1 and rows * (block.width + block.has_target()) > MOST_MASKED:
            raise BadCells("too large")
        own = own_columns(block)
        masks = drawn(block.masking(), own_seed(block, own), self.start, self.stop)
        cells = ring_sum(in_ring(own.whole[self.start : self.stop]), masks)
        return self.merge(summary, MaskedColumnsSummary((cells,)))

    def merge(
        self, left: MaskedColumnsSummary, right: MaskedColumnsSummary
    ) -> MaskedColumnsSummary:
        """Return both, one client after the other."""
        return parts_of_both(left, right)

    def check(self, summary: MaskedColumnsSummary, width: int, rows: int) -> None:
        """Check also that there are as many rows as requested."""
        summary.check(width, rows)
        wanted = len(range(rows)[self.start : self.stop])
        demand_array(summary.cells[0], "cells", "uint64", (wanted, None, LIMBS))

    def result(self, summary: MaskedColumnsSummary) -> tuple[Array, ...]:
        """Return each client's masked cells."""
        return summary.cells
