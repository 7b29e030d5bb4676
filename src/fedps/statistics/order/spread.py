"""Spread: how the numbers of each column are distributed, as a table where that is small.

Why tables first, and bins where these are too large: docs/decisions/005-exact-quantiles.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta, structs

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Distinct,
    Ragged,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.demands import exact_total
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.order.bins import (
    Bins,
    Tally,
    add_bins,
    add_tallies,
    below,
    binned,
    coarse,
    is_whole,
    points,
    sorted_bins,
    tallied,
    value_bytes,
)
from fedps.statistics.order.sliced_column import SlicedColumn

# A table may cost this many bytes more per column than bins, since bins need a second round; and
# WHOLE times as many for integers, which repeat: their table stops growing with the rows.
ROUND, WHOLE = 2500, 8
FEWEST_SHOWN = 3  # values: with the extremes and a bin between them
# A column that is read in chunks and has more than MOST_HELD distinct values is held in HELD bins, so
# that memory does not grow with the rows.
MOST_HELD, HELD = 1 << 21, 1 << 17

_NAN = float("nan")


class SpreadSummary(Summary, frozen=True, array_like=True, tag="spread"):
    """Per column: a table of values and counts, bins for the other cells, and the missing cells.

    ``upper`` and ``inside`` are empty if no column has bins; ``lower`` also if each bin begins at the
    previous end or value. Bins beside values have ends that depend on cells; bins alone are slices, whose
    ends do not. ``narrow`` says whether the cells were 32-bit floats.
    """

    width_field: ClassVar[str | None] = "nan"
    told_fields: ClassVar[tuple[str, ...]] = ("inside",)

    values: Ragged
    counts: Ragged
    lower: Ragged
    upper: Ragged
    inside: Ragged
    narrow: Array
    nan: Array

    def tallies(self) -> list[Tally]:
        """Return the table of each column."""
        return list(map(Tally, self.values, self.counts))

    def bins(self) -> list[Bins]:
        """Return the bins of each column."""
        if not self.upper:
            return [Bins()] * len(self.values)
        lower = self.lower or map(below, self.tallies(), self.upper)
        return list(map(Bins, lower, self.upper, self.inside))

    def check(self, width: int, rows: int) -> None:
        """Check types, order and that no column has more cells than the table has rows."""
        bins = width if len(self.upper) else 0
        wanted = {"values": width, "counts": width, "upper": bins, "inside": bins}
        for field, columns in {**wanted, "lower": bins if len(self.lower) else 0}.items():
            found = len(getattr(self, field))
            demand(found == columns, field, f"has {found} columns, not {columns}")
        demand_array(self.narrow, "narrow", "bool", (width,))
        demand_array(self.nan, "nan", "int64", (width,))
        demand((self.nan >= 0).all(), "nan", "must not be negative")
        for tally in self.tallies():
            _check_tally(tally)
        for upper in self.upper:
            demand_array(upper, "upper", "float64", (None,))
            demand(not np.isnan(upper).any(), "upper", "must be a number")
        for tally, column, nan in zip(self.tallies(), self.bins(), self.nan.tolist(), strict=True):
            _check_bins(column)
            cells = exact_total(tally.counts) + exact_total(column.counts) + nan
            demand(cells <= rows, "counts", f"adds up to {cells} cells for {rows} rows")

    def support(self) -> Array:
        """Return how many cells are not missing."""
        columns = zip(self.counts, self.bins(), strict=True)
        return np.array([c.sum() + b.counts.sum() for c, b in columns], dtype=np.int64)

    def retained(self) -> Array:
        """Return how many values are shown, and ends of bins that depend on them."""
        columns = zip(self.values, self.bins(), strict=True)
        return np.array([_shown_values(v, b) for v, b in columns], dtype=np.int64)


@dataclass(frozen=True)
class Marginal:
    """One column of all clients: a table of values and counts, and bins unless ``exact``."""

    tally: Tally
    bins: Bins
    nan: int
    narrow: bool

    @property
    def exact(self) -> bool:
        """Whether all values and their counts are known."""
        return self.bins.upper.size == 0

    @property
    def values(self) -> Array:
        """The sorted distinct values: all of them if ``exact``."""
        return self.tally.values

    @property
    def counts(self) -> Array:
        """How many cells have each of the values."""
        return self.tally.counts

    @property
    def count(self) -> int:
        """The number of cells that are not missing."""
        return int(self.counts.sum() + self.bins.counts.sum())

    @property
    def minimum(self) -> float:
        """The smallest value; NaN if there is none, and -inf if a client does not show it."""
        return self._end(np.min, np.append(self.values, self.bins.lower))

    @property
    def maximum(self) -> float:
        """The largest value; NaN if there is none, and inf if a client does not show it."""
        return self._end(np.max, np.append(self.values, self.bins.upper))

    def _end(self, end: Any, values: Array) -> float:
        if not values.size:
            return _NAN
        if self.values.size and not np.isinf(values).any():
            values = self.values  # bins may reach beyond their cells; extremes are always values
        return float(end(values))


class Spread(Statistic[SpreadSummary, list[Marginal]], frozen=True, array_like=True, tag="spread"):
    """The distinct values of each column and their counts, or bins with equal shares of its cells.

    ``targets`` is the number of order statistics that will be needed: it decides how many bins are
    best. A table may cost ``price`` bytes more than bins and a second round to look into them. With
    ``targets=0`` the bins show only the smallest and the largest value. ``marker`` is scikit-learn's
    ``missing_values`` (None: missing cells are an error); ``stored`` leaves out the implied zeros of a
    sparse table.

    Level SUMMARY: shows values and counts, or as many as the policy allows; a client at level AGGREGATE
    sends counts in slices of ``min_rows`` cells at least. Costs up to some ``price`` bytes per column beyond
    about sqrt(2 targets n) bins.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    summary: ClassVar[type[Summary]] = SpreadSummary
    adds_up: ClassVar[bool] = False
    by_value: ClassVar[bool] = True

    targets: Annotated[int, Meta(ge=0, le=2**31)] = 0
    price: Annotated[int, Meta(ge=0, le=2**31)] = ROUND
    marker: float | None = _NAN
    stored: bool = False

    @property
    def least(self) -> Disclosure:
        """A client that shows no values can still count cells in slices."""
        return Disclosure.AGGREGATE

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "distinct values and counts, or bins"

    def empty(self, width: int) -> SpreadSummary:
        """Return empty tables."""
        zero = np.zeros(width, dtype=np.int64)
        return _summary([Tally()] * width, [Bins()] * width, np.ones(width, dtype=bool), zero)

    def update(self, summary: SpreadSummary, block: Block) -> SpreadSummary:
        """Fold in a block of rows."""
        tallies, nan = [], []
        for j in range(block.width):
            tally, missing = self._tally(block.tally(j, stored=self.stored), j)
            tallies.append(tally)
            nan.append(missing)
        narrow = np.full(block.width, block.narrow())
        tallies = list(map(add_tallies, summary.tallies(), tallies))
        gaps = summary.nan + np.array(nan, dtype=np.int64)
        return _held(_summary(tallies, summary.bins(), summary.narrow & narrow, gaps))

    def _tally(self, found: Distinct, position: int) -> tuple[Tally, int]:
        """Return the table of one column's cells that are not missing, and how many are."""
        values, counts = np.asarray(found.values, dtype=np.float64), found.counts
        assert counts is not None
        if values.size and not np.isfinite(values[[0, -1]]).all():
            raise BadCells("infinity", position)
        if found.nan and (self.marker is None or self.marker == self.marker):
            raise BadCells("missing", position)
        zero = np.searchsorted(values, 0.0)
        if zero < values.size and values[zero] == 0.0:
            # adding 0.0 turns -0.0 into 0.0: which of the two stays must not depend on the order
            values = values + 0.0
        gone = np.searchsorted(values, self.marker) if self.marker is not None else values.size
        if gone == values.size or values[gone] != self.marker:
            return Tally(values, counts), found.nan
        return Tally(np.delete(values, gone), np.delete(counts, gone)), found.nan + int(
            counts[gone]
        )

    def merge(self, left: SpreadSummary, right: SpreadSummary) -> SpreadSummary:
        """Put both together; the result adds up all of them at once, which is faster than in pairs."""
        tallies = [
            Tally(*map(np.concatenate, zip(*pair, strict=True)))
            for pair in zip(left.tallies(), right.tallies(), strict=True)
        ]
        bins = [
            Bins(*map(np.concatenate, zip(*pair, strict=True)))
            for pair in zip(left.bins(), right.bins(), strict=True)
        ]
        return _summary(tallies, bins, left.narrow & right.narrow, left.nan + right.nan)

    def compact(self, summary: SpreadSummary, limits: Limits = OPEN) -> SpreadSummary:
        """Return tables where they are small and the policy allows them, bins or slices elsewhere."""
        columns = zip(summary.tallies(), summary.bins(), strict=True)
        parts = [self._small(*column, limits, j) for j, column in enumerate(columns)]
        tallies, bins = zip(*parts, strict=True) if parts else ((), ())
        return _without_lower(_summary(tallies, bins, summary.narrow, summary.nan))

    def _small(self, tally: Tally, bins: Bins, limits: Limits, position: int) -> tuple[Tally, Bins]:
        cells = int(tally.counts.sum() + bins.counts.sum())
        if cells == 0:
            return tally, bins
        # b bins cost b now, and about targets * cells / b values in the second round: the best b
        # grows with the square root
        wanted = int(np.ceil(np.sqrt(2.0 * self.targets * cells))) or 1
        most = limits.most_values(position, cells)
        shows_some = limits.level >= Disclosure.SUMMARY and most >= min(FEWEST_SHOWN, cells)
        size = value_bytes(tally.values) + float((tally.counts > 1).mean())
        bought = self.price * (WHOLE if is_whole(tally.values) else 1)
        price = bought + (wanted + self.targets * cells / wanted) * size
        is_cheap = bins.upper.size == 0 and tally.values.size * size <= price
        if limits.level >= Disclosure.SUMMARY and is_cheap and tally.values.size <= most:
            return tally, bins
        if not shows_some:
            return Tally(), SlicedColumn(tally, bins, limits, position, self.stored).cut(wanted)
        if is_cheap or wanted > most:
            limits.show_less(position, "max_share", "bins instead of values")
        numbers = max(limits.most_numbers(position) // 2, 1)  # the other half is for a second round
        if wanted > numbers:
            limits.show_less(position, "budget", f"{numbers} bins")
        return _few_bins(tally, bins, min(wanted, numbers), most)

    def result(self, summary: SpreadSummary) -> list[Marginal]:
        """Return what is known of each column."""
        missing = zip(summary.nan.tolist(), summary.narrow.tolist(), strict=True)
        columns = zip(summary.tallies(), summary.bins(), missing, strict=True)
        return [marginal_of(tally, bins, nan, narrow) for tally, bins, (nan, narrow) in columns]


def _summary(
    tallies: Sequence[Tally], bins: Sequence[Bins], narrow: Array, nan: Array | list[int]
) -> SpreadSummary:
    some = bins if any(column.upper.size for column in bins) else ()
    return SpreadSummary(
        Ragged(t.values for t in tallies),
        Ragged(t.counts for t in tallies),
        Ragged(b.lower for b in some),
        Ragged(b.upper for b in some),
        Ragged(b.counts for b in some),
        narrow,
        np.asarray(nan, dtype=np.int64),
    )


def marginal_of(tally: Tally, bins: Bins, nan: int = 0, narrow: bool = False) -> Marginal:
    """Return what tables and bins of all clients tell of a column."""
    single, others = points(bins)
    both = Tally(*map(np.concatenate, zip(tally, single, strict=True)))
    return Marginal(tallied(*both), sorted_bins(*others), nan, narrow)


def _few_bins(tally: Tally, bins: Bins, wanted: int, most: int) -> tuple[Tally, Bins]:
    """Return about as many bins as are wanted, which show at most so many values."""
    wanted = max(min(wanted, most), 1)
    while True:
        kept, more = binned(tally, wanted)
        more = add_bins(coarse(bins, wanted), more)
        above = _shown_values(kept.values, more) - most
        if above <= 0 or wanted == 1:
            return kept, more
        wanted = max(wanted - above, 1)


def _shown_values(values: Array, bins: Bins) -> int:
    return values.size + bins.upper.size if values.size else 0


def _without_lower(summary: SpreadSummary) -> SpreadSummary:
    """Return a summary without the lower ends of its bins if these follow from the upper ones."""
    columns = zip(summary.tallies(), summary.upper, summary.lower, strict=False)
    if all(np.array_equal(below(tally, upper), lower) for tally, upper, lower in columns):
        return structs.replace(summary, lower=Ragged())
    return summary


def _held(summary: SpreadSummary) -> SpreadSummary:
    """Return a summary of bounded size, however many rows were read."""
    if all(values.size <= MOST_HELD for values in summary.values):
        return summary
    tallies, bins = summary.tallies(), summary.bins()
    for j, tally in enumerate(tallies):
        if tally.values.size > MOST_HELD:
            tallies[j], more = binned(tally, HELD)
            bins[j] = add_bins(bins[j], more)
    return _summary(tallies, bins, summary.narrow, summary.nan)


def _check_tally(tally: Tally) -> None:
    values, counts = tally
    demand_array(values, "values", "float64", (None,))
    demand(np.isfinite(values).all(), "values", "must be finite")
    demand((values[1:] > values[:-1]).all(), "values", "must be sorted and distinct")
    demand_array(counts, "counts", "int64", values.shape)
    demand((counts > 0).all(), "counts", "must be positive")


def _check_bins(bins: Bins) -> None:
    lower, upper, counts = bins
    demand_array(upper, "upper", "float64", (None,))
    demand_array(lower, "lower", "float64", upper.shape)
    demand_array(counts, "inside", "int64", upper.shape)
    demand((counts > 0).all(), "inside", "must be positive")
    demand((upper[1:] >= upper[:-1]).all(), "upper", "must be sorted")
    demand((lower < upper).all(), "lower", "must be below upper")
