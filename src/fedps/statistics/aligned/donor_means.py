"""DonorMeans: means of the target over given rows."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

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
from fedps.statistics.target.numeric_target import numeric_target


class DonorMeansSummary(Summary, frozen=True, array_like=True, tag="donor_means"):
    """The means; none from a client without the target."""

    width_field: ClassVar[str | None] = None

    means: Array

    def check(self, width: int, rows: int) -> None:
        """Check that they are numbers."""
        demand_array(self.means, "means", "float64", (None,))
        demand(np.isfinite(self.means).all(), "means", "must be finite")

    def support(self) -> Array:
        """Return nothing to check: single cells are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class DonorMeans(
    Statistic[DonorMeansSummary, Array], frozen=True, array_like=True, tag="donor_means"
):
    """Weighted means of the target: ``wanted`` of them, each over given rows.

    The client with the target is given two layers with a line for each mean: positions of rows, and
    their weights. Level ROWS: a mean over one row shows its target. Costs a number per mean.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    aligned: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    of_target: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = DonorMeansSummary

    wanted: Annotated[int, Meta(ge=0, le=2**31)]

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "for each single row to predict, the mean target of the few rows nearest to it"

    def empty(self, width: int) -> DonorMeansSummary:
        """Return no means."""
        return DonorMeansSummary(np.zeros(0))

    def update(self, summary: DonorMeansSummary, block: Block) -> DonorMeansSummary:
        """Take means over rows of the whole table, if this client has the target."""
        if not block.has_target():
            return summary
        rows, weights = self._layers(block.given(), block.rows)
        target = numeric_target(block)
        with np.errstate(all="ignore"):  # refused below
            means = (target[rows] * weights).sum(axis=1) / weights.sum(axis=1)
        if not np.isfinite(means).all():
            raise BadCells("range", what="target")
        return self.merge(summary, DonorMeansSummary(means))

    def _layers(self, given: Array, most: int) -> tuple[Array, Array]:
        """Return positions and weights, or refuse what are not such layers."""
        fits = given.dtype == np.float64 and given.ndim == 3 and len(given) == 2
        if not fits or given.shape[1] != self.wanted or not np.isfinite(given).all():
            raise BadCells("aligned")
        rows = given[0].astype(np.int64)
        if (rows != given[0]).any() or (rows < 0).any() or (rows >= most).any():
            raise BadCells("aligned")
        return rows, given[1]

    def merge(self, left: DonorMeansSummary, right: DonorMeansSummary) -> DonorMeansSummary:
        """Return those that there are: exactly one client has the target."""
        return right if left.means.size == 0 else left

    def check(self, summary: DonorMeansSummary, width: int, rows: int) -> None:
        """Check also that there are as many means as requested, or none."""
        summary.check(width, rows)
        fits = summary.means.size in (0, self.wanted)
        demand(fits, "means", f"has {summary.means.size} numbers, not {self.wanted}")

    def result(self, summary: DonorMeansSummary) -> Array:
        """Return the means."""
        return summary.means
