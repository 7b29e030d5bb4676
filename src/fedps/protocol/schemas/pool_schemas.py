"""pool_schemas: the tables of all clients as one, columns matched by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fedps.errors import Disagreement, PeerError, named_in_words
from fedps.protocol.pooled import Pooled
from fedps.statistics import Schema

Schemas = Mapping[str, tuple[Schema, ...]]


def pool_schemas(schemas: Schemas, pooled: Pooled) -> None:
    """Describe the rows of all clients together; Disagreement where they do not fit.

    The columns are those that all clients have, in the first client's order.
    """
    tables = {client: both[0] for client, both in schemas.items()}
    _check_named(tables)
    first = _shared(tables)
    rows = sum(schema.rows for schema in tables.values())
    if rows == 0:
        raise Disagreement(
            f"no client has any rows: {named_in_words(tables)}. Check what was loaded there."
        )
    empty = _empty_everywhere(tables, first)
    container = common_container(tables)
    pooled.table = Schema(container, first.names, first.width, first.dtypes, rows, empty)
    targets = [both[1] for both in schemas.values() if len(both) > 1]
    if targets:
        first = next((t for t in targets if t.rows), targets[0])
        pooled.target = Schema(first.container, first.names, first.width, first.dtypes, rows)


def positions_in(schema: Schema, names: Sequence[str] | None) -> list[int]:
    """Return the positions of another table's columns in this one."""
    if names is None or schema.names is None:
        return list(range(schema.width))
    place = {name: i for i, name in enumerate(schema.names)}
    return [place[name] for name in names]


def _check_named(tables: Mapping[str, Schema]) -> None:
    """Raise Disagreement unless all tables have names, or all have none and the same width."""
    (leader, first), *others = tables.items()
    checked: set[Any] = set()  # most clients have tables that look alike
    for client, schema in tables.items():
        look = (schema.names, schema.width, schema.dtypes)
        if look not in checked:
            check_schema(client, schema)
            checked.add(look)
    for client, schema in others:
        if (schema.names is None) != (first.names is None):
            named, nameless = (client, leader) if first.names is None else (leader, client)
            raise Disagreement(
                f"client {named!r} has column names and client {nameless!r} has none. Give all "
                "clients data frames, or all of them arrays."
            )
        if schema.names is None and schema.width != first.width:
            raise Disagreement(
                f"client {leader!r} has {first.width} columns and client {client!r} has "
                f"{schema.width}. Arrays are matched by position: give all the same columns."
            )


def _shared(tables: Mapping[str, Schema]) -> Schema:
    """Return the first table with those of its columns that all tables have."""
    first = next(iter(tables.values()))
    names = shared_names(tables)
    if names is None or names == first.names:
        return first
    dtypes = first.dtypes
    if len(dtypes) > 1:
        dtypes = tuple(dtypes[i] for i in positions_in(first, names))
    return Schema(first.container, names, len(names), dtypes, first.rows)


def shared_names(tables: Mapping[str, Schema]) -> tuple[str, ...] | None:
    """Return the names that all tables have, in the first one's order; None for arrays."""
    names = [schema.names for schema in tables.values()]
    first = names[0]
    if first is None or all(other == first for other in names):
        return first
    common = set(first).intersection(*(other or () for other in names))
    return tuple(name for name in first if name in common)


def check_schema(client: str, schema: Schema) -> None:
    """Raise PeerError for a schema whose parts contradict each other."""
    names = schema.names if schema.names is not None else range(schema.width)
    fits = len(names) == len(set(names)) == schema.width
    if not fits or len(schema.dtypes) not in (1, schema.width):
        raise PeerError(f"client {client!r} sent a schema that does not add up.").about(client)


def _empty_everywhere(tables: Mapping[str, Schema], first: Schema) -> tuple[int, ...]:
    """Return the columns that are wholly missing at all clients."""
    found = set(range(first.width))
    alike = {(schema.names, schema.empty): schema for schema in tables.values()}
    for schema in alike.values():
        empty = set(schema.empty)
        places = positions_in(schema, first.names)
        found &= {j for j, i in enumerate(places) if i in empty}
    return tuple(sorted(found))


def common_container(tables: Mapping[str, Schema]) -> Any:
    """Return the container of the pooled table: if they differ, the first one's that has rows.

    Arrays and sparse matrices are put together as arrays.
    """
    kinds = {schema.container for schema in tables.values()}
    if len(kinds) == 1:
        return kinds.pop()
    first = next(schema.container for schema in tables.values() if schema.rows)
    return first if first in ("pandas", "polars") else "numpy"
