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
    Ragged,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.demands import demand_columns, demand_counts, exact_total
from fedps.statistics.order.bins import Bins, Tally


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

    def tallies(self) -> list[Tally]:
        """Return the values and counts of each column."""
        pairs = zip(self.values, self.counts, strict=True)
        return [Tally(v[: 2 * c.size - v.size], c[: 2 * c.size - v.size]) for v, c in pairs]

    def slices(self) -> list[Bins]:
        """Return the slices of each column, from clients that show no values."""
        pairs = zip(self.values, self.counts, strict=True)
        return [_slices(v[2 * c.size - v.size :], c[2 * c.size - v.size :]) for v, c in pairs]

    def check(self, width: int, rows: int) -> None:
        """Check types, signs, order and that the counts agree."""
        demand_columns(self, width, "below", "inside", "values", "counts")
        for j in range(width):
            below, inside = self.below[j], self.inside[j]
            values, counts = self.values[j], self.counts[j]
            demand_counts(below, "below", (None,), rows)
            demand_counts(inside, "inside", (None,), rows)
            demand_array(inside, "inside", "int64", below.shape)
            demand_array(values, "values", "float64", (None,))
            demand_array(counts, "counts", "int64", (None,))
            demand((counts > 0).all(), "counts", "must be positive")
            shown, total = exact_total(counts), exact_total(inside)
            if counts.size and values.size == 2 * counts.size:
                _check_slices(_slices(values, counts))
                demand(total == 0 == exact_total(below), "inside", "has counts beside slices")
                demand(shown <= rows, "counts", f"adds up to {shown} cells for {rows} rows")
                continue
            demand_array(counts, "counts", "int64", values.shape)
            demand(np.isfinite(values).all(), "values", "must be finite")
            demand((values[1:] > values[:-1]).all(), "values", "must be sorted and distinct")
            demand(shown == total, "counts", f"adds up to {shown} cells, not {total}")

    def told(self, width: int) -> Array:
        """Return how many slices are shown, or counts at the ends of intervals."""
        pairs = zip(self.slices(), self.below, strict=True)
        return np.array([s.counts.size or 2 * b.size for s, b in pairs], dtype=np.int64)

    def retained(self) -> Array:
        """Return how many values are shown."""
        return np.array([tally.values.size for tally in self.tallies()], dtype=np.int64)

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


def ordered(intervals: Array) -> Array:
    """Return intervals from a server, or refuse what are not intervals."""
    edges = intervals.T.ravel()
    good = intervals.ndim == 2 and len(intervals) == 2 and intervals.dtype == "float64"
    if not good or not (edges[1:] >= edges[:-1]).all():
        raise BadCells("width")
    return intervals


def _slices(ends: Array, counts: Array) -> Bins:
    return Bins(ends[: counts.size], ends[counts.size :], counts)


def packed(tallies: Sequence[Tally], slices: Sequence[Bins]) -> tuple[Ragged, Ragged]:
    """Return values and slices of each column as two arrays."""
    pairs = list(zip(tallies, slices, strict=True))
    return (
        Ragged(np.concatenate([t.values, s.lower, s.upper]) for t, s in pairs),
        Ragged(np.concatenate([t.counts, s.counts]) for t, s in pairs),
    )


def _check_slices(slices: Bins) -> None:
    demand(not np.isnan(slices.upper).any(), "values", "must be numbers")
    demand((slices.upper[1:] >= slices.upper[:-1]).all(), "values", "must be sorted")
    demand((slices.lower < slices.upper).all(), "values", "must be ends of slices")
