"""What differs between the clients' tables and does not matter, in sentences for the run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from fedps.errors import named_in_words
from fedps.protocol.schemas.dtype_families import plain_name
from fedps.protocol.schemas.extra_columns import extra_columns
from fedps.protocol.schemas.pool_schemas import positions_in, shared_names
from fedps.statistics import Schema

MOST = 5  # columns that are named
_TEXTS = {"object", "str"}  # which of them text is depends on the version of pandas


def notes_on_columns(tables: Mapping[str, Schema], taken: Collection[str | int]) -> list[str]:
    """Return a sentence about columns that only some clients have, and one about different dtypes.

    ``taken`` are the columns that the pipeline takes: names, or positions in arrays.
    """
    extras = {client: names for client, names in extra_columns(tables).items() if names}
    found = [
        f"column {named_in_words(names, MOST)} of client {client!r} is left out: not all clients have it, and "
        "nothing in the pipeline takes it."
        for client, names in extras.items()
    ]
    differing = _differing(tables, taken)
    if differing:
        many = len(differing) > MOST + 1
        left = f" (and {len(differing) - MOST} more columns: federation.schema shows them)"
        more = left if many else ""
        text = "; ".join(differing[:MOST] if many else differing)
        found.append(f"dtypes that differ were taken as one: {text}{more}.")
    return found


def _differing(tables: Mapping[str, Schema], taken: Collection[str | int]) -> list[str]:
    """Return for each column with different dtypes who has which."""
    first = next(iter(tables.values()))
    if len({(schema.names, schema.dtypes) for schema in tables.values()}) == 1:
        return []
    names = shared_names(tables)
    width = first.width if names is None else len(names)
    filled = {client: schema for client, schema in tables.items() if schema.rows}
    places = {client: positions_in(schema, names) for client, schema in filled.items()}
    found = []
    for j in range(width):
        if (j if names is None else names[j]) not in taken:
            continue
        seen: dict[str, list[str]] = {}
        for client, schema in filled.items():
            if places[client][j] not in schema.empty:
                seen.setdefault(plain_name(schema.dtype(places[client][j])), []).append(client)
        if len(seen) > 1 and not seen.keys() <= _TEXTS:
            name = f"number {j}" if names is None else repr(names[j])
            found.append(f"{name} is {_sides(seen)}")
    return found


def _sides(seen: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(f"{dtype} at {named_in_words(clients, 2)}" for dtype, clients in seen.items())
