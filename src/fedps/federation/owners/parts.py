"""Parts: what ``fit`` returns with ``split="columns"``: each client's own fitted part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fedps.federation.clients.client_names import ClientNames
from fedps.learned import Learned, model_of
from fedps.learned.owners import PartNumbers
from fedps.protocol.codec import FunctionNames
from fedps.protocol.messages import Request


class Parts(Mapping[Any, Any]):
    """Each client's own fitted part, by the client's name.

    ``parts["client"]`` is a genuine scikit-learn object, fitted on that client's columns. Numbers
    that belong to the whole model, such as ``alpha_`` of a regression, are attributes.

    Parameters
    ----------
    parts : mapping of str to estimator
        The fitted parts; clients without columns have none.
    learned : Learned
        What the server learned.
    request : Request
        What was fitted, and the name under which the clients keep their parts.
    functions : FunctionNames
        The names of functions in it.
    names : ClientNames, optional
        What the caller calls the clients.
    """

    def __init__(
        self,
        parts: Mapping[str, Any],
        learned: Learned,
        request: Request,
        functions: FunctionNames,
        names: ClientNames | None = None,
    ) -> None:
        self.by_text = {client: part for client, part in parts.items() if part is not None}
        self._parts = (names or ClientNames()).as_given(self.by_text)
        self._learned = learned
        self._request = request
        self._functions = functions

    def __getitem__(self, client: Any) -> Any:
        return self._parts[client]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def name(self) -> str:
        """The class of the estimator that was fitted."""
        return self._learned.estimator

    def __repr__(self) -> str:
        return f"{self.name} in parts: {', '.join(self.by_text)}"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        numbers = model_of(self._learned).numbers
        if isinstance(numbers, PartNumbers) and name in numbers.known_to_all:
            return numbers.known_to_all[name]
        owners = ", ".join(repr(client) for client in self._parts)
        raise AttributeError(
            f"{self.name} in parts has no attribute {name!r}. A client's part may have it: try "
            f"fitted[client].{name}, where client is one of {owners}."
        )
