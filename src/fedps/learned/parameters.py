"""Constructor parameters as they travel: a read-only dictionary, and functions by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

Name = Annotated[str, Meta(max_length=512)]


class Parameters(Mapping[str, Any]):
    """An estimator's constructor parameters, read-only. The codec says which types can travel.

    >>> Parameters(n_bins=3)["n_bins"]
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
        return f"Parameters({', '.join(self._items)})"


class Function(Struct, frozen=True):
    """A function by its name. A client looks it up in what its policy allows; no code travels."""

    name: Name
