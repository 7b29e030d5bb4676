"""Tables of values and counts, and bins: the two forms in which columns are summarised.

A bin says how many cells are in ``(lower, upper]``. Bins may overlap: those of several clients are
simply put together, and each stays true. Slices (``slices.py``) are bins whose ends depend on no cell.
``Tallies`` and ``BinLists`` hold those of all columns, which are worked on at once; an item is one column's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np

from fedps.statistics.base import demand_array
from fedps.statistics.ragged import Array, Ragged, paired

NO_VALUES = np.empty(0)
NO_COUNTS = np.empty(0, dtype=np.int64)


class Tally(NamedTuple):
    """Sorted distinct values of a column, and how many cells have each."""

    values: Array = NO_VALUES
    counts: Array = NO_COUNTS


class Bins(NamedTuple):
    """Bins of a column in the order of their upper ends, and how many cells each holds."""

    lower: Array = NO_VALUES
    upper: Array = NO_VALUES
    counts: Array = NO_COUNTS


_One = TypeVar("_One", Tally, Bins)


class _PerColumn(Generic[_One]):
    """One of these for each column, in lists as long as each other; ``counts`` are the last of them."""

    one: ClassVar[Any]

    def __init__(self, *lists: Ragged) -> None:
        self.lists = lists

    @classmethod
    def of(cls, columns: Iterable[_One]) -> Self:
        """Return single columns together."""
        some = list(columns)
        return cls(*(Ragged(each[i] for each in some) for i in range(len(cls.one._fields))))

    @classmethod
    def none(cls, width: int) -> Self:
        """Return columns without anything."""
        sizes = np.zeros(width, dtype=np.int64)
        return cls(*(Ragged.cut(empty, sizes) for empty in cls.one()))

    def __getitem__(self, position: int) -> _One:
        return self.one(*(each[position] for each in self.lists))  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[_One]:
        return map(self.one, *self.lists)

    @property
    def counts(self) -> Ragged:
        """How many cells each stands for."""
        return self.lists[-1]

    @property
    def size(self) -> int:
        """How many there are in all columns."""
        return int(self.counts.flat.size)

    def at(self, columns: slice) -> Self:
        """Return neighbouring columns."""
        return type(self)(*(each.at(columns) for each in self.lists))

    def where(self, mask: Array) -> Self:
        """Return those for which a mask over all of them holds."""
        return type(self)(*(each.where(mask) for each in self.lists))

    def beside(self, *others: Self) -> Self:
        """Return all, those of each column one after the other."""
        return type(self)(*map(Ragged.beside, self.lists, *(other.lists for other in others)))

    @classmethod
    def end_to_end(cls, parts: list[Self]) -> Self:
        """Return the columns of several, one after the other; ``parts`` is emptied, to spare memory."""
        each = [list(lists) for lists in zip(*(part.lists for part in parts), strict=True)]
        parts.clear()
        return cls(*(Ragged.end_to_end(each.pop(0)) for _ in range(len(each))))

    def merged(self, order: Array, first: Array) -> Self:
        """Return them in another order, those that are not ``first`` added to the one before."""
        ends = self.counts.where(first)
        counts = np.add.reduceat(self.counts.flat[order], np.flatnonzero(first))
        return type(self)(
            *(ends.of(each.flat[order][first]) for each in self.lists[:-1]), ends.of(counts)
        )


class Tallies(_PerColumn[Tally]):
    """The tables of all columns."""

    one = Tally

    @property
    def values(self) -> Ragged:
        """The values of each column."""
        return self.lists[0]


class BinLists(_PerColumn[Bins]):
    """The bins of all columns."""

    one = Bins

    @property
    def lower(self) -> Ragged:
        """The lower ends of each column's bins."""
        return self.lists[0]

    @property
    def upper(self) -> Ragged:
        """The upper ends of each column's bins."""
        return self.lists[1]


def tallied(tables: Tallies) -> Tallies:
    """Return the tables of values in any order, some of which may occur several times."""
    if tables.values.rises(strictly=True):
        return tables
    order = tables.values.order()  # the clients' tables are sorted runs: nearly linear
    values = tables.values.flat[order]
    first = tables.values.begins()
    first[1:] |= values[1:] != values[:-1]
    return tables.merged(order, first)


def counted(cells: Ragged) -> Tallies:
    """Return the tables of cells in any order."""
    for column in cells:
        column.sort()
    first = cells.begins()
    first[1:] |= cells.flat[1:] != cells.flat[:-1]
    values = cells.where(first)
    return Tallies(values, values.of(np.diff(np.flatnonzero(first), append=cells.flat.size)))


def add_tallies(left: Tallies, right: Tallies) -> Tallies:
    """Return the tables of the cells of both."""
    if not left.size or not right.size:
        return left if left.size else right
    return tallied(left.beside(right))


def points(bins: BinLists) -> tuple[Tallies, BinLists]:
    """Return bins with room for one value only as values, and the others."""
    one = np.nextafter(bins.lower.flat, np.inf) == bins.upper.flat
    if not one.any():
        return Tallies.none(len(bins.upper)), bins
    return Tallies(bins.upper.where(one), bins.counts.where(one)), bins.where(~one)


def sorted_bins(bins: BinLists) -> BinLists:
    """Return bins in the order of their upper ends, equal ones merged."""
    upper, lower = bins.upper.flat, bins.lower.flat
    follows = (upper[1:] == upper[:-1]) & (lower[1:] > lower[:-1])
    if (follows | (upper[1:] > upper[:-1]) | bins.upper.begins()[1:]).all():
        return bins
    pairs = (paired(column.upper, column.lower) for column in bins)
    order, first = bins.upper.order(pairs), bins.upper.begins()
    for ends in (bins.upper.flat[order], bins.lower.flat[order]):
        first[1:] |= ends[1:] != ends[:-1]
    return bins.merged(order, first)


def add_bins(left: BinLists, right: BinLists) -> BinLists:
    """Return the bins of both."""
    if not left.size or not right.size:
        return left if left.size else right
    return sorted_bins(left.beside(right))


def coarse(bins: BinLists, most: Array) -> BinLists:
    """Return at most about ``most`` bins of each column, neighbouring ones merged."""
    if (bins.upper.sizes <= most).all():
        return bins
    step = -(-bins.upper.sizes // np.maximum(most, 1))
    within = bins.upper.within() % bins.upper.spread(np.maximum(step, 1))
    starts = np.flatnonzero(within == 0)
    last = np.append(starts[1:], bins.size) - 1
    ends = Ragged.cut(bins.upper.flat[last], bins.upper.count_places(starts))
    lower = np.minimum.reduceat(bins.lower.flat, starts)
    return BinLists(ends.of(lower), ends, ends.of(np.add.reduceat(bins.counts.flat, starts)))


def demand_lists(lists: Ragged, field: str, dtype: str, like: Ragged | None = None) -> None:
    """Check the dtype of lists, and that each is as long as that of the same column in others."""
    if not len(lists):
        return
    demand_array(lists.flat, field, dtype, (None,))
    if like is not None:
        for j in np.flatnonzero(lists.sizes != like.sizes)[:1].tolist():
            demand_array(lists[j], field, dtype, like[j].shape)
