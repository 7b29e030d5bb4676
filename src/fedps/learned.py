"""Learned: fitted numbers without code. What a plan returns and what a client is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

Name = Annotated[str, Meta(max_length=512)]


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


class Learned(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The numbers that make one estimator fitted, and those of the estimators inside it.

    ``estimator`` is a name on the allow-list of :mod:`fedps.assembly`, ``params`` are scikit-learn's
    constructor parameters and ``arrays`` what was learned.
    """

    estimator: Name
    params: Facts
    arrays: Facts
    steps: Annotated[tuple[Learned, ...], Meta(max_length=10_000)] = ()
