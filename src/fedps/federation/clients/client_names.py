"""Names of clients: any hashable that prints uniquely. As text they travel, and stand in reports."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from fedps.errors import UsageError

_T = TypeVar("_T")
Tables = Mapping[Hashable, Any] | Sequence[Any]


class ClientNames:
    """The names of clients as the caller gave them, and as text.

    A client that was not given by name is called by its text.

    >>> names = ClientNames([1, "oslo"])
    >>> names.given("1"), names.text(1), names.text("bergen")
    (1, '1', None)
    """

    def __init__(self, given: Iterable[Hashable] = ()) -> None:
        self._given: dict[str, Hashable] = {}
        for name in given:
            text = str(name)
            if text in self._given:
                raise UsageError(_twice(self._given[text], name, text))
            self._given[text] = name
        self._text = {name: text for text, name in self._given.items()}

    @classmethod
    def of(cls, clients: Any) -> ClientNames:
        """Return the names of clients that were given as tables; of a transport, none."""
        is_tables = isinstance(clients, Mapping | Sequence) and not isinstance(clients, str)
        return cls(name for name, _ in named_tables(clients)) if is_tables else cls()

    def given(self, text: str) -> Any:
        """Return a name as it was given."""
        return self._given.get(text, text)

    def text(self, name: Any, default: str | None = None) -> str | None:
        """Return the text of a name; ``default`` for what is not the name of a client."""
        return self._text.get(name, default) if isinstance(name, Hashable) else default

    def as_given(self, found: Mapping[str, _T]) -> dict[Any, _T]:
        """Return what was found for each client by the names that were given."""
        return {self.given(text): value for text, value in found.items()}


def _twice(first: Hashable, second: Hashable, text: str) -> str:
    if first == second:
        return f"two clients are called {first!r}. Give each a name of its own."
    return (
        f"the names {first!r} and {second!r} of two clients are both {text!r} in print, so reports and "
        "errors could not tell them apart. Give each a name of its own."
    )


def named_tables(clients: Tables) -> list[tuple[Hashable, Any]]:
    """Return the clients with their names; a list may hold (name, table) pairs.

    >>> named_tables([("oslo", [[1.0]]), [[2.0]]])
    [('oslo', [[1.0]]), ('client 2', [[2.0]])]
    """
    if isinstance(clients, Mapping):
        return list(clients.items())
    return [
        (client[0], client[1]) if _is_named(client) else (f"client {i}", client)
        for i, client in enumerate(clients, start=1)
    ]


def _is_named(client: Any) -> bool:
    """Whether this is a pair of a name and a table, and not one of features and target."""
    return (
        isinstance(client, tuple)
        and len(client) == 2
        and isinstance(client[0], str | int | np.integer)
    )
