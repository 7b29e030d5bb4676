"""Learned: fitted numbers without code. What a plan returns and what a client is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta, Struct

Name = Annotated[str, Meta(max_length=512)]

# arrays that are for the rows that an estimator was learned from, and not for new ones
OF_ROWS = ("folds", "gaps", "fillings")


class Facts(Mapping[str, Any]):
    """A read-only dictionary of parameters or arrays that can travel: see the codec for its types.

    >>> Facts(n=3)["n"]
    3
    """

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        self._items = {**(items or {}), **more}

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"Facts({', '.join(self._items)})"


class Function(Struct, frozen=True):
    """A function by its name. A client looks it up in what its policy allows; no code travels."""

    name: Name


class Place(NamedTuple):
    """Where a client stands among all: which it is, and which of all rows are its own."""

    number: int
    rows: slice


@dataclass(frozen=True, eq=False)
class PerRow:
    """An array with one item for each row of all clients. Each client is told only its own."""

    values: np.ndarray[Any, Any]

    def at(self, place: Place) -> np.ndarray[Any, Any]:
        """Return what a client is told."""
        return self.values[place.rows]


@dataclass(frozen=True, eq=False)
class PerClient:
    """An array for each client. Each is told only its own."""

    values: tuple[np.ndarray[Any, Any], ...]

    def at(self, place: Place) -> np.ndarray[Any, Any]:
        """Return what a client is told."""
        return self.values[place.number]


@dataclass(frozen=True, eq=False)
class Kept:
    """What the result needs and no client does, an array most often. None is told of it."""

    values: Any


class Learned(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The numbers that make one estimator fitted, and those of the estimators inside it.

    ``estimator`` is a name on the allow-list of :mod:`fedps.assembly`, ``params`` are scikit-learn's
    constructor parameters and ``arrays`` what was learned.
    """

    estimator: Name
    params: Facts
    arrays: Facts
    steps: Annotated[tuple[Learned, ...], Meta(max_length=10_000)] = ()

    @property
    def is_private(self) -> bool:
        """Whether each client is told something else."""
        own = any(isinstance(value, PerRow | PerClient) for value in self.arrays.values())
        return own or any(step.is_private for step in self.steps)

    @property
    def is_folded(self) -> bool:
        """Whether something inside has numbers for the very rows that it was learned from.

        A cross-fitted encoder has them for each fold of the rows, an imputer for each of their gaps.
        """
        own = any(name in self.arrays for name in OF_ROWS)
        return own or any(step.is_folded for step in self.steps)

    @property
    def settled(self) -> Learned:
        """The same without what is for the rows it was learned from only: all a new row needs."""
        if not self.is_folded:
            return self
        arrays = {name: self.arrays[name] for name in self.arrays if name not in OF_ROWS}
        steps = tuple(step.settled for step in self.steps)
        return Learned(self.estimator, self.params, Facts(arrays), steps)

    @property
    def told(self) -> Learned:
        """The same without what no client needs."""
        arrays = {k: value for k, value in self.arrays.items() if not isinstance(value, Kept)}
        steps = tuple(step.told for step in self.steps)
        return Learned(self.estimator, self.params, Facts(arrays), steps)

    def part(self, place: Place) -> Learned:
        """Return this as the client at a place is told it."""
        if not self.is_private:
            return self
        arrays = {
            name: value.at(place) if isinstance(value, PerRow | PerClient) else value
            for name, value in self.arrays.items()
        }
        steps = tuple(step.part(place) for step in self.steps)
        return Learned(self.estimator, self.params, Facts(arrays), steps)
