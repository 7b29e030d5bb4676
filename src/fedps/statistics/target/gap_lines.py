"""The lines of missing cells in a table of categories: None and NaN as one."""

from __future__ import annotations

import numpy as np
from msgspec import structs

from fedps.statistics.base import Array
from fedps.statistics.missing_kinds import NAN
from fedps.statistics.sums.moments import MomentsSummary


def rows_of_gaps(values: int, table: tuple[Array, Array], sums: Array | None, labels: int) -> Array:
    """Return how many rows of a column are in its line for None, and in that for NaN.

    ``values`` is the number of categories, whose lines come first; ``table`` are the cells of lines and
    labels that are not zero, and their counts; ``sums`` counts the rows of each line.
    """
    cells, counts = table
    line = cells // max(labels, 1) - values
    found = np.array([counts[line == gap].sum() for gap in (0, 1)], dtype=np.int64)
    if sums is not None:
        found += sums.sum(axis=0)[values : values + 2].astype(np.int64)
    return found


def move_cells(
    values: int, table: tuple[Array, Array], labels: int, kind: int
) -> tuple[Array, Array]:
    """Return the cells of lines and labels, and their counts, with all missing ones in one line."""
    cells, counts = table
    if not len(cells):
        return table
    line, label = np.divmod(cells, labels)
    line = np.where(line >= values, values + (kind == NAN), line)
    moved, inverse = np.unique(line * labels + label, return_inverse=True)
    return moved, np.bincount(inverse, counts, len(moved)).astype(np.int64)


def move_sums(values: int, sums: MomentsSummary, kind: int) -> MomentsSummary:
    """Return sums with all missing cells in one line: what moves is a part of its own."""
    source, target = (values, values + 1) if kind == NAN else (values + 1, values)

    def moved(lines: Array) -> Array:
        kept, other = lines.copy(), np.zeros_like(lines)
        kept[:, source] = 0
        other[:, target] = lines[:, source]
        return np.concatenate([kept, other])

    return MomentsSummary(*map(moved, structs.astuple(sums)))
