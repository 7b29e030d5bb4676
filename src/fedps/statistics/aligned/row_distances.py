"""RowDistances: how far given rows are from all rows, in the cells that both have."""

from __future__ import annotations

from collections.abc import Iterator
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

_DISTANCES_AT_ONCE = 1 << 16  # a batch of them stays in the processor's cache


class RowDistancesSummary(Summary, frozen=True, array_like=True, tag="row_distances"):
    """Squared distances: a line for each of the given rows, with a number for each row."""

    width_field: ClassVar[str | None] = None

    squares: Array

    def check(self, width: int, rows: int) -> None:
        """Check that there is a number for each row, none negative."""
        demand_sizes(self.squares, "squares", (None, rows))

    def support(self) -> Array:
        """Return nothing to check: single rows are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class RowDistances(
    Statistic[RowDistancesSummary, Array], frozen=True, array_like=True, tag="row_distances"
):
    """Squared distances of given ``rows`` from all rows, over all columns that both rows have.

    Cells that are NaN, or equal to the ``marker``, are missing and add nothing; with None they are an
    error. Level ROWS: shows how far single rows are apart; distances of many rows determine the rows
    up to a rotation. Costs a number for each pair of rows.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    aligned: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = RowDistancesSummary

    rows: Array
    marker: float | None = float("nan")

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "for some single rows, how far each is from each other row, in the columns here"

    def empty(self, width: int) -> RowDistancesSummary:
        """Return no rows."""
        demand_positions(self.rows)
        return RowDistancesSummary(np.zeros((0, 0)))

    def update(self, summary: RowDistancesSummary, block: Block) -> RowDistancesSummary:
        """Measure in the columns of the whole table."""
        demand_positions(self.rows, block.rows)
        if len(self.rows) > 1 and len(self.rows) * block.rows > MOST_CELLS:
            raise BadCells("too large")
        cells = all_numbers(block)
        gaps = gaps_in(cells, self.marker)
        with np.errstate(over="ignore"):  # refused below
            squares = distances_to_all_rows(cells, gaps, self.rows)
        if not np.isfinite(squares).all():
            raise BadCells("range")
        return self.merge(summary, RowDistancesSummary(squares))

    def merge(self, left: RowDistancesSummary, right: RowDistancesSummary) -> RowDistancesSummary:
        """Add up."""
        return RowDistancesSummary(combined(left.squares, right.squares))

    def check(self, summary: RowDistancesSummary, width: int, rows: int) -> None:
        """Check also that there is a line for each given row."""
        summary.check(width, rows)
        demand_array(summary.squares, "squares", "float64", (len(self.rows), rows))

    def result(self, summary: RowDistancesSummary) -> Array:
        """Return the squared distances."""
        return summary.squares


def distances_to_all_rows(cells: Array, gaps: Array, rows: Array) -> Array:
    """Return the squared distances of given rows from all, over the cells that both have.

    Differences are squared, and not multiplied out: of rows that are far from zero and near to each
    other, the products would cancel.

    >>> cells = np.array([[0.0, 1.0], [3.0, np.nan], [1.0, 1.0]])
    >>> distances_to_all_rows(cells, np.isnan(cells), np.array([1]))
    array([[9., 0., 4.]])
    """
    found = np.zeros((len(rows), len(cells)))
    for some, squares in distance_batches(cells, gaps, rows):
        found[some] = squares
    return found


def distance_batches(cells: Array, gaps: Array, rows: Array) -> Iterator[tuple[slice, Array]]:
    """Yield the squared distances of a few of the rows at a time from all, and which these are."""
    columns = np.where(gaps, 0.0, cells).T.copy()
    present = (~gaps.T).astype(np.float64)
    whole = np.atleast_1d(np.logical_not(gaps).all(axis=0))
    step = max(1, _DISTANCES_AT_ONCE // max(1, len(cells)))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        found = np.zeros((len(some), len(cells)))
        for column, there, is_whole in zip(columns, present, whole, strict=True):
            away = np.subtract.outer(column[some], column)
            away *= away
            if not is_whole:
                away *= there[some, None]
                away *= there
            found += away
        yield slice(start, start + len(some)), found
