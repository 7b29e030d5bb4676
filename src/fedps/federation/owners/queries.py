"""Rows to predict with ``split="columns"``: each client holds its own columns of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fedps.client.owner.new_rows import like_own
from fedps.client.tables import names_of, positions_of, shape
from fedps.client.tables.cells.native_table import column_at
from fedps.client.tables.open_table import as_table
from fedps.client.tables.owned_table import as_keys
from fedps.errors import UsageError, did_you_mean
from fedps.statistics import BadCells


def matched_queries(queries: Any, known: Mapping[str, Any], key: str | None) -> dict[str, Any]:
    """Return the rows to predict by client, with the columns of the client's own table.

    ``known`` holds the clients' own tables.
    """
    owners = [client for client, rows in known.items() if shape(rows)[1]]
    given = _by_client(queries, [*known], owners)
    found = {client: _as_table(rows, client) for client, rows in given.items()}
    _check_same_rows(found, key)
    rows = shape(next(iter(found.values())))[0] if found else 0
    nothing = np.empty((rows, 0))
    return {
        client: _like(found[client], own, client) if client in found else nothing
        for client, own in known.items()
    }


def _by_client(given: Any, clients: Sequence[str], owners: Sequence[str]) -> dict[str, Any]:
    """Return the rows of clients that hold columns; the other clients may be left out."""
    if isinstance(given, list | tuple) and len(given) == len(clients):
        given = dict(zip(clients, given, strict=True))
    if not isinstance(given, Mapping):
        raise UsageError(
            "with split='columns', rows to predict are with their owners: give a dict with each "
            f"client's table of its own columns ({', '.join(map(repr, owners))})."
        )
    for name in given:
        if name not in clients:
            hint = did_you_mean(str(name), clients)
            raise UsageError(f"there are rows to predict of {name!r}, which is not a client.{hint}")
    lost = [client for client in owners if given.get(client) is None]
    if lost:
        raise UsageError(
            f"client {lost[0]!r} has no rows to predict. With split='columns', each client's own "
            f"columns are needed: give a dict with a table of {', '.join(map(repr, owners))}."
        )
    return {client: given[client] for client in owners}


def _as_table(rows: Any, client: str) -> Any:
    try:
        return as_table(rows)
    except UsageError as error:
        raise UsageError(f"the rows to predict of client {client!r}: {error}") from None


def _check_same_rows(found: Mapping[str, Any], key: str | None) -> None:
    """Raise UsageError unless all clients have the same number of rows, and the same keys if given."""
    leader, first = next(iter(found.items()))
    for client, rows in found.items():
        here, there = shape(first)[0], shape(rows)[0]
        if here != there:
            raise UsageError(
                f"client {leader!r} has {here} rows to predict and client {client!r} has {there}. Give "
                "the same rows in the same order."
            )
    if key is None:
        return
    keys = {
        client: as_keys(column_at(rows, positions_of(rows, [key])[0]), key)
        for client, rows in found.items()
        if key in (names_of(rows) or ())
    }
    for client in [*keys][1:]:
        leader = next(iter(keys))
        if (keys[leader] != keys[client]).any():
            raise UsageError(
                f"clients {leader!r} and {client!r} have different rows to predict, or in different "
                f"orders, according to their key {key!r}. Keep the rows that both have, and sort them "
                f"by {key!r}."
            )


def _like(rows: Any, known: Any, client: str) -> Any:
    """Return some rows with the columns of a client's own table, in its order."""
    try:
        return like_own(rows, known)
    except BadCells as error:
        lost = error.what
    if lost is not None:
        raise UsageError(f"the rows to predict of client {client!r} lack its column {lost!r}.")
    raise UsageError(
        f"the rows to predict of client {client!r} have {shape(rows)[1]} columns; its own table has "
        f"{shape(known)[1]}."
    )
