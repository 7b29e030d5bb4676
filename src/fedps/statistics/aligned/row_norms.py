"""RowNorms: the norm of each row over the columns of all clients."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from fedps.statistics.aligned.aligned_base import combined
from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
)
from fedps.statistics.demands import demand_sizes
from fedps.statistics.limits import Disclosure

KINDS = ("l1", "l2", "max")


class RowNormsSummary(Summary, frozen=True, array_like=True, tag="row_norms"):
    """A number for each row: the sum of absolute values or of squares, or the largest absolute value."""

    width_field: ClassVar[str | None] = None

    sizes: Array

    def check(self, width: int, rows: int) -> None:
        """Check that there is a number for each row, none of them negative."""
        demand_sizes(self.sizes, "sizes", (rows,))

    def support(self) -> Array:
        """Return the number of rows."""
        return np.array([len(self.sizes)])


class RowNorms(Statistic[RowNormsSummary, Array], frozen=True, array_like=True, tag="row_norms"):
    """The ``norm`` (l1, l2 or max) of each row over the columns of all clients.

    Level ROWS: shows and costs a number per row.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    aligned: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = RowNormsSummary

    norm: str

    @property
    def shows(self) -> str:
        """What an answer shows."""
        what = {"l1": "sum of absolute values", "l2": "sum of squares", "max": "largest value"}
        return f"for each single row, the {what.get(self.norm, 'size')} of its columns here"

    def empty(self, width: int) -> RowNormsSummary:
        """Return no rows."""
        if self.norm not in KINDS:
            raise BadCells("width")
        return RowNormsSummary(np.zeros(0))

    def update(self, summary: RowNormsSummary, block: Block) -> RowNormsSummary:
        """Measure all rows of the whole table."""
        sizes = np.zeros(block.rows)
        if block.width:
            with np.errstate(over="ignore", invalid="ignore"):  # refused below
                sizes = _sizes(block.numbers(), self.norm)
        if not np.isfinite(sizes).all():
            raise _reason(block.numbers())
        return self.merge(summary, RowNormsSummary(sizes))

    def merge(self, left: RowNormsSummary, right: RowNormsSummary) -> RowNormsSummary:
        """Put the clients' parts of each row together."""
        how = np.maximum if self.norm == "max" else np.add
        return RowNormsSummary(combined(left.sizes, right.sizes, how))

    def result(self, summary: RowNormsSummary) -> Array:
        """Return the norms of the rows; the root is taken last, since squares can be added up."""
        return np.sqrt(summary.sizes) if self.norm == "l2" else summary.sizes


def _sizes(cells: Any, norm: str) -> Array:
    if norm == "max":
        largest = abs(cells).max(axis=1)
        sizes = largest.toarray() if hasattr(largest, "toarray") else largest
    elif norm == "l1":
        sizes = abs(cells).sum(axis=1)
    else:  # the * of two sparse matrices is a matrix product
        sparse = hasattr(cells, "indptr")
        sizes = (cells.multiply(cells) if sparse else cells * cells).sum(axis=1)
    return np.asarray(sizes, dtype=np.float64).ravel()


def _reason(cells: Any) -> BadCells:
    """Return what is wrong with cells whose norm is not finite."""
    dense = cells.toarray() if hasattr(cells, "indptr") else cells
    for rule, bad in (("missing", np.isnan(dense)), ("infinity", np.isinf(dense))):
        columns = np.flatnonzero(bad.any(axis=0))
        if columns.size:
            return BadCells(rule, int(columns[0]))
    return BadCells("range")
