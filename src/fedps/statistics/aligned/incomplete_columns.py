"""IncompleteColumns: the columns that have missing cells, cell by cell."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.aligned.aligned_base import (
    OfEachOwner,
    all_numbers,
    demand_one_client,
    gaps_in,
)
from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    Block,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.limits import Disclosure


class IncompleteColumnsSummary(Summary, frozen=True, array_like=True, tag="incomplete_columns"):
    """For each client its number of rows and columns, and its largest absolute cell.

    Of the columns with missing cells: their positions, a bit for each cell, and the cells that are not
    missing, both column by column.
    """

    width_field: ClassVar[str | None] = None

    shapes: Array
    largest: Array
    positions: tuple[Array, ...]
    bits: tuple[Array, ...]
    cells: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client, and that bits, cells and columns fit together."""
        demand_array(self.shapes, "shapes", "int64", (1, 2))
        demand_array(self.largest, "largest", "float64", (1,))
        demand_one_client(self, "positions", "bits", "cells")
        (positions,), (bits,), (cells,) = self.positions, self.bits, self.cells
        have, across = self.shapes[0].tolist()
        demand(have == rows, "shapes", f"has {have} rows, not {rows}")
        demand_array(positions, "positions", "int64", (None,))
        sound = (np.diff(positions, prepend=-1) > 0).all() and (positions < across).all()
        demand(sound, "positions", f"are not in 0..{across}, one after the other")
        demand_array(bits, "bits", "uint8", ((rows * positions.size + 7) // 8,))
        gaps = _unpacked(bits, rows, positions.size)
        demand(gaps.any(axis=0).all(), "bits", "must have a missing cell in each column")
        demand_array(cells, "cells", "float64", (int((~gaps).sum()),))
        demand(np.isfinite(cells).all(), "cells", "must be finite")
        sound = np.isfinite(self.largest[0]) and self.largest[0] >= np.abs(cells).max(initial=0.0)
        demand(bool(sound), "largest", "must be finite and not below a cell")

    def support(self) -> Array:
        """Return nothing to check: single cells are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class IncompletePart(NamedTuple):
    """One client's columns with missing cells, and the largest absolute cell of all its columns."""

    width: int
    largest: float
    positions: Array  # (k,)
    cells: Array  # (n, k), NaN where missing


class IncompleteColumns(
    OfEachOwner[IncompleteColumnsSummary, tuple[IncompletePart, ...]],
    frozen=True,
    array_like=True,
    tag="incomplete_columns",
):
    """All cells of the columns in which some are missing: NaN, or equal to the ``marker``.

    Also the largest absolute cell of all columns. Level ROWS: shows whole columns. Costs a number for
    each cell that is not missing, and a bit for each cell.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    summary: ClassVar[type[Summary]] = IncompleteColumnsSummary

    marker: float = float("nan")

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return (
            "every single cell of the columns that have missing cells, and the largest absolute value "
            "of all columns here"
        )

    def empty(self, width: int) -> IncompleteColumnsSummary:
        """Return no clients."""
        return IncompleteColumnsSummary(np.zeros((0, 2), np.int64), np.zeros(0), (), (), ())

    def update(self, summary: IncompleteColumnsSummary, block: Block) -> IncompleteColumnsSummary:
        """Take the columns of the whole table."""
        cells = all_numbers(block)
        gaps = gaps_in(cells, self.marker)
        positions = np.flatnonzero(gaps.any(axis=0))
        largest = np.abs(cells).max(initial=0.0, where=~gaps)
        some = gaps[:, positions].T
        own = IncompleteColumnsSummary(
            np.array([cells.shape], dtype=np.int64),
            np.array([largest]),
            (positions,),
            (np.packbits(some),),
            (cells[:, positions].T[~some],),
        )
        return self.merge(summary, own)

    def result(self, summary: IncompleteColumnsSummary) -> tuple[IncompletePart, ...]:
        """Return each client's columns."""
        columns = zip(
            summary.shapes.tolist(),
            summary.largest.tolist(),
            summary.positions,
            summary.bits,
            summary.cells,
            strict=True,
        )
        return tuple(
            IncompletePart(width, largest, positions, _filled(bits, cells, rows, positions.size))
            for (rows, width), largest, positions, bits, cells in columns
        )


def _filled(bits: Array, cells: Array, rows: int, columns: int) -> Array:
    """Return columns with NaN where cells are missing."""
    gaps = _unpacked(bits, rows, columns)
    found = np.full((columns, rows), np.nan)
    found[~gaps.T] = cells
    return found.T


def _unpacked(bits: Array, rows: int, columns: int) -> Array:
    """Return which cells are missing, as an array of rows and columns."""
    flat = np.unpackbits(bits, count=rows * columns)
    return flat.reshape(columns, rows).T.astype(bool)
