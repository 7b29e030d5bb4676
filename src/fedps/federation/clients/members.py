"""Members: all clients of a federation, by the names that the caller gave them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from fedps.errors import Disagreement, UsageError, did_you_mean
from fedps.federation.clients.client_names import ClientNames
from fedps.federation.clients.client_view import ClientView
from fedps.federation.clients.federation_schema import FederationSchema, federation_schema
from fedps.federation.clients.federation_table import FederationTable
from fedps.federation.session import Session
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.plan import nothing
from fedps.protocol.pooled import Pooled
from fedps.protocol.schemas import Schemas

_T = TypeVar("_T")


class Members:
    """The clients of a session, by their names.

    Parameters
    ----------
    session : Session
        The clients, and what drives plans over them.
    names : ClientNames
        What the caller calls them.
    keyed : bool
        Whether they were given by name; otherwise they are a list, and positions are names as well.
    """

    def __init__(self, session: Session, names: ClientNames, *, keyed: bool) -> None:
        self._session = session
        self._names = names
        self._keyed = keyed
        self._told: Schemas = {}

    def __len__(self) -> int:
        return len(self._session.clients)

    def __iter__(self) -> Iterator[Any]:
        return map(self._names.given, self._session.clients)

    def __contains__(self, name: Any) -> bool:
        return self._text(name) is not None

    def __getitem__(self, name: Any) -> ClientView:
        text = self._text(name)
        if text is None:
            hint = did_you_mean(str(name), self._session.clients)
            raise UsageError(f"there is no client {name!r}.{hint}")
        here = self._session.here
        responder = None if here is None else here.responder(text)
        return ClientView(self._names.given(text), self._schemas()[text], responder)

    def _text(self, name: Any) -> str | None:
        """Return the text of a client's name, or of its position in a list; None for anything else."""
        clients = self._session.clients
        text = self._names.text(name)
        if isinstance(name, str) and name in clients and self._names.given(name) == name:
            text = name
        if text is None and not self._keyed and isinstance(name, int):
            text = clients[name] if -len(clients) <= name < len(clients) else None
        return text

    def learn(self, schemas: Schemas) -> None:
        """Note what the clients' tables look like, if they have told that already."""
        self._told = dict(schemas)

    def by_name(self, found: Mapping[str, _T]) -> dict[Any, _T]:
        """Return what was found for each client, by its name as it was given."""
        return self._names.as_given(found)

    def as_given(self, outputs: Mapping[str, _T]) -> dict[Any, _T] | list[_T]:
        """Return the clients' outputs in the form in which the clients were given: a dict or a list."""
        return self.by_name(outputs) if self._keyed else list(outputs.values())

    def schema(self) -> FederationSchema:
        """Return the columns, dtypes and rows of all clients. Over an engine they are asked, once."""
        return federation_schema(self.by_name(self._schemas()))

    def _schemas(self) -> Schemas:
        if self._session.here is not None:
            return self._session.here.schemas()
        if not self._told:
            known = Coordinator(nothing(), self._session.clients, Pooled())
            with suppress(Disagreement):  # what does not fit together is what one wants to see
                self._session.drive(known, self._session.new_run("schema"))
            self._told = known.schemas
        return self._told

    def table(self, split: str, matched: int | None) -> FederationTable:
        """Return what a federation shows of itself. Nobody is asked for it, and no file is read.

        ``matched`` is how many rows all clients were found to have, where rows were matched.
        """
        here, clients = self._session.here, self._session.clients
        if here is None:
            return FederationTable(clients, split, self._told, {}, matched)
        targets = {name: here.responder(name).table.target_name for name in clients}
        return FederationTable(clients, split, here.schemas(read=False), targets, matched)
