"""Farthest: the numbers of each column that are farthest from their nearest centre."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.clusters.assign_values import nearest_to_values
from fedps.statistics.clusters.value_clusters import checked_centres, checked_finite, less_mean
from fedps.statistics.demands import demand_columns, exact_total
from fedps.statistics.limits import Disclosure


class FarthestSummary(Summary, frozen=True, array_like=True, tag="farthest"):
    """Distinct numbers per column, the farthest first, and how many cells have each."""

    width_field: ClassVar[str | None] = "values"

    counts: tuple[Array, ...]
    values: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check types, signs and that no column has more cells than there are rows."""
        demand_columns(self, width, "values", "counts")
        for values, counts in zip(self.values, self.counts, strict=True):
            demand_array(values, "values", "float64", (None,))
            demand_array(counts, "counts", "int64", values.shape)
            demand(np.isfinite(values).all(), "values", "must be finite")
            demand(np.unique(values).size == values.size, "values", "must be distinct")
            demand((counts > 0).all(), "counts", "must be positive")
            cells = exact_total(counts)
            demand(cells <= rows, "counts", f"adds up to {cells} cells for {rows} rows")

    def support(self) -> Array:
        """Return nothing to check here: the client counts its cells, of which few are shown."""
        return NOTHING_TO_CHECK


class Farthest(
    Statistic[FarthestSummary, list[Array]], frozen=True, array_like=True, tag="farthest"
):
    """The ``wanted`` cells of each column that are farthest from the centre nearest to them.

    Centres and ``mean`` are as in :class:`~fedps.statistics.clusters.value_clusters.Clusters`. k-means
    moves a centre to which no cell is nearest to such a cell. Level SUMMARY: shows the values of these
    cells and how often they occur, and also those as far as the last of them. Costs two numbers per
    value.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    summary: ClassVar[type[Summary]] = FarthestSummary

    centres: Array
    mean: float
    wanted: Annotated[int, Meta(ge=1, le=2**31)]

    @property
    def tells_cells(self) -> bool:
        """Not here: only a few cells are in the summary."""
        return False

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "the few values farthest from their cluster's centre"

    def empty(self, width: int) -> FarthestSummary:
        """Return no numbers."""
        checked_centres(self.centres, self.mean)
        return FarthestSummary((np.empty(0, dtype=np.int64),) * width, (np.empty(0),) * width)

    def update(self, summary: FarthestSummary, block: Block) -> FarthestSummary:
        """Fold in a block of rows."""
        found = [self._of(checked_finite(block.column(j), j), None) for j in range(block.width)]
        return self.merge(summary, _summary(found))

    def merge(self, left: FarthestSummary, right: FarthestSummary) -> FarthestSummary:
        """Return the farthest of both."""
        found = [
            self._of(*map(np.concatenate, zip(one, other, strict=True)))
            for one, other in zip(_columns(left), _columns(right), strict=True)
        ]
        return _summary(found)

    def result(self, summary: FarthestSummary) -> list[Array]:
        """Return the cells of each column, the farthest first."""
        return [_cells(values, counts, self.wanted) for values, counts in _columns(summary)]

    def _of(self, values: Array, counts: Array | None) -> tuple[Array, Array]:
        return _farthest(values, counts, self.centres, self.mean, self.wanted)


def farthest_cells(values: Array, counts: Array, centres: Array, mean: float, wanted: int) -> Array:
    """Return the cells farthest from their nearest centre, from a table of values and counts.

    Of equally distant values the more frequent comes first, then the larger: an order that does not
    depend on how rows are distributed over clients.

    >>> values, counts = np.array([0.0, 1.0, 5.0]), np.array([9, 9, 2])
    >>> farthest_cells(values, counts, np.array([0.0, 3.0]), 0.0, 3)
    array([5., 5., 1.])
    """
    return _cells(*_farthest(values, counts, centres, mean, wanted), wanted)


def _farthest(
    values: Array, counts: Array | None, centres: Array, mean: float, wanted: int
) -> tuple[Array, Array]:
    """Return the distinct values with fewer than ``wanted`` cells farther away, and their counts."""
    away = _away(values, centres, mean)
    if values.size > wanted:  # each value is at least one cell
        enough = away >= np.partition(away, -wanted)[-wanted]
        values = values[enough]
        counts = None if counts is None else counts[enough]
    # adding 0.0 turns -0.0 into 0.0: which of the two stays must not depend on the order
    values, place, cells = np.unique(
        np.asarray(values, dtype=np.float64) + 0.0, return_inverse=True, return_counts=True
    )
    if counts is not None:
        cells = np.zeros(values.size, dtype=np.int64)
        np.add.at(cells, place, counts)
    away = _away(values, centres, mean)
    order = np.lexsort((values, cells, away))[::-1]
    values, cells, away = values[order], cells[order], away[order]
    out = np.append(0, cells.cumsum())[np.searchsorted(-away, -away)]  # cells farther away
    return values[out < wanted], cells[out < wanted]


def _away(values: Array, centres: Array, mean: float) -> Array:
    """Return the squared distance to the nearest centre."""
    numbers = less_mean(values, mean, centres)
    with np.errstate(over="ignore"):  # a distance too large to square is infinite: the farthest
        return np.asarray((numbers - centres[nearest_to_values(numbers, centres)]) ** 2)


def _cells(values: Array, counts: Array, wanted: int) -> Array:
    return np.repeat(values, np.minimum(counts, wanted))[:wanted]


def _columns(summary: FarthestSummary) -> list[tuple[Array, Array]]:
    return list(zip(summary.values, summary.counts, strict=True))


def _summary(columns: list[tuple[Array, Array]]) -> FarthestSummary:
    return FarthestSummary(tuple(c for _, c in columns), tuple(v for v, _ in columns))
