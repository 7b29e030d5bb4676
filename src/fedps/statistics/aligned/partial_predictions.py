"""Partial: the clients' parts of predictions, put together."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from fedps.statistics.aligned.aligned_base import MOST_CELLS, Row, combined
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
from fedps.statistics.limits import Disclosure


class PartialSummary(Summary, frozen=True, array_like=True, tag="partial"):
    """A line of numbers for each row."""

    width_field: ClassVar[str | None] = None

    cells: Array

    def check(self, width: int, rows: int) -> None:
        """Check that they are numbers."""
        demand_array(self.cells, "cells", "float64", (None, None))
        demand(np.isfinite(self.cells).all(), "cells", "must be finite")

    def support(self) -> Array:
        """Return nothing to check: single rows are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class Partial(Statistic[PartialSummary, Array], frozen=True, array_like=True, tag="partial"):
    """What each client's part of a model gives for its columns of the rows ``start`` to ``stop``.

    There are ``across`` numbers for each row, which are added up over the clients; with ``how="max"``
    the largest is taken. An answer with fewer rows than requested ends with the last row. Level ROWS:
    shows these numbers for every row. Costs them.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    aligned: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    summary: ClassVar[type[Summary]] = PartialSummary

    start: Row
    stop: Row
    across: Row = 1
    how: Literal["sum", "max"] = "sum"

    @property
    def shows(self) -> str:
        """What an answer shows."""
        if self.across == 1:
            return "for each single row to predict, what the columns here add to its prediction"
        return (
            "for each single row to predict, how far it is from each row that was learned from, in "
            "the columns here"
        )

    def empty(self, width: int) -> PartialSummary:
        """Return no rows."""
        rows = self.stop - self.start
        if rows < 1 or (rows > 1 and rows * self.across > MOST_CELLS):
            raise BadCells("too large")
        return PartialSummary(np.zeros((0, 0)))

    def update(self, summary: PartialSummary, block: Block) -> PartialSummary:
        """Take rows of the whole table; a client without columns has no part."""
        if block.width == 0 or self.start >= block.rows:
            return summary
        # one row first: if its line is longer than the server says, all rows may not fit in memory
        for stop in (self.start + 1, self.stop):
            cells = block.partial(self.start, stop)
            if cells.ndim != 2 or cells.shape[1] != self.across:
                raise BadCells("aligned")
        if not np.isfinite(cells).all():
            raise BadCells("range")
        return self.merge(summary, PartialSummary(cells))

    def merge(self, left: PartialSummary, right: PartialSummary) -> PartialSummary:
        """Put two parts of each row together."""
        how = np.maximum if self.how == "max" else np.add
        return PartialSummary(combined(left.cells, right.cells, how))

    def check(self, summary: PartialSummary, width: int, rows: int) -> None:
        """Check also that there are no more rows than requested, with as many numbers each."""
        summary.check(width, rows)
        if summary.cells.size == 0:
            demand_array(summary.cells, "cells", "float64", (0, 0))
            return
        demand_array(summary.cells, "cells", "float64", (None, self.across))
        fits = len(summary.cells) <= self.stop - self.start
        demand(fits, "cells", "has more rows than were asked for")

    def result(self, summary: PartialSummary) -> Array:
        """Return the numbers."""
        return summary.cells
