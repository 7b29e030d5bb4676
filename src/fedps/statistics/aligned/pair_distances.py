"""PairDistances: how far the two rows of given pairs are from each other."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fedps.statistics.aligned.aligned_base import (
    MOST_CELLS,
    all_numbers,
    combined,
    demand_positions,
    gaps_in,
)
from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand_array,
)
from fedps.statistics.demands import demand_sizes
from fedps.statistics.limits import Disclosure


class PairDistancesSummary(Summary, frozen=True, array_like=True, tag="pair_distances"):
    """A squared distance for each pair."""

    width_field: ClassVar[str | None] = None

    squares: Array

    def check(self, width: int, rows: int) -> None:
        """Check that none is negative or infinite."""
        demand_sizes(self.squares, "squares", (None,))

    def support(self) -> Array:
        """Return nothing to check: single rows are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class PairDistances(
    Statistic[PairDistancesSummary, Array], frozen=True, array_like=True, tag="pair_distances"
):
    """Squared distances of ``rows`` from ``others``, pair by pair, over all columns that both have.

    Cells that are NaN, or equal to the ``marker``, are missing and add nothing; with None they are an
    error. Level ROWS: shows how far single rows are apart. Costs a number for each pair.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    aligned: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = PairDistancesSummary

    rows: Array
    others: Array
    marker: float | None = float("nan")

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "for some single rows, how far each is from some other rows, in the columns here"

    def empty(self, width: int) -> PairDistancesSummary:
        """Return no pairs."""
        for rows in (self.rows, self.others):
            demand_positions(rows)
        if self.others.shape != self.rows.shape:
            raise BadCells("aligned")
        if self.rows.size > MOST_CELLS:
            raise BadCells("too large")
        return PairDistancesSummary(np.zeros(0))

    def update(self, summary: PairDistancesSummary, block: Block) -> PairDistancesSummary:
        """Measure in the columns of the whole table."""
        for rows in (self.rows, self.others):
            demand_positions(rows, block.rows)
        cells = all_numbers(block)
        present = ~gaps_in(cells, self.marker)
        squares = np.zeros(self.rows.size)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            for column, there in zip(cells.T, present.T, strict=True):
                away = column[self.rows] - column[self.others]
                both = there[self.rows] & there[self.others]
                squares[both] += away[both] ** 2
        if not np.isfinite(squares).all():
            raise BadCells("range")
        return self.merge(summary, PairDistancesSummary(squares))

    def merge(
        self, left: PairDistancesSummary, right: PairDistancesSummary
    ) -> PairDistancesSummary:
        """Add up."""
        return PairDistancesSummary(combined(left.squares, right.squares))

    def check(self, summary: PairDistancesSummary, width: int, rows: int) -> None:
        """Check also that there is a number for each pair."""
        summary.check(width, rows)
        demand_array(summary.squares, "squares", "float64", self.rows.shape)

    def result(self, summary: PairDistancesSummary) -> Array:
        """Return the squared distances."""
        return summary.squares
