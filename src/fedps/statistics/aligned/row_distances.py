"""RowDistances: how far some rows are from all rows, in the cells that both have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from fedps.statistics.aligned.aligned_base import MOST_CELLS, gaps_in, whole_numbers
from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Disclosure,
    Statistic,
    Summary,
    demand_array,
    demand_sizes,
)

_DISTANCES_AT_ONCE = (
    1 << 16
)  # distances that are worked on at once: they stay in the processor's cache


class RowDistancesSummary(Summary, frozen=True, array_like=True, tag="row_distances"):
    """Squared distances: a line for each of some rows, a number for each row."""

    width_field: ClassVar[str | None] = None

    squares: Array

    def check(self, width: int, rows: int) -> None:
        """Check that there is a number for each row, none negative."""
        demand_sizes(self.squares, "squares", (None, rows))

    def support(self) -> Array:
        """Return nothing to check: single rows are shown, which a policy allows or not."""
        return NOTHING_TO_CHECK


class RowDistances(
    Statistic[RowDistancesSummary, Array], frozen=True, array_like=True, tag="row_distances"
):
    """Squared distances of some ``rows`` from all rows, over all columns that both rows have.

    Cells that are NaN, or equal to the ``marker``, are missing; they add nothing. Without a marker
    they are an error. Distances of many rows determine the rows up to a rotation. Costs a number for
    each pair of rows.
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
        if self.rows.dtype != np.int64 or self.rows.ndim != 1:
            raise BadCells("aligned")
        return RowDistancesSummary(np.zeros((0, 0)))

    def update(self, summary: RowDistancesSummary, block: Block) -> RowDistancesSummary:
        """Measure in the columns of a whole table."""
        known = ((self.rows >= 0) & (self.rows < block.rows)).all()
        if not known:
            raise BadCells("aligned")
        if len(self.rows) > 1 and len(self.rows) * block.rows > MOST_CELLS:
            raise BadCells("too large")
        cells = whole_numbers(block)
        gaps = gaps_in(cells, self.marker)
        with np.errstate(over="ignore"):  # what is not finite is refused below
            squares = distances_to_all_rows(cells, gaps, self.rows)
        if not np.isfinite(squares).all():
            raise BadCells("range")
        return self.merge(summary, RowDistancesSummary(squares))

    def merge(self, left: RowDistancesSummary, right: RowDistancesSummary) -> RowDistancesSummary:
        """Add up."""
        if left.squares.shape[1] == 0 or right.squares.shape[1] == 0:
            return right if left.squares.shape[1] == 0 else left
        return RowDistancesSummary(left.squares + right.squares)

    def check(self, summary: RowDistancesSummary, width: int, rows: int) -> None:
        """Check also that there is a line for each row that was asked about."""
        summary.check(width, rows)
        demand_array(summary.squares, "squares", "float64", (len(self.rows), rows))

    def result(self, summary: RowDistancesSummary) -> Array:
        """Return the squared distances."""
        return summary.squares


def distances_to_all_rows(cells: Array, gaps: Array, rows: Array) -> Array:
    """Return the squared distances of some rows from all, over the cells that both have.

    Differences are squared and not multiplied out: rows near each other far from zero stay apart.

    >>> cells = np.array([[0.0, 1.0], [3.0, np.nan], [1.0, 1.0]])
    >>> distances_to_all_rows(cells, np.isnan(cells), np.array([1]))
    array([[9., 0., 4.]])
    """
    found = np.zeros((len(rows), len(cells)))
    for some, squares in distance_batches(cells, gaps, rows):
        found[some] = squares
    return found


def distance_batches(cells: Array, gaps: Array, rows: Array) -> Iterator[tuple[slice, Array]]:
    """Yield the squared distances of a few rows at a time from all, and which rows these are."""
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
