"""Ranks: how many numbers fall into each of the given slices of the number line. No values."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Ragged,
    Statistic,
    Summary,
    demand,
    demand_columns,
    demand_counts,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.order.float_keys import slices, values_of
from fedps.statistics.order.values_within import unmarked


class RanksSummary(Summary, frozen=True, array_like=True, tag="ranks"):
    """Per column: the number of cells in each slice, interval after interval."""

    width_field: ClassVar[str | None] = "counts"

    counts: Ragged

    def check(self, width: int, rows: int) -> None:
        """Check types and signs."""
        demand_columns(self, width, "counts")
        for counts in self.counts:
            demand_counts(counts, "counts", (None,), rows)

    def support(self) -> Array:
        """Return nothing to check: ``Spread`` asked for the number of cells before."""
        return NOTHING_TO_CHECK


MOST_SLICES = 1 << 21  # more counts would not fit into a message of 16 MB


class Ranks(Statistic[RanksSummary, list[Array]], frozen=True, array_like=True, tag="ranks"):
    """How many cells fall into each of ``ways`` slices of given intervals of the number line.

    ``intervals`` has two lines per column: the first and the last key of each interval (see
    :mod:`fedps.statistics.order.float_keys`). Level AGGREGATE: shows counts and no values. Costs at most
    about a byte per slice.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    additive: ClassVar[bool] = True
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = RanksSummary

    intervals: tuple[Array, ...]
    ways: Annotated[int, Meta(ge=2, le=2**16)] = 1024
    marker: float | None = float("nan")
    stored: bool = False

    @property
    def columns(self) -> int:
        """One pair of lines per column."""
        return len(self.intervals)

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "counts in slices of the number line"

    def edges(self, position: int) -> Array:
        """Return the last key of every slice of a column, interval after interval."""
        pairs = self.intervals[position].T.tolist()
        each = [slices(int(first), int(last), self.ways) for first, last in pairs]
        return np.concatenate([np.empty(0, dtype=np.uint64), *each])

    def empty(self, width: int) -> RanksSummary:
        """Return zeros."""
        if width != self.columns or any(len(i) != 2 for i in self.intervals):
            raise BadCells("width")
        if sum(i.shape[-1] for i in self.intervals) * self.ways > MOST_SLICES:
            raise BadCells("too large")
        sizes = [self.edges(j).size for j in range(width)]
        return RanksSummary(Ragged(np.zeros(size, dtype=np.int64) for size in sizes))

    def update(self, summary: RanksSummary, block: Block) -> RanksSummary:
        """Fold in a block of rows."""
        return self.merge(
            summary, RanksSummary(Ragged(self._count(block, j) for j in range(block.width)))
        )

    def _count(self, block: Block, position: int) -> Array:
        ends = values_of(self.edges(position))
        if not ends.size:
            return np.zeros(0, dtype=np.int64)
        first, last = (values_of(line) for line in self.intervals[position])
        cells = unmarked(block.column(position, stored=self.stored), self.marker) + 0.0
        place = np.searchsorted(
            last, cells, side="left"
        )  # the first interval that ends at or after
        inside = place < last.size
        inside[inside] = cells[inside] >= first[place[inside]]
        found = np.searchsorted(ends, cells[inside], side="left")
        return np.bincount(found, minlength=ends.size).astype(np.int64)

    def merge(self, left: RanksSummary, right: RanksSummary) -> RanksSummary:
        """Add up."""
        return RanksSummary(Ragged(a + b for a, b in zip(left.counts, right.counts, strict=True)))

    def check(self, summary: RanksSummary, width: int, rows: int) -> None:
        """Check also that there is a count for each slice."""
        demand(width == self.columns, "counts", f"has {width} columns")
        summary.check(width, rows)
        for j, counts in enumerate(summary.counts):
            demand(counts.size == self.edges(j).size, "counts", f"has {counts.size} slices")

    def result(self, summary: RanksSummary) -> list[Array]:
        """Return the counts."""
        return list(summary.counts)
