"""Incomplete: the rows of a table with missing cells, as they are, so that others can fill them."""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    parts_of_all,
    refuse_columns,
)
from fedps.statistics.demands import demand_counts
from fedps.statistics.limits import OPEN, Disclosure, Limits


class Height(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """How many rows a client has, and the positions of those that it sends."""

    rows: int
    places: Array


class IncompleteSummary(Summary, frozen=True, array_like=True, tag="incomplete"):
    """The incomplete rows of some clients, in the order of the clients; NaN in missing cells.

    ``present`` has a line for each client: how many cells of each column are not missing.
    """

    width_field: ClassVar[str | None] = "rows"

    heights: list[Height]
    present: Array
    rows: Array

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client, shapes, and that the missing cells add up."""
        demand(len(self.heights) == 1, "heights", f"are {len(self.heights)}, not one")
        height = self.heights[0]
        demand(height.rows == rows, "heights", f"has {height.rows} rows, not {rows}")
        places = height.places
        demand_array(places, "places", "int64", (None,))
        demand((np.diff(places) > 0).all(), "places", "must be sorted and distinct")
        inside = not places.size or (places[0] >= 0 and places[-1] < rows)
        demand(inside, "places", f"is not in 0..{rows - 1}")
        demand_counts(self.present, "present", (1, width), rows)
        demand(self.rows.dtype in (np.float64, np.float32), "rows", "must be numbers")
        demand_array(self.rows, "rows", None, (len(places), width))
        demand(not np.isinf(self.rows).any(), "rows", "must not be infinite")
        gaps = np.isnan(self.rows)
        demand(gaps.any(axis=1).all(), "rows", "must have gaps")
        sent, empty = gaps.sum(axis=0), self.present[0] == 0
        agree = np.where(empty, sent == len(places), sent == rows - self.present[0])
        demand(agree.all(), "rows", "has different missing cells than present")

    def support(self) -> Array:
        """Return nothing to check: whole rows are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class IncompleteRows(NamedTuple):
    """What a plan receives: rows with NaN in missing cells, and their positions at each client.

    ``present`` has a line for each client: how many cells of each column are not missing.
    """

    rows: Array
    places: list[Array]
    present: Array


class Incomplete(
    Statistic[IncompleteSummary, IncompleteRows], frozen=True, array_like=True, tag="incomplete"
):
    """The rows that have missing cells, as they are, and their positions in the table.

    Missing cells in the columns ``ignored`` do not count. Default: those in columns that are
    all-missing at the client; otherwise a column that is so at all clients, which an imputer drops,
    would make all rows be sent in vain. ``marker`` is scikit-learn's ``missing_values``. Level ROWS:
    shows whole rows, also to the other clients. Costs as many numbers as these rows have cells.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    positional: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    gives_cells: ClassVar[bool] = True
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
        """Keep the rows of both, those of the left one first."""
        if (
            not left.heights or not right.heights
        ):  # no rows are float64: 32-bit ones stay as they are
            return left if left.heights else right
        return parts_of_all(left, right)

    def compact(self, summary: IncompleteSummary, limits: Limits = OPEN) -> IncompleteSummary:
        """Return the client's rows without those whose missing cells do not count."""
        if not summary.heights:
            nothing = np.zeros((1, summary.rows.shape[1]), np.int64)
            return IncompleteSummary([Height(0, np.empty(0, np.int64))], nothing, summary.rows)
        counts = summary.present[0] > 0
        if self.ignored is not None:
            counts = ~np.isin(np.arange(counts.size), self.ignored)
        kept = np.isnan(summary.rows[:, counts]).any(axis=1)
        (height,) = summary.heights
        sent = Height(height.rows, height.places[kept])
        return IncompleteSummary([sent], summary.present, summary.rows[kept])

    def result(self, summary: IncompleteSummary) -> IncompleteRows:
        """Return the rows of all clients, and their positions at each client."""
        places = [height.places for height in summary.heights]
        return IncompleteRows(summary.rows, places, summary.present)


def gapped(block: Block, marker: float = float("nan")) -> Array:
    """Return a block's numbers with NaN in place of the marker of missing values.

    They are 64-bit floats, or 32-bit ones if the table is. Other NaN and infinity are refused, as in
    scikit-learn.
    """
    cells = block.numbers()
    if hasattr(cells, "indptr"):
        raise BadCells("sparse")
    if marker == marker:  # noqa: PLR0124 - only NaN differs from itself
        refuse_columns(np.isnan(cells), "missing")
        cells = np.where(cells == marker, cells.dtype.type(np.nan), cells)
    refuse_columns(np.isinf(cells), "infinity")
    return np.asarray(cells)
