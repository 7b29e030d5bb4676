"""Positive: whether all numbers of a table are positive, and nothing else."""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Block, refuse_columns
from fedps.statistics.cells.finite import Finite, FiniteSummary
from fedps.statistics.sums.column_sums import reduce_columns


class Positive(Finite, frozen=True, array_like=True, tag="positive"):
    """Fails, as Box-Cox would, unless all cells that are not missing are above zero.

    Level AGGREGATE: shows that there was no such cell, or the column of the error. Costs a bit per
    column.
    """

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "whether all numbers are positive"

    def update(self, summary: FiniteSummary, block: Block) -> FiniteSummary:
        """Fold in a block of rows."""
        cells = block.numbers()
        if hasattr(cells, "indptr"):
            lengths = np.diff(cells.indptr)
            column = np.repeat(np.arange(block.width), lengths)
            bad = (lengths < block.rows) | (np.bincount(column, cells.data <= 0, block.width) > 0)
        elif block.rows == 0:
            return summary
        else:
            bad = reduce_columns(np.fmin, cells) <= 0  # fmin passes over NaN
        refuse_columns(bad, "not positive")
        return summary
