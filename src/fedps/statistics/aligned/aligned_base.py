"""What statistics of whole rows share, where each client has other columns of the same rows."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta

from fedps.statistics.base import Array, BadCells, Block

Row = Annotated[int, Meta(ge=0, le=2**40)]  # where a row stands
LAST_ROW = 2**40

MOST_CELLS = 1 << 20  # numbers of one answer: eight megabytes, half of what a message may have


def whole_numbers(block: Block) -> Array:
    """Return all cells of a whole table as an array of 64-bit floats; missing ones are NaN."""
    if block.width == 0:
        return np.empty((block.rows, 0))
    cells = block.numbers()
    if hasattr(cells, "indptr"):
        raise BadCells("sparse")
    cells = np.ascontiguousarray(cells, dtype=np.float64)
    _demand_none(np.isinf(cells), "infinity")
    return cells


def demand_present(cells: Array) -> Array:
    """Return cells, or say which column has a missing one."""
    _demand_none(np.isnan(cells), "missing")
    return cells


def gaps_in(cells: Array, marker: float | None) -> Array:
    """Return where cells are missing: NaN, or equal to the marker; then NaN is an error.

    Without a marker no cell may be missing.
    """
    if marker is not None and np.isnan(marker):
        return np.isnan(cells)
    demand_present(cells)
    return np.zeros(cells.shape, bool) if marker is None else np.asarray(cells == marker)


def numeric_target(block: Block) -> Array:
    """Return the target as 64-bit floats; text is no number, even where it looks like one."""
    target = block.target()
    if target.dtype.kind == "O" and any(isinstance(cell, str) for cell in target[:1]):
        raise BadCells("text target")
    return target.astype(np.float64)


def _demand_none(bad: Array, rule: str) -> None:
    columns = np.flatnonzero(bad.any(axis=0))
    if columns.size:
        raise BadCells(rule, int(columns[0]))
