"""FederationTable: the clients of a federation with their rows, columns and targets, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fedps.federation.clients.federation_schema import columns_of, target_dtype
from fedps.protocol.schemas import Schemas
from fedps.report.rendering import Names, Rendered, Section, count
from fedps.statistics import Schema

_MOST_CLIENTS = 20  # that are shown at first


class FederationTable(Rendered):
    """What a federation shows of itself: what is known of its clients.

    Parameters
    ----------
    clients : sequence of str
        The names of all clients.
    split : {"rows", "columns"}
        What each of them has a part of.
    schemas : mapping of str to tuple of Schema
        The tables of those clients that are known, and their targets.
    targets : mapping of str to str or None
        The names of targets, where they are known.
    matched : int or None
        How many rows all clients have, where rows were matched.
    """

    whole_by = "federation.schema.to_text(full=True)"

    def __init__(
        self,
        clients: Sequence[str],
        split: str,
        schemas: Schemas,
        targets: Mapping[str, str | None],
        matched: int | None = None,
    ) -> None:
        self._matched = matched
        self._clients = clients
        self._split = split
        self._schemas = schemas
        self._targets = targets

    def sections(self) -> list[Section]:
        """Return the table to show."""
        title = f"Federation of {count(len(self._clients), 'client')}, split={self._split!r}"
        if not self._schemas:
            return [Section(title, ("client",), [(name,) for name in self._clients], most=20)]
        if len(self._schemas) == len(self._clients):
            title += f": {self._rows()}, {self._columns()}"
        has_target = any(len(both) > 1 for both in self._schemas.values())
        header = ("client", "rows", "columns", *(["target"] if has_target else []))
        rows = [self._cells(name)[: len(header)] for name in self._clients]
        return [Section(title, header, rows, frozenset(["rows"]), _MOST_CLIENTS)]

    def _rows(self) -> str:
        if self._matched is not None:
            return f"{count(self._matched, 'row')} that all have"
        numbers = [both[0].rows for both in self._schemas.values()]
        return count(sum(numbers) if self._split == "rows" else max(numbers), "row")

    def _columns(self) -> str:
        every = {name for both in self._schemas.values() for name in columns_of(both[0])}
        return count(len(every), "column")

    def _cells(self, client: str) -> tuple[str, ...]:
        if client not in self._schemas:
            return client, "", "not read yet", ""
        table, *rest = self._schemas[client]
        target = self._target(client, rest[0]) if rest else "-"
        return client, f"{table.rows:,}", Names(columns_of(table)), target

    def _target(self, client: str, schema: Schema) -> str:
        name, dtype = self._targets.get(client), target_dtype(schema)
        return dtype if name is None else f"{name} ({dtype})"
