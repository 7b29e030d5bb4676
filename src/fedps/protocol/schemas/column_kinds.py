"""Columns that hold something else at each client: an error where an estimator takes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from fedps.errors import Disagreement
from fedps.protocol.schemas.date_kinds import check_date_kinds
from fedps.protocol.schemas.dtype_families import family
from fedps.protocol.schemas.pool_schemas import positions_in, shared_names
from fedps.statistics import Schema


def check_same_kinds(tables: Mapping[str, Schema], taken: Collection[str | int]) -> None:
    """Raise Disagreement if a column that is taken holds numbers, text or times, by client.

    Columns are known by their names, or by their positions in arrays. A column that is all missing at a
    client agrees with any.
    """
    first = next(iter(tables.values()))
    names = shared_names(tables)
    filled = {client: schema for client, schema in tables.items() if schema.rows}
    places = {client: positions_in(schema, names) for client, schema in filled.items()}
    for j, key in enumerate(range(first.width) if names is None else names):
        if key not in taken:
            continue
        dtypes = {
            client: schema.dtype(places[client][j])
            for client, schema in filled.items()
            if places[client][j] not in schema.empty
        }
        name = f"number {key}" if names is None else str(key)
        _check_numbers(name, dtypes)
        check_date_kinds(name, dtypes)


def _check_numbers(name: str, dtypes: Mapping[str, str]) -> None:
    kinds: dict[str, str] = {}
    for client, dtype in dtypes.items():
        kinds.setdefault(family(dtype), client)
    if "numbers" not in kinds or "text" not in kinds:
        return
    one, other = kinds["numbers"], kinds["text"]
    raise Disagreement(
        f"column {name!r} holds numbers at client {one!r} ({dtypes[one]}) and text at client {other!r} "
        f"({dtypes[other]}). Read it as text everywhere, dtypes={{{name!r}: 'str'}} (which keeps the zeros "
        "of a code only if the file is read so), or as numbers where it is text, or drop it."
    )
