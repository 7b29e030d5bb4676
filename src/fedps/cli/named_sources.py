"""Options of the form ``[NAME=]QUERY`` and ``[NAME:]KEY=VALUE``: how clients' tables are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fedps.client.tables.named_source import named_source
from fedps.client.tables.sources.uri import is_uri
from fedps.errors import UsageError, did_you_mean


class NamedData(NamedTuple):
    """Where a client's data is, and how it is read."""

    data: str
    query: str | None = None
    read: Mapping[str, str] | None = None

    def source(self) -> Any:
        """Return the table as ``Federation`` takes it."""
        return named_source(self.data, self.query, self.read)


def read_sources(
    clients: Mapping[str, str], queries: Sequence[str], reads: Sequence[str]
) -> dict[str, NamedData]:
    """Return each client's data with its query and options.

    What has no name is for all clients: a query for all databases, an option for all files.

    >>> found = read_sources({"oslo": "oslo.csv", "bergen": "bergen.csv"}, [], ["oslo:sep=;"])
    >>> found["oslo"].read, found["bergen"].read
    ({'sep': ';'}, None)
    """
    query_of = _queries(clients, queries)
    read_of: dict[str, dict[str, str]] = {name: {} for name in clients}
    for text in reads:
        key, equals, value = text.partition("=")
        name, colon, own = key.rpartition(":")
        if not equals or not own or not value:
            raise UsageError(
                f"--read {text!r}: write KEY=VALUE or NAME:KEY=VALUE, such as sep=';'."
            )
        if colon and name not in clients:
            raise UsageError(
                f"--read {text!r}: {name!r} is not a client.{did_you_mean(name, clients)}"
            )
        for client, data in clients.items():
            if client == name or (not colon and not is_uri(data)):
                read_of[client][own] = value
    return {
        name: NamedData(data, query_of.get(name), read_of[name] or None)
        for name, data in clients.items()
    }


def _queries(clients: Mapping[str, str], queries: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in queries:
        name, equals, rest = text.partition("=")
        if equals and name in clients:
            found[name] = rest
        elif text.split() == [text] and equals:  # no query: NAME=FILE.sql of no client
            raise UsageError(
                f"--query {text!r}: {name!r} is not a client.{did_you_mean(name, clients)}"
            )
        else:
            found |= {
                each: text for each, data in clients.items() if is_uri(data) and each not in found
            }
    return found
