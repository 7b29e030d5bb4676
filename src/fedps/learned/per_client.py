"""Who is told a learned number: all clients, each its own, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np

Array = np.ndarray[Any, Any]

_T = TypeVar("_T")


class Stand(NamedTuple):
    """Where a client stands among all: its number, and which of the pooled rows are its own."""

    number: int
    rows: slice


@dataclass(frozen=True, eq=False)
class PerRow:
    """An array with one item for each row of all clients. Each client is told only its own."""

    values: Array

    def at(self, place: Stand) -> Array:
        """Return what a client is told."""
        return self.values[place.rows]


@dataclass(frozen=True, eq=False)
class PerClient(Generic[_T]):
    """A value for each client, an array most often. Each is told only its own."""

    values: tuple[_T, ...]

    def at(self, place: Stand) -> _T:
        """Return what a client is told."""
        return self.values[place.number]


@dataclass(frozen=True, eq=False)
class Kept(Generic[_T]):
    """What the server needs, for the result or for later questions. No client is told."""

    value: _T


@overload
def own(value: Array | PerRow | PerClient[Array] | None) -> Array: ...
@overload
def own(value: list[Array] | PerClient[list[Array]]) -> list[Array]: ...
def own(value: Any) -> Any:
    """Return a client's own value, from numbers as that client was told them; there must be one."""
    if value is None:
        raise ValueError("has no number that the estimator needs")
    if isinstance(value, PerRow | PerClient):
        raise TypeError("these are the numbers of all clients: take one client's part first")
    return value
