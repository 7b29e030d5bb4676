"""Positive: nothing but the word that a table holds only positive numbers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Disclosure,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.down import down


class PositiveSummary(Summary, frozen=True, array_like=True, tag="positive"):
    """True for every column: a column with other numbers is an error at the client."""

    columns: Array

    def check(self, width: int, rows: int) -> None:
        """Check the shape, and that it says so."""
        demand_array(self.columns, "columns", "bool", (width,))
        demand(self.columns.all(), "columns", "must be true")

    def support(self) -> Array:
        """Return nothing to check: it shows no cell."""
        return np.zeros(0, dtype=np.int64)


class Positive(Statistic[PositiveSummary, None], frozen=True, array_like=True, tag="positive"):
    """Fails, as Box-Cox would, unless all cells that are not missing are above zero.

    Shows no more than that.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    additive: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = PositiveSummary

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "whether all numbers are positive"

    def empty(self, width: int) -> PositiveSummary:
        """Return true."""
        return PositiveSummary(np.ones(width, dtype=bool))

    def update(self, summary: PositiveSummary, block: Block) -> PositiveSummary:
        """Fold in a block of rows."""
        cells = block.numbers()
        if hasattr(cells, "indptr"):
            lengths = np.diff(cells.indptr)
            column = np.repeat(np.arange(block.width), lengths)
            bad = (lengths < block.rows) | (np.bincount(column, cells.data <= 0, block.width) > 0)
        elif block.rows == 0:
            return summary
        else:
            bad = down(np.fmin, cells) <= 0  # fmin passes over NaN
        if bad.any():
            raise BadCells("not positive", int(np.flatnonzero(bad)[0]))
        return summary

    def merge(self, left: PositiveSummary, right: PositiveSummary) -> PositiveSummary:
        """Return both."""
        return PositiveSummary(left.columns & right.columns)

    def result(self, summary: PositiveSummary) -> None:
        """Return nothing: no error is the answer."""
