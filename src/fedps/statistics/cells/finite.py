"""Finite: whether all cells of a table are finite numbers, and nothing else."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

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


class FiniteSummary(Summary, frozen=True, array_like=True, tag="finite"):
    """True for every column: a cell that is not finite is an error at the client."""

    width_field: ClassVar[str | None] = "columns"

    columns: Array

    def check(self, width: int, rows: int) -> None:
        """Check the shape, and that all are true."""
        demand_array(self.columns, "columns", "bool", (width,))
        demand(self.columns.all(), "columns", "must be true")

    def support(self) -> Array:
        """Return nothing to check: it shows no cell."""
        return NOTHING_TO_CHECK


class Finite(Statistic[FiniteSummary, None], frozen=True, array_like=True, tag="finite"):
    """Fails, as scikit-learn's ``fit`` would, unless all cells are finite numbers.

    For estimators that learn nothing and still refuse missing values. Level AGGREGATE: shows that
    there was no such cell, or the rule and the column of the error. Costs a bit per column.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    additive: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = FiniteSummary

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "whether all cells are finite numbers"

    def empty(self, width: int) -> FiniteSummary:
        """Return true."""
        return FiniteSummary(np.ones(width, dtype=bool))

    def update(self, summary: FiniteSummary, block: Block) -> FiniteSummary:
        """Fold in a block of rows."""
        cells = block.numbers()
        sparse = hasattr(cells, "indptr")
        # a finite total proves it without a mask of all cells; one that overflows proves nothing yet
        with np.errstate(over="ignore", invalid="ignore"):
            total = cells.data.sum() if sparse else cells.sum()
        if np.isfinite(total):
            return summary
        column = np.repeat(np.arange(block.width), np.diff(cells.indptr)) if sparse else None
        data = cells.data if sparse else cells
        for rule, bad in (("missing", np.isnan(data)), ("infinity", np.isinf(data))):
            if bad.any():
                where = np.flatnonzero(bad.any(axis=0)) if column is None else column[bad]
                raise BadCells(rule, int(where[0]))
        return summary

    def merge(self, left: FiniteSummary, right: FiniteSummary) -> FiniteSummary:
        """Return true: neither failed."""
        return FiniteSummary(left.columns & right.columns)

    def result(self, summary: FiniteSummary) -> None:
        """Return nothing: that there was no error is the answer."""
