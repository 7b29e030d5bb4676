"""What statistics of whole rows share: each client holds different columns of the same rows."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Result,
    S,
    Statistic,
    Summary,
    demand,
    parts_of_all,
    refuse_columns,
)

Row = Annotated[int, Meta(ge=0, le=2**40)]  # the position of a row
LAST_ROW = 2**40  # as a stop: all rows, of any table

MOST_CELLS = 1 << 20  # numbers in one answer: 8 MB, half of a message


class OfEachOwner(Statistic[S, Result], frozen=True, array_like=True):
    """A statistic whose summary has a part for each client, one after the other."""

    aligned: ClassVar[bool] = True
    ordered: ClassVar[bool] = True

    def merge(self, left: S, right: S) -> S:
        """Return both, one client after the other."""
        return parts_of_all(left, right)


def all_numbers(block: Block) -> Array:
    """Return all cells of a table as an array of 64-bit floats; missing ones are NaN."""
    if block.width == 0:
        return np.empty((block.rows, 0))
    cells = block.numbers()
    if hasattr(cells, "indptr"):
        raise BadCells("sparse")
    cells = np.ascontiguousarray(cells, dtype=np.float64)
    refuse_columns(np.isinf(cells), "infinity")
    return cells


def gaps_in(cells: Array, marker: float | None) -> Array:
    """Return which cells are missing: NaN, or equal to ``marker``; then NaN is an error.

    With None, no cell may be missing.
    """
    if marker is not None and np.isnan(marker):
        return np.isnan(cells)
    refuse_columns(np.isnan(cells), "missing")
    return np.zeros(cells.shape, bool) if marker is None else np.asarray(cells == marker)


def demand_positions(rows: Array, most: int | None = None) -> None:
    """Refuse what are not positions of rows, or not of a table with ``most`` rows."""
    if rows.dtype != np.int64 or rows.ndim != 1:
        raise BadCells("aligned")
    if most is not None and not ((rows >= 0) & (rows < most)).all():
        raise BadCells("aligned")


def demand_one_client(summary: Summary, *fields: str) -> None:
    """Check that the given fields have one item: that of the client that sent it."""
    for field in fields:
        have = len(getattr(summary, field))
        demand(have == 1, field, f"has {have} clients, not 1")


def combined(left: Array, right: Array, how: Any = np.add) -> Array:
    """Return the parts of two clients for the same rows, added up unless ``how`` says otherwise.

    An empty array is the part of a client that has none. ValueError if they are not for the same rows.
    """
    if left.shape[-1] == 0 or right.shape[-1] == 0:
        return right if left.shape[-1] == 0 else left
    if left.shape != right.shape:  # NumPy would repeat a single row
        raise ValueError("has other rows than another client's")
    return np.asarray(how(left, right))
