"""RowFactor: a client's columns up to a rotation, row by row."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.aligned.aligned_base import (
    LAST_ROW,
    OfEachOwner,
    Row,
    all_numbers,
    demand_one_client,
    gaps_in,
)
from fedps.statistics.aligned.rotation import rotated
from fedps.statistics.base import (
    LARGEST_TO_SQUARE,
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.limits import Disclosure


class RowFactorSummary(Summary, frozen=True, array_like=True, tag="row_factor"):
    """For each client: its number of columns, their rotated means, and the rotated columns."""

    width_field: ClassVar[str | None] = None

    widths: Array
    means: tuple[Array, ...]
    blocks: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client, with as many numbers as its rows and columns need."""
        demand_one_client(self, "blocks", "means")
        demand_array(self.widths, "widths", "int64", (1,))
        have = int(self.widths[0])
        demand(have >= 0, "widths", "must not be negative")
        demand_array(self.blocks[0], "blocks", "float64", (None, min(rows, have)))
        demand_array(self.means[0], "means", "float64", (min(rows, have),))
        for field, numbers in (("blocks", self.blocks[0]), ("means", self.means[0])):
            moderate = np.abs(numbers).max(initial=0.0) <= LARGEST_TO_SQUARE
            demand(bool(moderate), field, "must be finite and not too large")

    def support(self) -> Array:
        """Return nothing to check: single rows are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class RowBlock(NamedTuple):
    """One client's columns as the server knows them: rotated, and centred if requested."""

    width: int  # how many columns the client has
    means: Array  # rotated, (r,)
    cells: Array  # some rows, r = min(n, width) columns


class RowFactor(
    OfEachOwner[RowFactorSummary, tuple[RowBlock, ...]],
    frozen=True,
    array_like=True,
    tag="row_factor",
):
    """Each client's columns, rotated by a rotation that only the client knows.

    With ``centred``, their means are subtracted. With a ``marker``, columns that have missing cells
    (NaN, or equal to it) are left out; with None, missing cells are an error. The rows from ``start``
    to ``stop`` are sent, by the rotation of all rows. Level ROWS: shows the rows up to a rotation, and
    so every distance and angle between two of them. Costs n min(n, m) numbers.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    summary: ClassVar[type[Summary]] = RowFactorSummary

    centred: bool = True
    marker: float | None = None
    start: Row = 0
    stop: Row = LAST_ROW

    @property
    def shows(self) -> str:
        """What an answer shows."""
        which = "the columns" if self.marker is None else "the columns without missing cells"
        return (
            f"all single rows of {which} here, after a rotation that the server does not know: it "
            "sees how far any two rows are from each other, and a lone column up to its sign"
        )

    def empty(self, width: int) -> RowFactorSummary:
        """Return no clients."""
        return RowFactorSummary(np.zeros(0, dtype=np.int64), (), ())

    def update(self, summary: RowFactorSummary, block: Block) -> RowFactorSummary:
        """Rotate the whole table."""
        cells = all_numbers(block)
        cells = cells[:, ~gaps_in(cells, self.marker).any(axis=0)]
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            found = rotated(cells, centred=self.centred, some=slice(self.start, self.stop))
            means = found.means @ found.rotation
        if not np.abs(found.cells).max(initial=0.0) <= LARGEST_TO_SQUARE:
            raise BadCells("range")
        own = RowFactorSummary(np.array([cells.shape[1]]), (means,), (found.cells,))
        return self.merge(summary, own)

    def check(self, summary: RowFactorSummary, width: int, rows: int) -> None:
        """Check also that there are as many rows as requested."""
        summary.check(width, rows)
        wanted = len(range(rows)[self.start : self.stop])
        demand_array(summary.blocks[0], "blocks", "float64", (wanted, None))

    def result(self, summary: RowFactorSummary) -> tuple[RowBlock, ...]:
        """Return each client's rotated columns."""
        widths = summary.widths.tolist()
        return tuple(map(RowBlock, widths, summary.means, summary.blocks))
