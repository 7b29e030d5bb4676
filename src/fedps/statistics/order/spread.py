"""Spread: how the numbers of each column are distributed, as a table where that is small.

Why tables first, and bins where these are too large: docs/decisions/005-exact-quantiles.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta, structs

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    DistinctLists,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.order.bins import are_whole, below, binned, value_bytes
from fedps.statistics.order.sliced_column import SlicedColumn
from fedps.statistics.order.tables import (
    BinLists,
    Bins,
    Tallies,
    Tally,
    add_bins,
    add_tallies,
    coarse,
    demand_lists,
    points,
    sorted_bins,
    tallied,
)
from fedps.statistics.ragged import Ragged, slices_of

# A table may cost this many bytes more per column than bins, since bins need a second round; and
# WHOLE times as many for integers, which repeat: their table stops growing with the rows.
ROUND, WHOLE = 2500, 8
_MOST_BYTES = 9  # of a value below 2**53 and its count
FEWEST_SHOWN = 3  # values: with the extremes and a bin between them
# A column that is read in chunks and has more than MOST_HELD distinct values is held in HELD bins, so
# that memory does not grow with the rows.
MOST_HELD, HELD = 1 << 21, 1 << 17
_TOGETHER = 1 << 13  # values and bins of a client that are put in order together
FEW_TARGETS = (
    32  # intervals, up to which the cells in them are found faster than all cells are sorted
)

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

    def tallies(self) -> Tallies:
        """Return the tables of all columns."""
        return Tallies(self.values, self.counts)

    def bins(self) -> BinLists:
        """Return the bins of all columns."""
        if not self.upper:
            return BinLists.none(len(self.values))
        lower = self.lower or below(self.tallies(), self.upper)
        return BinLists(lower, self.upper, self.inside)

    def at(self, columns: slice) -> SpreadSummary:
        """Return neighbouring columns."""
        if columns == slice(0, len(self.nan)):
            return self
        lower, upper, inside = (
            each.at(columns) if each else each for each in (self.lower, self.upper, self.inside)
        )
        tables, facts = self.tallies().at(columns), (self.narrow[columns], self.nan[columns])
        return SpreadSummary(tables.values, tables.counts, lower, upper, inside, *facts)

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
        demand_lists(self.values, "values", "float64")
        demand(np.isfinite(self.values.flat).all(), "values", "must be finite")
        demand(self.values.rises(strictly=True), "values", "must be sorted and distinct")
        demand_lists(self.counts, "counts", "int64", self.values)
        demand((self.counts.flat > 0).all(), "counts", "must be positive")
        demand_lists(self.upper, "upper", "float64")
        demand(not np.isnan(self.upper.flat).any(), "upper", "must be a number")
        if bins:
            self._check_bins()
        cells = self.counts.totals() + self.nan
        if bins:
            cells = cells + self.inside.totals()
        most = max(cells.tolist(), default=0)
        demand(most <= rows, "counts", f"adds up to {most} cells for {rows} rows")

    def _check_bins(self) -> None:
        if len(self.lower):
            demand_lists(self.lower, "lower", "float64", self.upper)
        demand_lists(self.inside, "inside", "int64", self.upper)
        demand((self.inside.flat > 0).all(), "inside", "must be positive")
        demand(self.upper.rises(strictly=False), "upper", "must be sorted")
        demand((self.bins().lower.flat < self.upper.flat).all(), "lower", "must be below upper")

    def support(self) -> Array:
        """Return how many cells are not missing."""
        cells = self.counts.reduce(np.add)
        return cells + self.inside.reduce(np.add) if self.inside else cells

    def retained(self) -> Array:
        """Return how many values are shown, and ends of bins that depend on them."""
        return _shown_values(self.values, self.bins())


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
    in_pieces: ClassVar[bool] = True

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
        none = np.zeros(width, dtype=np.int64)
        return _summary(Tallies.none(width), BinLists.none(width), none == 0, none)

    def update(self, summary: SpreadSummary, block: Block) -> SpreadSummary:
        """Fold in a block of rows."""
        found = block.tables(stored=self.stored, again=self.targets > FEW_TARGETS)
        tables, gaps = unmarked_tables(found, self.marker)
        narrow = summary.narrow & block.narrow()
        tables = add_tallies(summary.tallies(), tables)
        return _held(_summary(tables, summary.bins(), narrow, summary.nan + gaps))

    def merge(self, left: SpreadSummary, right: SpreadSummary) -> SpreadSummary:
        """Return the summary of both."""
        return self.merge_all([left, right])

    def merge_all(self, summaries: Sequence[SpreadSummary]) -> SpreadSummary:
        """Return the summary of all, put in order once; not all columns at once, to spare memory."""
        tables: list[Tallies] = []
        bins: list[BinLists] = []
        each = [lists.sizes for one in summaries for lists in (one.counts, one.inside) if lists]
        every = np.add.reduce(each) if each else summaries[0].nan
        for columns in slices_of(every, _TOGETHER * len(summaries)):
            some = [one.at(columns) for one in summaries]
            inside = [one.bins() for one in some if one.upper] or [some[0].bins()]
            found = known(
                Tallies.beside(*(one.tallies() for one in some)), BinLists.beside(*inside)
            )
            tables.append(found[0])
            bins.append(found[1])
        narrow = np.logical_and.reduce([one.narrow for one in summaries])
        nan = np.sum([one.nan for one in summaries], axis=0)
        return _summary(Tallies.end_to_end(tables), BinLists.end_to_end(bins), narrow, nan)

    def compact(self, summary: SpreadSummary, limits: Limits = OPEN) -> SpreadSummary:
        """Return tables where they are small and the policy allows them, bins or slices elsewhere."""
        tables, bins, cells = summary.tallies(), summary.bins(), summary.support()
        # b bins cost b now, and about targets * cells / b values in the second round: the best b
        # grows with the square root
        wanted = np.maximum(np.ceil(np.sqrt(2.0 * self.targets * cells)).astype(np.int64), 1)
        is_cheap = self._is_cheap(tables, cells, wanted) & (bins.upper.sizes == 0)
        shows = limits.level >= Disclosure.SUMMARY
        most = np.array([limits.most_values(j, n) for j, n in enumerate(cells.tolist())], np.int64)
        kept = (cells == 0) | (is_cheap & (tables.values.sizes <= most) & shows)
        if kept.all():
            return summary
        sliced = ~kept & ~(shows & (most >= np.minimum(FEWEST_SHOWN, cells)))
        # the other half is for a second round
        numbers = [max(limits.most_numbers(j) // 2, 1) for j in range(cells.size)]
        fewer = np.minimum(wanted, np.array(numbers, dtype=np.int64))
        slices: dict[int, Bins] = {}
        less = ~kept & (sliced | is_cheap | (wanted > np.minimum(most, fewer)))
        for j in np.flatnonzero(less).tolist():
            if sliced[j]:
                column = SlicedColumn(tables[j], bins[j], limits, j, self.stored)
                slices[j] = column.cut(int(wanted[j]))
                continue
            if is_cheap[j] or wanted[j] > most[j]:
                limits.show_less(j, "max_share", "bins instead of values")
            if wanted[j] > fewer[j]:
                limits.show_less(j, "budget", f"{numbers[j]} bins")
        fine = np.where(kept, cells, np.where(sliced, 1, fewer))
        few = _few_bins(tables, bins, fine, np.where(kept | sliced, cells, most))
        return _without_lower(_summary(*_with_slices(*few, slices), summary.narrow, summary.nan))

    def _is_cheap(self, tables: Tallies, cells: Array, wanted: Array) -> Array:
        """Return for which columns the whole table costs no more than bins and a second round."""
        sizes, largest = tables.values.sizes, np.abs(tables.values.flat).max(initial=0)
        if sizes.max(initial=0) * _MOST_BYTES <= self.price and largest < 2**53:
            return sizes >= 0  # whatever its values are
        whole = are_whole(tables.values)
        repeats = tables.counts.of((tables.counts.flat > 1).astype(np.int64)).reduce(np.add)
        size = value_bytes(tables.values, whole) + repeats / np.maximum(sizes, 1)
        price = self.price * np.where(whole, WHOLE, 1)
        price = price + (wanted + self.targets * cells / wanted) * size
        return np.asarray(sizes * size <= price)

    def result(self, summary: SpreadSummary) -> list[Marginal]:
        """Return what is known of each column."""
        tables, bins = known(summary.tallies(), summary.bins())
        facts = (summary.nan.tolist(), summary.narrow.tolist())
        return list(map(Marginal, tables, bins, *facts))


def _summary(tables: Tallies, bins: BinLists, narrow: Array, nan: Array) -> SpreadSummary:
    lower, upper, inside = bins.lists if bins.size else (Ragged(),) * 3
    return SpreadSummary(tables.values, tables.counts, lower, upper, inside, narrow, nan)


def known(tables: Tallies, bins: BinLists) -> tuple[Tallies, BinLists]:
    """Return what tables and bins of all clients tell of columns, in order; what is so already stays as it is."""
    single, others = points(bins)
    return tallied(tables.beside(single) if single.size else tables), sorted_bins(others)


def _few_bins(
    tables: Tallies, bins: BinLists, wanted: Array, most: Array
) -> tuple[Tallies, BinLists]:
    """Return about as many bins of each column as are wanted, which show at most so many values.

    As many bins as cells are the whole table.
    """
    wanted = np.maximum(np.minimum(wanted, most), 1)
    while True:
        kept, more = binned(tables, wanted)
        more = add_bins(coarse(bins, wanted), more)
        above = _shown_values(kept.values, more) - most
        if not ((above > 0) & (wanted > 1)).any():
            return kept, more
        wanted = np.where(above > 0, np.maximum(wanted - above, 1), wanted)


def _with_slices(
    tables: Tallies, bins: BinLists, slices: Mapping[int, Bins]
) -> tuple[Tallies, BinLists]:
    """Return tables and bins with slices in place of those of some columns."""
    if not slices:
        return tables, bins
    held = enumerate(zip(tables, bins, strict=True))
    parts = [(Tally(), slices[j]) if j in slices else column for j, column in held]
    return Tallies.of(tally for tally, _ in parts), BinLists.of(own for _, own in parts)


def _shown_values(values: Ragged, bins: BinLists) -> Array:
    return np.where(values.sizes > 0, values.sizes + bins.upper.sizes, 0)


def _without_lower(summary: SpreadSummary) -> SpreadSummary:
    """Return a summary without the lower ends of its bins if these follow from the upper ones."""
    if summary.upper and np.array_equal(
        summary.lower.flat, below(summary.tallies(), summary.upper).flat
    ):
        return structs.replace(summary, lower=Ragged())
    return summary


def _held(summary: SpreadSummary) -> SpreadSummary:
    """Return a summary of bounded size, however many rows were read."""
    large = summary.values.sizes > MOST_HELD
    if not large.any():
        return summary
    wanted = np.where(large, HELD, summary.counts.reduce(np.add))
    tables, more = binned(summary.tallies(), wanted)
    return _summary(tables, add_bins(summary.bins(), more), summary.narrow, summary.nan)


def unmarked_tables(found: DistinctLists, marker: float | None) -> tuple[Tallies, Array]:
    """Return the tables of cells that do not equal ``marker``, and how many of each column do.

    BadCells where some cannot be put in order: infinite ones, and missing ones that are not marked so.
    """
    values, counts, gaps = found
    wild = values.of(~np.isfinite(values.flat)).reduce(np.logical_or, empty=False)
    lost = (gaps > 0) & (marker is None or marker == marker)  # noqa: PLR0124 - only NaN differs from itself
    for j in np.flatnonzero(wild | lost)[:1].tolist():
        raise BadCells("infinity" if wild[j] else "missing", j)
    marked = values.flat == (np.nan if marker is None else marker)
    if not marked.any():
        return Tallies(values, counts), gaps
    gone = Tallies(values, counts).where(marked).counts
    return Tallies(values, counts).where(~marked), gaps + gone.reduce(np.add)
