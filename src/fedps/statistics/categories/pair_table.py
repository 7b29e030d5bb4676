"""What a client sends for a crosstab: the categories of two columns, counts, and which of them are hidden."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from msgspec import Struct

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.categories.categories import check_values, is_text
from fedps.statistics.demands import demand_columns, exact_total

MOST_COUNTED_PAIRS = 1 << 20  # of a client's table: 8 MB of counts, half of a message


class PairTable(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Counts of a table, row by row: of its ``cells`` given by position if most are zero, else of all.

    ``hidden`` has the positions of the cells whose counts are kept back: there, ``counts`` are what others show.
    ``unnamed`` says that there are categories that are not named, whose rows are in no cell.
    """

    cells: Array
    counts: Array
    hidden: Array
    unnamed: bool = False

    @classmethod
    def none(cls) -> PairTable:
        """Return a table without cells."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, nothing)

    @classmethod
    def of(cls, counts: Array, hidden: Array, *, unnamed: bool) -> PairTable:
        """Return a table by the positions of its counts."""
        cells = np.flatnonzero(counts)
        return cls(cells, counts.ravel()[cells], np.flatnonzero(hidden), unnamed)

    def sparse(self) -> tuple[Array, Array]:
        """Return the cells that are not zero, and their counts."""
        if len(self.cells) or not len(self.counts):
            return self.cells, self.counts
        cells = np.flatnonzero(self.counts)
        return cells, self.counts[cells]

    def dense(self, shape: tuple[int, int]) -> tuple[Array, Array]:
        """Return all counts, and which of them are hidden."""
        counts, hidden = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool)
        cells, found = self.sparse()
        counts.ravel()[cells] = found
        hidden.ravel()[self.hidden] = True
        return counts, hidden

    def moved(self, rows: Array, columns: Array, width: int) -> PairTable:
        """Return the same cells at other positions, in a table that is ``width`` wide."""
        cells, counts = self.sparse()
        own = max(len(columns), 1)
        at = [rows[some // own] * width + columns[some % own] for some in (cells, self.hidden)]
        return PairTable(at[0], counts, at[1], self.unnamed)

    def turned(self, shape: tuple[int, int]) -> PairTable:
        """Return the table with rows as columns, of a table of this shape."""
        cells, counts = self.sparse()
        at = (
            [(some % shape[1]) * shape[0] + some // shape[1] for some in (cells, self.hidden)]
            if shape[1]
            else [cells, self.hidden]
        )
        order = np.argsort(at[0], kind="stable")
        return PairTable(at[0][order], counts[order], np.sort(at[1]), self.unnamed)

    def check(self, size: int, rows: int) -> None:
        """Check order and signs, and that there are no more rows than there can be."""
        for field in ("cells", "counts", "hidden"):
            demand_array(getattr(self, field), "table", "int64", (None,))
        for some in (self.cells, self.hidden):
            demand((some[1:] > some[:-1]).all(), "table", "must be sorted and distinct")
            demand(
                not len(some) or (some[0] >= 0 and some[-1] < size),
                "table",
                f"is not in 0..{size - 1}",
            )
        if len(self.cells):
            demand(len(self.cells) == len(self.counts), "table", "has other cells than counts")
            demand((self.counts > 0).all(), "table", "must be positive")
        else:
            demand(len(self.counts) in (0, size), "table", f"has {len(self.counts)} cells")
            demand((self.counts >= 0).all(), "table", "must not be negative")
        total = exact_total(self.counts)
        demand(total <= rows, "table", f"adds up to {total} cells for {rows} rows")
        both = np.isin(self.hidden, self.sparse()[0]).any()
        demand(not both, "table", "has counts in cells that are hidden")


class PairCountsSummary(Summary, frozen=True, array_like=True, tag="pair_counts"):
    """The sorted categories of two columns, and the table of their counts.

    ``place`` says at which position each column is in the table: in another order of columns, the first one's
    categories are in the table's columns.
    """

    width_field: ClassVar[str | None] = "values"

    values: tuple[Array, ...]
    place: Array
    table: PairTable

    @classmethod
    def of(cls, rows: Array, columns: Array, table: PairTable) -> PairCountsSummary:
        """Return the summary of a table whose rows are the first column's categories."""
        return cls((rows, columns), np.arange(2), table)

    def in_place(self) -> PairCountsSummary:
        """Return the summary with the first column's categories in the table's rows."""
        if self.place[0] == 0:
            return self
        rows, columns = self.values
        table = self.table.turned((len(columns), len(rows)))
        return PairCountsSummary.of(rows, columns, table)

    def check(self, width: int, rows: int) -> None:
        """Check the categories and the table of their counts."""
        demand_columns(self, 2, "values")
        for values in self.values:
            check_values(values)
            demand(len(values) <= rows, "values", f"has {len(values)} categories in {rows} rows")
        demand_array(self.place, "place", "int64", (2,))
        demand((self.place == np.arange(2)).all(), "place", "is not in order")
        size = len(self.values[0]) * len(self.values[1])
        demand(size <= MOST_COUNTED_PAIRS, "values", f"has {size} pairs of categories")
        self.table.check(size, rows)

    def support(self) -> Array:
        """Return nothing to check: a client counts its cells on its own."""
        return NOTHING_TO_CHECK

    def retained(self) -> Array:
        """Return how many numbers of each column are shown; a policy does not limit text by that."""
        return np.array([0 if is_text(v) else len(v) for v in self.values], dtype=np.int64)

    def told(self, width: int) -> Array:
        """Return how many numbers about each column it tells: the counts that are not zero."""
        return np.full(width, len(self.table.sparse()[0]))


def added(left: PairTable, right: PairTable) -> PairTable:
    """Return two tables of the same shape added up; a cell is hidden if it is in one of them."""
    cells, inverse = np.unique(np.concatenate([left.cells, right.cells]), return_inverse=True)
    # bincount adds in doubles, which is exact up to 2**53 rows
    counts = np.bincount(inverse, np.concatenate([left.counts, right.counts]), len(cells))
    hidden = np.union1d(left.hidden, right.hidden).astype(np.int64)
    return PairTable(
        cells.astype(np.int64), counts.astype(np.int64), hidden, left.unnamed or right.unnamed
    )


def smaller(table: PairTable, shape: tuple[int, int]) -> PairTable:
    """Return a table in its shorter form."""
    cells, counts = table.sparse()
    if 2 * len(cells) < shape[0] * shape[1] or not len(
        cells
    ):  # a position costs about as much as a count
        return PairTable(cells, counts, table.hidden, table.unnamed)
    return PairTable(cells[:0], table.dense(shape)[0].ravel(), table.hidden, table.unnamed)
