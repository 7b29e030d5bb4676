"""Ragged: lists of numbers of any lengths, one per column, held as one array so that all are worked on at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, Any]

_LONG = 1000  # numbers of a list on average, from which columns are faster searched one by one
_NO_PLACES = np.zeros(0, dtype=np.int64)


class Ragged(Sequence[Array]):
    """One array of numbers per column, of any lengths. Here and on the wire they are a single array.

    ``flat`` has the numbers of all columns, one column after the other, ``sizes`` how many each has, and
    ``bounds`` where each begins, and the last one ends.

    >>> lists = Ragged([np.array([3, 4]), np.array([5])])
    >>> lists.flat, lists[1], lists.reduce(np.add)
    (array([3, 4, 5]), array([5]), array([7, 5]))
    """

    __slots__ = ("_bounds", "flat", "sizes")

    def __init__(self, parts: Iterable[Array] = ()) -> None:
        some = [np.asarray(part) for part in parts]
        self.flat = np.concatenate(some) if some else np.empty(0)
        self.sizes = np.array([part.size for part in some], dtype=np.int64)
        self._bounds: Array | None = None

    @classmethod
    def cut(cls, flat: Array, sizes: Array) -> Ragged:
        """Return lists of some sizes, cut from one array."""
        lists = cls.__new__(cls)
        lists.flat, lists.sizes = flat, sizes
        lists._bounds = None  # noqa: SLF001 - its own
        return lists

    @property
    def bounds(self) -> Array:
        """Where each column begins, and the last one ends."""
        if self._bounds is None:
            self._bounds = np.zeros(self.sizes.size + 1, dtype=np.int64)
            self.sizes.cumsum(out=self._bounds[1:])
        return self._bounds

    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, slice):
            return tuple(self)[position]
        start, stop = self.bounds[:-1][position], self.bounds[1:][position]
        return self.flat[start:stop]

    def __iter__(self) -> Iterator[Array]:
        return (self.flat[start:stop] for start, stop in pairwise(self.bounds.tolist()))

    def __len__(self) -> int:
        return self.sizes.size

    def __repr__(self) -> str:
        return f"Ragged({[part.tolist() for part in self]})"

    @property
    def starts(self) -> Array:
        """Where each column begins."""
        return self.bounds[:-1]

    def of(self, flat: Array) -> Ragged:
        """Return other numbers in lists as long as these."""
        return Ragged.cut(flat, self.sizes)

    def spread(self, each: Array) -> Array:
        """Return a number of each column once for each number in its list."""
        return np.repeat(each, self.sizes)

    def within(self) -> Array:
        """Return the position of each number in its own list."""
        return np.arange(self.flat.size) - self.spread(self.starts)

    def reduce(self, function: np.ufunc, empty: Any = 0) -> Array:
        """Return one number for each column, such as its sum; ``empty`` where it has none."""
        some = self.sizes > 0
        if not some.any():
            return np.full(len(self), empty)
        found = function.reduceat(self.flat, self.starts[some])
        if some.all():
            return np.asarray(found)
        every = np.full(len(self), empty, dtype=found.dtype)
        every[some] = found
        return every

    def every(self, holds: Array) -> Array:
        """Return for which columns something holds of each number; for those without numbers, too."""
        return self.of(holds).reduce(np.logical_and, empty=True)

    def totals(self) -> Array:
        """Return the sums of integers from elsewhere; in Python's where those of hostile int64 would wrap.

        >>> Ragged([np.full(4, 2**62)]).totals()
        array([18446744073709551616], dtype=object)
        """
        ends = (int(self.flat.min(initial=0)), int(self.flat.max(initial=0)))
        if max(map(abs, ends)) * max(self.flat.size, 1) < 2**63:
            return self.reduce(np.add)
        return self.of(self.flat.astype(object)).reduce(np.add)

    def where(self, mask: Array) -> Ragged:
        """Return the numbers of each column for which a mask over all of them holds."""
        if mask.all():
            return self
        return Ragged.cut(self.flat[mask], self.count_places(np.flatnonzero(mask)))

    def count_places(self, places: Array) -> Array:
        """Return how many of some sorted places in ``flat`` are in each column."""
        return np.diff(np.searchsorted(places, self.bounds))

    def head(self, most: int) -> Ragged:
        """Return the first numbers of each column."""
        some = Ragged.cut(_NO_PLACES, np.minimum(self.sizes, most))
        places = np.arange(some.bounds[-1]) + some.spread(self.starts - some.starts)
        return some.of(self.flat[places])

    def take(self, columns: Array) -> Ragged:
        """Return some of the columns."""
        return Ragged(self[j] for j in columns.tolist())

    def beside(self, *others: Ragged) -> Ragged:
        """Return the numbers of each column, and after them those that other lists have of it."""
        lists = (self, *others)
        sizes = np.add.reduce([one.sizes for one in lists])
        parts = [part for column in zip(*lists, strict=True) for part in column]
        return Ragged.cut(np.concatenate(parts) if parts else self.flat, sizes)

    def at(self, columns: slice) -> Ragged:
        """Return neighbouring columns."""
        start, stop, _ = columns.indices(len(self))
        return Ragged.cut(self.flat[self.bounds[start] : self.bounds[stop]], self.sizes[columns])

    @classmethod
    def end_to_end(cls, lists: Sequence[Ragged]) -> Ragged:
        """Return the columns of several lists, one after the other."""
        flats = [one.flat for one in lists]
        return cls.cut(np.concatenate(flats), np.concatenate([one.sizes for one in lists]))

    def begins(self) -> Array:
        """Return which numbers are the first of a column."""
        mask = np.zeros(self.flat.size, dtype=bool)
        mask[self.starts[self.sizes > 0]] = True
        return mask

    def inner(self) -> Array:
        """Return which numbers are neither the first nor the last of a column."""
        mask = ~self.begins()
        mask[self.bounds[1:][self.sizes > 0] - 1] = False
        return mask

    def order(self, by: Iterable[Array] | None = None) -> Array:
        """Return where the numbers of each column stand in ``flat``, in their order or that of others; stable."""
        parts = [np.argsort(part, kind="stable") for part in by or self]
        return np.asarray(self.spread(self.starts) + np.concatenate([_NO_PLACES, *parts]))

    def rises(self, *, strictly: bool) -> bool:
        """Return whether the numbers of each column are sorted; strictly: and distinct."""
        one, following = self.flat[:-1], self.flat[1:]
        good = following > one if strictly else following >= one
        if good.all():
            return True
        return bool((good | self.begins()[1:]).all())

    def find(self, wanted: Ragged, side: Literal["left", "right"] = "left") -> Array:
        """Return where other numbers of each column would stand in ``flat``, which is sorted by column."""
        if self.flat.size > _LONG * len(self):
            pairs = zip(self, wanted, strict=True)
            found = [np.searchsorted(own, other, side) for own, other in pairs]
            return np.asarray(wanted.spread(self.starts) + np.concatenate([_NO_PLACES, *found]))
        own, others = (paired(one.spread(np.arange(len(one))), one.flat) for one in (self, wanted))
        return np.searchsorted(own, others, side)


def slices_of(sizes: Array, most: int) -> list[slice]:
    """Return neighbouring columns together that have up to about so many numbers; one at least.

    >>> slices_of(np.array([3, 3, 9, 1]), 6)
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    starts, here = [0], 0
    for j, size in enumerate(sizes.tolist()):
        here += size
        if here > most and j > starts[-1]:
            starts.append(j)
            here = size
    return [slice(*pair) for pair in pairwise([*starts, len(sizes)])]


def paired(first: Array, second: Array) -> Array:
    """Return pairs of numbers as complex ones, which are in order by the first of the two, then by the second."""
    pairs = np.empty(first.size, dtype=np.complex128)
    pairs.real, pairs.imag = first, second
    return pairs
