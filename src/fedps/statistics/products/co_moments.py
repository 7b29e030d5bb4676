"""CoMoments: the products of any two columns over the rows that have both, for correlations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from msgspec import structs

from fedps.statistics.base import Array, Block, Statistic, Summary, parts_of_all, refuse_columns
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.products.co_moments_summary import (
    LARGEST_PIVOT,
    LARGEST_SQUARE,
    CoMomentsSummary,
    CoPart,
)
from fedps.statistics.products.correlations import Correlations, correlations_of
from fedps.statistics.products.few_common_rows import within_limits
from fedps.statistics.products.pair_moments import (
    PairMoments,
    of_complete,
    of_rows_with_gaps,
    together,
)
from fedps.statistics.products.triangular_factors import ROWS_AT_ONCE


class CoMoments(
    Statistic[CoMomentsSummary, Correlations], frozen=True, array_like=True, tag="co_moments"
):
    """Mean, variance and products of any two columns, over the rows that have both; for correlations.

    Missing cells are NaN. Where a client has some, it sends counts, sums, squares and products for each pair
    of columns, and beside them those of its complete rows, for variance inflation factors.

    Level AGGREGATE: shows sums over all rows that have two columns. Sums over few rows show these rows: a
    client leaves out a pair that fewer than its policy's ``min_rows`` have, or that all but so few rows of one
    of the columns have, since these few would follow from the column's own sums; and, if ``max_share`` of the
    rows is less than the number of columns, all products. Costs half the square of the number of columns, and
    four times that square where cells are missing.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    multiplies: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = CoMomentsSummary

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "count, sum, sum of squares, and sum of its products with each column"

    def empty(self, width: int) -> CoMomentsSummary:
        """Return no parts."""
        zeros = np.zeros(width, dtype=np.int64)
        return CoMomentsSummary(zeros, np.empty((0, width), dtype=np.int64), [])

    def update(self, summary: CoMomentsSummary, block: Block) -> CoMomentsSummary:
        """Fold in a block of rows."""
        width, present = block.width, summary.cells
        complete, pairs = _of_parts(summary)
        for cells in _batches(block.numbers()):
            _refuse(cells)
            gaps = np.isnan(cells)
            present = present + (len(cells) - gaps.sum(axis=0))
            some = every = of_complete(cells[~gaps.any(axis=1)] if gaps.any() else cells)
            if gaps.any():
                every = together([some, of_rows_with_gaps(cells[gaps.any(axis=1)])], width)
            # while no row has a gap, both are one and the same
            same = pairs is complete and some is every
            before, complete = pairs, together([complete, some], width)
            pairs = complete if same else together([before, every], width)
        if block.rows == 0:
            return summary
        refuse_columns(~(np.diagonal(pairs.wide().square) <= LARGEST_SQUARE), "range")
        part = CoPart.of(complete, None if pairs is complete else pairs)
        return CoMomentsSummary(present, np.arange(width)[None, :], [part])

    def merge(self, left: CoMomentsSummary, right: CoMomentsSummary) -> CoMomentsSummary:
        """Keep the parts of both: the result puts them together."""
        both = parts_of_all(left, right)
        return structs.replace(both, cells=left.cells + right.cells)

    def compact(self, summary: CoMomentsSummary, limits: Limits = OPEN) -> CoMomentsSummary:
        """Return the summary without pairs of which a policy allows no sums."""
        parts = [within_limits(part, summary.cells, limits) for part in summary.parts]
        return CoMomentsSummary(summary.cells, summary.place, parts)

    def result(self, summary: CoMomentsSummary) -> Correlations:
        """Return correlations and variance inflation factors of all rows."""
        complete, pairs = _of_parts(summary)
        return correlations_of(pairs, complete)


def _of_parts(summary: CoMomentsSummary) -> tuple[PairMoments, PairMoments]:
    """Return the moments of complete rows, and of pairs: the same object if no row has a gap."""
    width = len(summary.cells)
    parts = summary.in_place()
    complete = together([part.complete() for part in parts], width)
    if not any(part.gaps for part in parts):
        return complete, complete
    return complete, together([part.pairs() for part in parts], width)


def _batches(cells: Any) -> Iterator[Array]:
    """Yield some rows at a time, as doubles."""
    rows = cells.tocsr() if hasattr(cells, "indptr") else cells
    for start in range(0, rows.shape[0], ROWS_AT_ONCE):
        some = rows[start : start + ROWS_AT_ONCE]
        dense = some.toarray() if hasattr(some, "indptr") else some
        yield np.asarray(dense, dtype=np.float64)


def _refuse(cells: Array) -> None:
    """Refuse columns with numbers that are infinite, or too large to square."""
    largest = np.fmax(np.fmax.reduce(cells, axis=0), -np.fmin.reduce(cells, axis=0))
    refuse_columns(np.isinf(largest), "infinity")
    refuse_columns(largest > LARGEST_PIVOT, "range")
