"""PairCounts: how often each category of one column occurs with each of another, for a crosstab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedps.statistics.base import Array, BadCells, Block, Statistic, Summary
from fedps.statistics.categories.categories import has_infinity, one_zero, place, united
from fedps.statistics.categories.pair_table import (
    MOST_COUNTED_PAIRS,
    PairCountsSummary,
    PairTable,
    added,
    smaller,
)
from fedps.statistics.categories.suppression import suppressed
from fedps.statistics.limits import OPEN, Disclosure, Limits


@dataclass(frozen=True)
class CrossTable:
    """Counts of pairs of categories: ``rows`` are those of the first column, ``columns`` of the second.

    ``unnamed`` says that some client leaves out categories that are rare there. Where clients have very many
    different categories, the table may be too large to be written out: look at ``size`` before.
    """

    rows: Array
    columns: Array
    table: PairTable
    unnamed: bool

    @property
    def size(self) -> int:
        """How many cells the table has."""
        return len(self.rows) * len(self.columns)

    @property
    def counts(self) -> Array:
        """The counts that the clients show, as a matrix."""
        return self.table.dense((len(self.rows), len(self.columns)))[0]

    @property
    def hidden(self) -> Array:
        """Where some client keeps its count back, as a matrix: there, counts are those of the others."""
        return self.table.dense((len(self.rows), len(self.columns)))[1]


class PairCounts(
    Statistic[PairCountsSummary, CrossTable], frozen=True, array_like=True, tag="pair_counts"
):
    """How often each category of one column occurs with each of another, as ``pandas.crosstab`` counts.

    Asked of two columns. Rows where one of them is missing do not count.

    Level SUMMARY: shows the categories of both columns, and counts. Under a policy's ``min_count``, rarer
    categories are not named, smaller counts are hidden, and so are as many others as are needed so that
    they do not follow from the rest and the totals (:mod:`fedps.statistics.categories.suppression`). Which of
    the hidden counts are small is not told. Costs the length of the categories, and about two bytes for each
    pair of categories that occurs.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    reads_numbers: ClassVar[bool] = False
    summary: ClassVar[type[Summary]] = PairCountsSummary

    @property
    def tells_cells(self) -> bool:
        """Not here: rows with one of both are left out, and rare categories may be."""
        return False

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "distinct values, and counts of each with each value of the other column"

    def empty(self, width: int) -> PairCountsSummary:
        """Return no categories."""
        if width != 2:
            raise BadCells("width")
        none = np.empty(0)
        return PairCountsSummary.of(none, none, PairTable.none())

    def update(self, summary: PairCountsSummary, block: Block) -> PairCountsSummary:
        """Fold in a block of rows; an error if there are too many categories."""
        values, codes = [], []
        for j in range(block.width):
            found, where = block.codes(j)
            if has_infinity(found.values):
                raise BadCells("infinity", j)
            values.append(one_zero(found.values))
            codes.append(where)
        both = (codes[0] < len(values[0])) & (codes[1] < len(values[1]))
        used, lines = zip(
            *(np.unique(code[both], return_inverse=True) for code in codes), strict=True
        )
        cells, counts = np.unique(lines[0] * max(len(used[1]), 1) + lines[1], return_counts=True)
        names = [_taken(every, some) for every, some in zip(values, used, strict=True)]
        table = PairTable(
            cells.astype(np.int64), counts.astype(np.int64), cells[:0].astype(np.int64)
        )
        whole = self.merge(summary, PairCountsSummary.of(names[0], names[1], table))
        sizes = [len(names) for names in whole.values]
        if sizes[0] * sizes[1] > MOST_COUNTED_PAIRS:
            raise BadCells("too many categories", int(np.argmax(sizes)))
        return whole

    def merge(self, left: PairCountsSummary, right: PairCountsSummary) -> PairCountsSummary:
        """Return the union of the categories, with counts added; a cell is hidden if one of both hides it."""
        sides = [left.in_place(), right.in_place()]
        unions = [
            united(a, b, (), j)[0]
            for j, (a, b) in enumerate(zip(*(s.values for s in sides), strict=True))
        ]
        tables = []
        for side in sides:
            at = [place(union, own) for union, own in zip(unions, side.values, strict=True)]
            tables.append(side.table.moved(at[0], at[1], len(unions[1])))
        return PairCountsSummary.of(unions[0], unions[1], added(*tables))

    def compact(self, summary: PairCountsSummary, limits: Limits = OPEN) -> PairCountsSummary:
        """Return the summary in its shorter form, without counts that a policy hides."""
        rows, columns = summary.values
        shape = len(rows), len(columns)
        if limits.count <= 0:
            return PairCountsSummary.of(rows, columns, smaller(summary.table, shape))
        counts, _ = summary.table.dense(shape)
        least = limits.sure_count
        named = counts.sum(axis=1) >= least, counts.sum(axis=0) >= least
        hidden = suppressed(counts, least).cells[np.ix_(*named)]
        for j, some in enumerate(named):
            if hidden.any() or not some.all():
                shown = f"only categories and counts of at least {limits.count} rows, and not all"
                limits.show_less(j, "min_count", shown)
        rare = not (named[0].all() and named[1].all())
        table = PairTable.of(np.where(hidden, 0, counts[np.ix_(*named)]), hidden, unnamed=rare)
        left = [
            _taken(names, np.flatnonzero(some))
            for names, some in zip(summary.values, named, strict=True)
        ]
        return PairCountsSummary.of(left[0], left[1], smaller(table, hidden.shape))

    def result(self, summary: PairCountsSummary) -> CrossTable:
        """Return the table of all clients."""
        summary = summary.in_place()
        rows, columns = summary.values
        table = summary.table
        cells, counts = table.sparse()
        shown = PairTable(cells, counts, table.hidden, table.unnamed)
        return CrossTable(rows, columns, shown, table.unnamed)


def _taken(values: Array, some: Array) -> Array:
    """Return some of the values; an empty array has no dtype of its own, so that any order of merging gives the same."""
    return values[some] if len(some) else np.empty(0)
