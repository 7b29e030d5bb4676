"""GapMask: which cells are missing."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fedps.statistics.aligned.aligned_base import (
    OfEachOwner,
    all_numbers,
    demand_one_client,
    gaps_in,
)
from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    Block,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.limits import Disclosure


class GapMaskSummary(Summary, frozen=True, array_like=True, tag="gap_mask"):
    """For each client: its number of rows and columns, and a bit for each cell, row by row."""

    width_field: ClassVar[str | None] = None

    shapes: Array
    bits: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client, with as many bits as cells."""
        demand_one_client(self, "bits")
        demand_array(self.shapes, "shapes", "int64", (1, 2))
        have, across = self.shapes[0].tolist()
        demand(have == rows, "shapes", f"has {have} rows, not {rows}")
        demand(across >= 0, "shapes", "must not be negative")
        demand_array(self.bits[0], "bits", "uint8", ((rows * across + 7) // 8,))

    def support(self) -> Array:
        """Return nothing to check: it shows no cell."""
        return NOTHING_TO_CHECK


class GapMask(
    OfEachOwner[GapMaskSummary, tuple[Array, ...]], frozen=True, array_like=True, tag="gap_mask"
):
    """Which cells of each client's columns are missing: NaN, or equal to the ``marker``.

    Level ROWS: shows no cell, but for each row which of its cells are missing. Costs a bit per cell.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    summary: ClassVar[type[Summary]] = GapMaskSummary

    marker: float = float("nan")

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "for each single row, which of its cells are missing here"

    def empty(self, width: int) -> GapMaskSummary:
        """Return no clients."""
        return GapMaskSummary(np.zeros((0, 2), dtype=np.int64), ())

    def update(self, summary: GapMaskSummary, block: Block) -> GapMaskSummary:
        """Look at the whole table."""
        gaps = gaps_in(all_numbers(block), self.marker)
        own = GapMaskSummary(np.array([gaps.shape], dtype=np.int64), (np.packbits(gaps),))
        return self.merge(summary, own)

    def result(self, summary: GapMaskSummary) -> tuple[Array, ...]:
        """Return for each client which cells are missing."""
        pairs = zip(summary.shapes.tolist(), summary.bits, strict=True)
        return tuple(
            np.unpackbits(bits, count=rows * across).reshape(rows, across).astype(bool)
            for (rows, across), bits in pairs
        )
