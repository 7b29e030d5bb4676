"""Incomplete: the rows of a table that have gaps, as they are, for others to fill them."""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    OPEN,
    Array,
    BadCells,
    Block,
    Disclosure,
    Limits,
    Statistic,
    Summary,
    demand,
    demand_array,
)


class Height(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """How many rows a client has, and which of them are told."""

    rows: int
    places: Array


class IncompleteSummary(Summary, frozen=True, array_like=True, tag="incomplete"):
    """The incomplete rows of some clients, in their order; NaN in the gaps.

    ``present`` has a line for each client: how many cells of each column are no gaps.
    """

    width_field: ClassVar[str | None] = "rows"

    heights: list[Height]
    present: Array
    rows: Array

    def check(self, width: int, rows: int) -> None:
        """Check that a client tells of itself, and shapes, and that numbers and gaps add up."""
        demand(len(self.heights) == 1, "heights", f"are {len(self.heights)}, not one")
        height = self.heights[0]
        demand(height.rows == rows, "heights", f"tell of {height.rows} rows, not of {rows}")
        places = height.places
        demand_array(places, "places", "int64", (None,))
        demand((np.diff(places) > 0).all(), "places", "must be sorted and distinct")
        inside = not places.size or (places[0] >= 0 and places[-1] < rows)
        demand(inside, "places", f"is not in 0..{rows - 1}")
        demand_array(self.present, "present", "int64", (1, width))
        fits = ((self.present >= 0) & (self.present <= rows)).all()
        demand(fits, "present", f"is not in 0..{rows}")
        demand(self.rows.dtype in (np.float64, np.float32), "rows", "must be numbers")
        demand_array(self.rows, "rows", None, (len(places), width))
        demand(not np.isinf(self.rows).any(), "rows", "must not be infinite")
        gaps = np.isnan(self.rows)
        demand(gaps.any(axis=1).all(), "rows", "must have gaps")
        told, empty = gaps.sum(axis=0), self.present[0] == 0
        agree = np.where(empty, told == len(places), told == rows - self.present[0])
        demand(agree.all(), "rows", "has other gaps than present tells of")

    def support(self) -> Array:
        """Return nothing to check: rows are told as they are, as the level says."""
        return NOTHING_TO_CHECK


class IncompleteRows(NamedTuple):
    """What a plan receives: rows with NaN in their gaps, and where each client has its own.

    ``present`` has a line for each client: how many cells of each column are no gaps.
    """

    rows: Array
    places: list[Array]
    present: Array


class Incomplete(
    Statistic[IncompleteSummary, IncompleteRows], frozen=True, array_like=True, tag="incomplete"
):
    """The rows that have gaps, as they are, and where they stand in the table.

    Gaps in the columns ``ignored`` do not count; where that is None, in columns that are nothing but
    gaps at the client: else all its rows were told in vain where the column is so everywhere.
    ``marker`` is scikit-learn's ``missing_values``. Costs as many numbers as the rows have cells.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    positional: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = IncompleteSummary

    marker: float = float("nan")
    ignored: Annotated[tuple[int, ...], Meta(max_length=250_000)] | None = None

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "every row with a missing cell, as it is; the server sends these rows to all other clients"

    def empty(self, width: int) -> IncompleteSummary:
        """Return no rows of no client."""
        if any(not 0 <= j < width for j in self.ignored or ()):
            raise BadCells("queries")
        return IncompleteSummary([], np.empty((0, width), np.int64), np.empty((0, width)))

    def update(self, summary: IncompleteSummary, block: Block) -> IncompleteSummary:
        """Fold in a block of rows of the same client."""
        cells = gapped(block, self.marker)
        gaps = np.isnan(cells)
        here = np.flatnonzero(gaps.any(axis=1))
        present = len(cells) - np.count_nonzero(gaps, axis=0)
        if not summary.heights:
            return IncompleteSummary([Height(len(cells), here)], present[None], cells[here])
        (before,) = summary.heights
        places = np.concatenate([before.places, here + before.rows])
        return IncompleteSummary(
            [Height(before.rows + len(cells), places)],
            summary.present + present,
            np.concatenate([summary.rows, cells[here]]),
        )

    def merge(self, left: IncompleteSummary, right: IncompleteSummary) -> IncompleteSummary:
        """Keep the rows of both, the left one's first."""
        if not left.heights or not right.heights:
            return left if left.heights else right
        return IncompleteSummary(
            left.heights + right.heights,
            np.concatenate([left.present, right.present]),
            np.concatenate([left.rows, right.rows]),
        )

    def compact(self, summary: IncompleteSummary, limits: Limits = OPEN) -> IncompleteSummary:
        """Return the client's own part, without rows whose gaps do not count."""
        if not summary.heights:
            nothing = np.zeros((1, summary.rows.shape[1]), np.int64)
            return IncompleteSummary([Height(0, np.empty(0, np.int64))], nothing, summary.rows)
        counts = summary.present[0] > 0
        if self.ignored is not None:
            counts = ~np.isin(np.arange(counts.size), self.ignored)
        kept = np.isnan(summary.rows[:, counts]).any(axis=1)
        (height,) = summary.heights
        told = Height(height.rows, height.places[kept])
        return IncompleteSummary([told], summary.present, summary.rows[kept])

    def result(self, summary: IncompleteSummary) -> IncompleteRows:
        """Return the rows of all clients, and where each has its own."""
        places = [height.places for height in summary.heights]
        return IncompleteRows(summary.rows, places, summary.present)


def gapped(block: Block, marker: float = float("nan")) -> Array:
    """Return a block's numbers with NaN where the marker of a missing value is.

    They are 64-bit floats, or 32-bit ones as the table has them. No other NaN is taken, as
    scikit-learn takes none, nor infinity.
    """
    cells = block.numbers()
    if hasattr(cells, "indptr"):
        raise BadCells("sparse")
    if marker == marker:  # noqa: PLR0124 - only NaN differs from itself
        lost = np.flatnonzero(np.isnan(cells).any(axis=0))
        if lost.size:
            raise BadCells("missing", int(lost[0]))
        cells = np.where(cells == marker, cells.dtype.type(np.nan), cells)
    infinite = np.flatnonzero(np.isinf(cells).any(axis=0))
    if infinite.size:
        raise BadCells("infinity", int(infinite[0]))
    return np.asarray(cells)
