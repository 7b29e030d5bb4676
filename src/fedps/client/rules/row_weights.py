"""RowWeights: what the rules look at where rows have weights.

A server chooses which column has the weights. One that is 0 for all rows but a few, or the same for all but a
few, makes of a weighted sum one over these few rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.client.block import TableBlock
from fedps.protocol.messages import Refusal
from fedps.statistics.base import Array


class RowWeights:
    """The weights of the rows of one table, and in which columns these have cells.

    Parameters
    ----------
    column : str
        The column of row weights.
    """

    def __init__(self, column: str) -> None:
        self._column = column
        self._weights: list[Array] = []
        self._sums: Array = np.zeros(1)
        self._squares: Array = np.zeros(1)

    def add(self, block: TableBlock) -> None:
        """Look at a block of rows."""
        weights = block.weights(self._column)
        self._weights.append(weights)
        present = _present(block.numbers())
        with np.errstate(over="ignore"):
            self._sums = self._sums + weights @ present
            self._squares = self._squares + weights**2 @ present

    def effective(self) -> Array:
        """Return from about how many rows a weighted sum of each column is: (sum of weights)^2 / sum of squares.

        That many rows of equal weight would be as many; a row whose weight is far above the others' counts alone.
        """
        with np.errstate(all="ignore"):
            found = self._sums**2 / self._squares
        found = np.where(np.isfinite(found), found, 1.0)  # weights beyond all numbers count as one
        return np.where(self._sums > 0, np.floor(found + 1e-9), 0).astype(np.int64)

    def problem(self, least: int) -> Refusal | None:
        """Return a refusal where all but a few rows have the same weight: all rows less the weighted ones tell these."""
        weights = np.concatenate(self._weights) if self._weights else np.zeros(0)
        if not weights.size:
            return None
        _, counts = np.unique(weights, return_counts=True)
        others = weights.size - int(counts.max())
        if 0 < others < least:
            limit = f"needs {least} rows whose weight is not the most frequent one, or none"
            return Refusal("min_rows of weights", limit, self._column)
        return None


def _present(cells: Any) -> Any:
    """Return which cells are not missing, as 0 and 1."""
    if not hasattr(cells, "indptr"):
        return (~np.isnan(cells)).astype(np.float64)
    return (~np.isnan(cells.toarray())).astype(np.float64)
