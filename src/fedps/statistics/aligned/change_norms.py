"""ChangeNorms: how far rotated coefficients moved, measured in the client's own columns."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fedps.statistics.aligned.aligned_base import all_numbers, combined
from fedps.statistics.aligned.rotation import rotated
from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand_array,
    refuse_columns,
)
from fedps.statistics.demands import demand_sizes
from fedps.statistics.limits import Disclosure


class ChangeNormsSummary(Summary, frozen=True, array_like=True, tag="change_norms"):
    """The sum of absolute changes of all coefficients, for each change."""

    width_field: ClassVar[str | None] = None

    norms: Array

    def check(self, width: int, rows: int) -> None:
        """Check that they are sums of absolute values."""
        demand_sizes(self.norms, "norms", (None,))

    def support(self) -> Array:
        """Return nothing to check: it shows no cell."""
        return NOTHING_TO_CHECK


class ChangeNorms(
    Statistic[ChangeNormsSummary, Array], frozen=True, array_like=True, tag="change_norms"
):
    """The L1 norms of ``wanted`` changes of coefficients, each given to the client rotated.

    They were learned from columns that :class:`~fedps.statistics.aligned.row_factor.RowFactor` rotated
    (``centred`` or not). The stopping rule of ``BayesianRidge`` needs L1 norms; a rotation keeps L2
    norms, and only the client can undo it. Level AGGREGATE: shows and costs a number per change, over
    all columns of the client.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    aligned: ClassVar[bool] = True
    additive: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = ChangeNormsSummary

    centred: bool
    wanted: int

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "how far the coefficients of all columns here moved together in some steps"

    def empty(self, width: int) -> ChangeNormsSummary:
        """Return no norms."""
        return ChangeNormsSummary(np.zeros(0))

    def update(self, summary: ChangeNormsSummary, block: Block) -> ChangeNormsSummary:
        """Undo the rotation of what was given, by the columns of the whole table."""
        given = block.given()
        shape = (self.wanted, min(block.rows, block.width))
        known = given.dtype == np.float64 and given.shape == shape
        if not known or not np.isfinite(given).all():
            raise BadCells("aligned")
        cells = all_numbers(block)
        refuse_columns(np.isnan(cells), "missing")
        rotation = rotated(cells, centred=self.centred, some=slice(0)).rotation
        norms = np.abs(given @ rotation.T).sum(axis=1)
        return self.merge(summary, ChangeNormsSummary(norms))

    def merge(self, left: ChangeNormsSummary, right: ChangeNormsSummary) -> ChangeNormsSummary:
        """Add up."""
        return ChangeNormsSummary(combined(left.norms, right.norms))

    def check(self, summary: ChangeNormsSummary, width: int, rows: int) -> None:
        """Check also that there is a norm for each change."""
        summary.check(width, rows)
        demand_array(summary.norms, "norms", "float64", (self.wanted,))

    def result(self, summary: ChangeNormsSummary) -> Array:
        """Return the norms."""
        return summary.norms
