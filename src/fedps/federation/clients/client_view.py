"""ClientView: one client of a federation, as ``federation[name]`` shows it."""

from __future__ import annotations

from typing import Any

from fedps.client import Ledger, Policy, Responder
from fedps.errors import NotFederated
from fedps.federation.clients.federation_schema import (
    columns_of,
    dtypes_by_column,
    target_dtype,
)
from fedps.report.rendering import Rendered, Section, count
from fedps.statistics import Schema

_MOST_COLUMNS = 20  # that are shown at first


class ClientView(Rendered):
    """One client: its name, what its table looks like, and in process its policy and its ledger.

    Parameters
    ----------
    name : hashable
        Its name, as it was given.
    schemas : tuple of Schema
        What its table looks like, and its target if it has one.
    responder : Responder, optional
        What answers for it, in process.
    """

    def __init__(
        self, name: Any, schemas: tuple[Schema, ...], responder: Responder | None = None
    ) -> None:
        self.name = name
        self._schema, *self._target = schemas
        self._responder = responder

    @property
    def rows(self) -> int:
        """The number of its rows."""
        return self._schema.rows

    @property
    def columns(self) -> tuple[Any, ...]:
        """The names of its columns, or their positions if they have none."""
        return columns_of(self._schema)

    @property
    def dtypes(self) -> dict[Any, str]:
        """The dtype of each column."""
        return dtypes_by_column(self._schema)

    @property
    def policy(self) -> Policy:
        """What it is willing to reveal, in process."""
        return self._here("policy").policy

    @property
    def ledger(self) -> Ledger:
        """Its own record of what left it, in process."""
        return self._here("ledger").ledger

    def _here(self, what: str) -> Responder:
        if self._responder is None:
            raise NotFederated(f"over an engine each client has its own {what}: read it there.")
        return self._responder

    def sections(self) -> list[Section]:
        """Return its columns and their dtypes."""
        columns = [(str(name), dtype) for name, dtype in self.dtypes.items()]
        title = f"Client {self.name}: {count(self.rows, 'row')}, {count(len(columns), 'column')}"
        target = [("(target)", target_dtype(schema)) for schema in self._target]
        return [Section(title, ("column", "dtype"), columns, most=_MOST_COLUMNS, totals=target)]
