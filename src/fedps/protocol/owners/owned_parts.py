"""OwnedParts: a fit in parts, one for each owner of columns, and what belongs to the whole model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from fedps.learned import Learned, model_of
from fedps.learned.owners import PartNumbers
from fedps.protocol.messages import Request

K = TypeVar("K")
V = TypeVar("V")


class OwnedParts(Mapping[K, V], Generic[K, V]):
    """Something for each owner, by its name; numbers of the whole model are attributes.

    Parameters
    ----------
    parts : mapping
        What there is of each owner.
    learned : Learned
        What the server learned.
    request : Request
        What was fitted, and the name under which the owners keep their parts.
    """

    elsewhere: ClassVar[str]  # where else an attribute may be

    def __init__(self, parts: Mapping[K, V], learned: Learned, request: Request) -> None:
        self._parts = parts
        self._learned = learned
        self._request = request

    def __getitem__(self, client: K) -> V:
        return self._parts[client]

    def __iter__(self) -> Iterator[K]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def name(self) -> str:
        """The class of the estimator that was fitted."""
        return self._learned.estimator

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        numbers = model_of(self._learned).numbers
        if isinstance(numbers, PartNumbers) and name in numbers.known_to_all:
            return numbers.known_to_all[name]
        owners = ", ".join(map(repr, self))
        raise AttributeError(
            f"{self.name} in parts has no attribute {name!r}. A client's part may have it"
            + self.elsewhere.format(name=name, owners=owners)
        )
