"""Parts: what ``fit`` returns with ``split="columns"``: each client's own fitted part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedps.federation.clients.client_names import ClientNames
from fedps.learned import Learned
from fedps.protocol.codec import FunctionNames
from fedps.protocol.messages import Request
from fedps.protocol.owners.owned_parts import OwnedParts


class Parts(OwnedParts[Any, Any]):
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

    elsewhere = ": try fitted[client].{name}, where client is one of {owners}."

    def __init__(
        self,
        parts: Mapping[str, Any],
        learned: Learned,
        request: Request,
        functions: FunctionNames,
        names: ClientNames | None = None,
    ) -> None:
        self.by_text = {client: part for client, part in parts.items() if part is not None}
        super().__init__((names or ClientNames()).as_given(self.by_text), learned, request)
        self._functions = functions

    def __repr__(self) -> str:
        return f"{self.name} in parts: {', '.join(self.by_text)}"
