"""What a client tells of the numbers in given intervals: values, or slices of the number line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.demands import demand_columns, demand_counts
from fedps.statistics.order.tables import BinLists, Bins, Tallies, Tally, demand_lists
from fedps.statistics.ragged import Ragged


class WithinSummary(Summary, frozen=True, array_like=True, tag="within"):
    """Per column: counts of cells below and in each interval, and values and counts of those in any.

    A client that may not show the values sends slices of all its cells instead: ``below`` and ``inside`` are
    0 then, ``values`` has the lower ends of slices and then the upper ones, ``counts`` the cells of each. Of
    several clients, values come first and slices after them.
    """

    width_field: ClassVar[str | None] = "counts"

    below: Ragged
    inside: Ragged
    values: Ragged
    counts: Ragged

    @property
    def _sliced(self) -> Array:
        """How many slices each column has."""
        return self.values.sizes - self.counts.sizes

    def tallies(self) -> Tallies:
        """Return the values and counts of each column."""
        if not self._sliced.any():
            return Tallies(self.values, self.counts)
        shown = self.counts.sizes - self._sliced
        lists = (self.values, self.counts)
        return Tallies(*(each.where(each.within() < each.spread(shown)) for each in lists))

    def slices(self) -> BinLists:
        """Return the slices of each column, from clients that show no values."""
        if not self._sliced.any():
            return BinLists.none(len(self.values))
        shown = self.counts.sizes - self._sliced
        place = self.values.within() - self.values.spread(shown)
        is_upper = place >= self.values.spread(self._sliced)
        counted = self.counts.within() >= self.counts.spread(shown)
        lower, upper = self.values.where((place >= 0) & ~is_upper), self.values.where(is_upper)
        return BinLists(lower, upper, self.counts.where(counted))

    def check(self, width: int, rows: int) -> None:
        """Check types, signs, order and that the counts agree."""
        demand_columns(self, width, "below", "inside", "values", "counts")
        demand_lists(self.below, "below", "int64")
        demand_counts(self.below.flat, "below", (None,), rows)
        demand_lists(self.inside, "inside", "int64", self.below)
        demand_counts(self.inside.flat, "inside", (None,), rows)
        demand_lists(self.values, "values", "float64")
        demand_lists(self.counts, "counts", "int64")
        demand((self.counts.flat > 0).all(), "counts", "must be positive")
        sliced = (self.counts.sizes > 0) & (self.values.sizes == 2 * self.counts.sizes)
        odd = ~sliced & (self.values.sizes != self.counts.sizes)
        for j in np.flatnonzero(odd)[:1].tolist():
            demand_array(self.counts[j], "counts", "int64", self.values[j].shape)
        _check_slices(self.slices())
        values = self.tallies().values
        demand(np.isfinite(values.flat).all(), "values", "must be finite")
        demand(values.rises(strictly=True), "values", "must be sorted and distinct")
        shown, inside = self.counts.totals(), self.inside.totals()
        beside = sliced & ((inside != 0) | (self.below.totals() != 0))
        demand(not beside.any(), "inside", "has counts beside slices")
        for j in np.flatnonzero(sliced & (shown > rows))[:1].tolist():
            demand(False, "counts", f"adds up to {shown[j]} cells for {rows} rows")
        for j in np.flatnonzero(~sliced & (shown != inside))[:1].tolist():
            demand(False, "counts", f"adds up to {shown[j]} cells, not {inside[j]}")

    def told(self, width: int) -> Array:
        """Return how many slices are shown, or counts at the ends of intervals."""
        return np.where(self._sliced > 0, self._sliced, 2 * self.below.sizes)

    def retained(self) -> Array:
        """Return how many values are shown."""
        return self.tallies().values.sizes

    def support(self) -> Array:
        """Return nothing to check: ``Spread`` asked for the number of cells before."""
        return NOTHING_TO_CHECK


@dataclass(frozen=True)
class Inside:
    """One column: cells below and in each interval, and the values in any, of clients that show these.

    ``slices`` are all cells of the other clients.
    """

    below: Array
    inside: Array
    tally: Tally
    slices: Bins


def ends_of(intervals: Sequence[Array]) -> tuple[Ragged, Ragged]:
    """Return lower and upper ends of the intervals of each column; refuse what are not intervals."""
    pairs = all(each.ndim == 2 and len(each) == 2 and each.dtype == "float64" for each in intervals)
    if not pairs:
        raise BadCells("width")
    ends = np.concatenate([np.empty((2, 0)), *intervals], axis=1)
    sizes = np.array([each.shape[-1] for each in intervals], dtype=np.int64)
    if not alternating(*(Ragged.cut(each, sizes) for each in ends)).rises(strictly=False):
        raise BadCells("width")
    return Ragged.cut(ends[0], sizes), Ragged.cut(ends[1], sizes)


def alternating(lower: Ragged, upper: Ragged) -> Ragged:
    """Return the ends of each column's intervals in their order: lower, upper, lower and so on."""
    return Ragged.cut(np.stack([lower.flat, upper.flat], axis=1).ravel(), 2 * lower.sizes)


def packed(tables: Tallies, slices: BinLists) -> tuple[Ragged, Ragged]:
    """Return values and slices of each column as two arrays."""
    if not slices.size:
        return tables.values, tables.counts
    values = tables.values.beside(slices.lower, slices.upper)
    return values, tables.counts.beside(slices.counts)


def _check_slices(slices: BinLists) -> None:
    demand(not np.isnan(slices.upper.flat).any(), "values", "must be numbers")
    demand(slices.upper.rises(strictly=False), "values", "must be sorted")
    demand((slices.lower.flat < slices.upper.flat).all(), "values", "must be ends of slices")
