"""Within: the numbers in given intervals, and how many are below each; or slices of the number line.

A client that may not show the values answers with slices: counts at ends that the server chose would be a
search for any cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
)
from fedps.statistics.limits import Disclosure, Limits
from fedps.statistics.order.spread import FEW_TARGETS, unmarked_tables
from fedps.statistics.order.tables import BinLists, Tallies, add_tallies, counted, tallied
from fedps.statistics.order.within_limits import WithinOrSlices, inside_of
from fedps.statistics.order.within_summary import (
    Inside,
    WithinSummary,
    alternating,
    ends_of,
    packed,
)
from fedps.statistics.ragged import Ragged

# Of all columns together. A request of few bytes, deflated, can name very many intervals, and the
# answer to each takes memory at the client.
MOST_INTERVALS = 1 << 18
_CACHED = 1 << 17  # cells that are looked at together


class Within(Statistic[WithinSummary, list[Inside]], frozen=True, array_like=True, tag="within"):
    """The values of each column in given intervals ``(lower, upper]``, and how many are below.

    ``intervals`` has two lines per column: lower and upper ends, sorted and disjoint. ``marker`` and
    ``stored`` are as in :class:`~fedps.statistics.Spread`. Level SUMMARY: shows the values in the
    intervals; where the policy forbids that, counts in slices of at least ``min_rows`` cells. Costs about
    two numbers per value.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    positional: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = WithinSummary
    adds_up: ClassVar[bool] = False
    by_value: ClassVar[bool] = True
    in_pieces: ClassVar[bool] = True

    intervals: tuple[Array, ...]
    marker: float | None = float("nan")
    stored: bool = False

    @property
    def columns(self) -> int:
        """One pair of lines per column."""
        return len(self.intervals)

    @property
    def least(self) -> Disclosure:
        """A client that shows no values can still count cells in slices."""
        return Disclosure.AGGREGATE

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "values in narrow intervals, and counts below them"

    def empty(self, width: int) -> WithinSummary:
        """Return no values; refuse intervals for other columns, or far too many."""
        if width != self.columns:
            raise BadCells("width")
        sizes = np.array([each.shape[-1] for each in self.intervals], dtype=np.int64)
        if sizes.sum() > MOST_INTERVALS:
            raise BadCells("too large")
        zeros = Ragged.cut(np.zeros(sizes.sum(), dtype=np.int64), sizes)
        return WithinSummary(zeros, zeros, *Tallies.none(width).lists)

    def update(self, summary: WithinSummary, block: Block) -> WithinSummary:
        """Fold in a block of rows."""
        lower, upper = ends_of(self.intervals)
        few = lower.sizes.max(initial=0) <= FEW_TARGETS
        if few and block.by_column(slice(1)) is not None:
            below, inside, tables = self._by_masks(block, lower, upper)
        else:
            tables, _ = unmarked_tables(block.tables(stored=self.stored), self.marker)
            below, inside, tables = inside_of(tables, lower, upper)
        tables = add_tallies(summary.tallies(), tables)
        return WithinSummary(
            below.of(summary.below.flat + below.flat),
            inside.of(summary.inside.flat + inside.flat),
            *tables.lists,
        )

    def _by_masks(
        self, block: Block, lower: Ragged, upper: Ragged
    ) -> tuple[Ragged, Ragged, Tallies]:
        """Return what :func:`inside_of` does, some columns at a time, which the processor can cache."""
        step = max(_CACHED // max(block.rows, 1), 8)  # doubles in a cache line of 64 bytes
        found = []
        for start in range(0, block.width, step):
            some = slice(start, start + step)
            cells = block.by_column(some)
            assert cells is not None
            cells = marked_as_nan(cells, self.marker)
            found.append(_by_masks(cells, lower.at(some), upper.at(some)))
        below, inside, tables = zip(*found, strict=True)
        values, counts = zip(*(each.lists for each in tables), strict=True)
        joined = Ragged.end_to_end
        return joined(below), joined(inside), Tallies(joined(values), joined(counts))

    def cells(self, block: Block) -> Array:
        """Return how many cells of each column are not missing."""
        columns = (block.column(j, stored=self.stored) for j in range(block.width))
        return np.array([unmarked(cells, self.marker).size for cells in columns], dtype=np.int64)

    def under(self, limits: Limits) -> Any:
        """Return this, or one that looks at all cells of a column, for slices."""
        few = limits.level < Disclosure.SUMMARY or limits.share < 1 or limits.values is not None
        return WithinOrSlices(self, limits) if few else self

    def merge(self, left: WithinSummary, right: WithinSummary) -> WithinSummary:
        """Put both together."""
        return self.merge_all([left, right])

    def merge_all(self, summaries: Sequence[WithinSummary]) -> WithinSummary:
        """Put all together; the result adds them up."""
        below, inside = summaries[0].below, summaries[0].inside
        return WithinSummary(
            below.of(np.sum([one.below.flat for one in summaries], axis=0)),
            inside.of(np.sum([one.inside.flat for one in summaries], axis=0)),
            *packed(
                Tallies.beside(*(one.tallies() for one in summaries)),
                BinLists.beside(*(one.slices() for one in summaries)),
            ),
        )

    def check(self, summary: WithinSummary, width: int, rows: int) -> None:
        """Check also that there is a count for each interval, and that values lie in them."""
        demand(width == self.columns, "below", f"has {width} columns")
        summary.check(width, rows)
        lower, upper = ends_of(self.intervals)
        for j in np.flatnonzero(summary.below.sizes != lower.sizes)[:1].tolist():
            demand(False, "below", f"has {summary.below.sizes[j]} intervals")
        ends, values = alternating(lower, upper), summary.tallies().values
        # among the ends lower, upper, lower, ... a value inside comes after an odd number of them
        place = ends.find(values) - values.spread(ends.starts)
        demand((place % 2 == 1).all(), "values", "lies outside of the intervals")

    def result(self, summary: WithinSummary) -> list[Inside]:
        """Return what is known of each column."""
        tables, slices = tallied(summary.tallies()), summary.slices()
        return list(map(Inside, summary.below, summary.inside, tables, slices))


def _by_masks(cells: Array, lower: Ragged, upper: Ragged) -> tuple[Ragged, Ragged, Tallies]:
    """Return what :func:`inside_of` does, from unsorted cells: fastest for few intervals."""
    below, inside = np.zeros((2, lower.flat.size), dtype=np.int64)
    parts = []
    for k in range(lower.sizes.max(initial=0)):
        some = np.flatnonzero(lower.sizes > k)
        at = lower.starts[some] + k
        own = cells if some.size == len(cells) else cells[some]
        under, here = (own <= ends.flat[at, None] for ends in (lower, upper))
        below[at] = [np.count_nonzero(column) for column in under]
        np.greater(here, under, out=here)
        sizes = np.zeros(len(cells), dtype=np.int64)
        sizes[some] = inside[at] = [np.count_nonzero(column) for column in here]
        parts.append(Ragged.cut(own[here].astype(np.float64) + 0.0, sizes))
    found = Tallies.none(len(cells)).values.beside(*parts)
    return lower.of(below), lower.of(inside), counted(found)


def marked_as_nan(cells: Array, marker: float | None) -> Array:
    """Return cells with NaN in place of those that equal ``marker``."""
    if marker is None or marker != marker:  # noqa: PLR0124 - only NaN differs from itself
        return cells
    return np.where(cells == marker, np.nan, cells)


def unmarked(cells: Array, marker: float | None) -> Array:
    """Return the cells without the missing ones: those that equal ``marker``."""
    if marker is None or marker != marker:  # noqa: PLR0124 - only NaN differs from itself
        return cells
    return np.asarray(cells[cells != marker])
