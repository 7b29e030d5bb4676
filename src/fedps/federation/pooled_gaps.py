"""As what the missing cells of clients in this process count: what a fit says, found from their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fedps.client.tables import Table, gaps_by_kind, take
from fedps.learned import Array
from fedps.protocol.one_missing import Side, pooled_kind
from fedps.protocol.schemas import positions_in
from fedps.statistics import Schema


def missing_kinds(tables: Mapping[str, Table]) -> dict[str, Array | None]:
    """Return for each client one number per column, or None where all cells are taken as they are.

    Tables without columns in common are left as they are.
    """
    found: dict[str, Array | None] = dict.fromkeys(tables)
    schemas = {client: table.schema() for client, table in tables.items()}
    filled = {client: schema for client, schema in schemas.items() if schema.rows}
    if len(filled) < 2 or not _same_columns(list(filled.values())):
        return found
    first = next(iter(filled.values()))
    at = {client: positions_in(schema, first.names) for client, schema in filled.items()}
    columns = [
        j for j in range(first.width) if any(_may_differ(s, at[c][j]) for c, s in filled.items())
    ]
    if not columns:
        return found
    held = {c: _held(tables[c], [at[c][j] for j in columns]) for c in filled}
    kinds = np.zeros(first.width, dtype=np.int8)
    for i, j in enumerate(columns):
        kinds[j] = pooled_kind(
            [_side(client, s, at[client][j], held[client][:, i]) for client, s in filled.items()]
        )
    if not kinds.any():
        return found
    for client, places in at.items():
        own = np.zeros(first.width, dtype=np.int8)
        own[places] = kinds
        found[client] = own
    return found


def _same_columns(schemas: Sequence[Schema]) -> bool:
    first = schemas[0]
    names = None if first.names is None else set(first.names)
    return all(
        s.width == first.width and (None if s.names is None else set(s.names)) == names
        for s in schemas
    )


def _may_differ(schema: Schema, position: int) -> bool:
    """Whether a column may hold None: of objects, or any of polars."""
    return schema.container == "polars" or schema.dtype(position) in ("object", "|O")


def _held(table: Table, positions: Sequence[int]) -> Array:
    """Return whether columns hold None, and whether they hold another missing value."""
    found = np.zeros((2, len(positions)), dtype=bool)
    for chunk in table.chunks():
        found |= gaps_by_kind(take(chunk.X, positions)) > 0
    return found


def _side(client: str, schema: Schema, position: int, held: Array) -> Side:
    dtype = None if position in schema.empty else schema.dtype(position)
    none, nan = held.tolist()
    return Side(client, schema.container, dtype, none, nan)
