"""Times of different units behind other steps: refused where these make other cells of the same times.

Whether they do is tried on made-up times: passed on to a scaler they are other numbers, and the year that a
function makes of them is the same. What is asked of the clients' own columns is checked with the answers.
"""

from __future__ import annotations

from typing import Any

from fedps.assembly import dummy_row
from fedps.client.tables import take
from fedps.errors import Disagreement
from fedps.federation.assembled import pooled_row
from fedps.protocol.pooled import Pooled
from fedps.protocol.schemas import Schemas, positions_in
from fedps.protocol.schemas.date_kinds import LENGTHS, date_kind
from fedps.protocol.schemas.pool_schemas import pool_schemas
from fedps.protocol.schemas.time_units import OtherUnits, other_units
from fedps.statistics import Schema
from fedps.trials import Effect, UnitMatters, effect_of_units, same_times


def check_learned_units(
    estimator: Any, pooled: Pooled, weight: str | None, schemas: Schemas
) -> None:
    """Raise Disagreement where a step learns from what earlier ones make of times in different units."""
    assert pooled.table is not None
    keys = _keys(pooled.table)
    _effect(estimator, pooled, schemas, tuple(key for key in keys if key != weight))


def check_output_units(fitted: Any, schemas: Schemas) -> None:
    """Raise Disagreement where units change the output of a fitted estimator; times may stay in theirs."""
    pooled = Pooled()
    try:
        pool_schemas(schemas, pooled)
    except Disagreement:  # between tables that are transformed each by itself
        return
    assert pooled.table is not None
    keys, taken = _keys(pooled.table), getattr(fitted, "feature_names_in_", None)
    if pooled.table.names is not None and taken is not None:
        keys = tuple(key for key in map(str, taken) if key in keys)
    effect, found = _effect(fitted, pooled, schemas, keys)
    if effect == Effect.CELLS:
        raise found[0].error(f"the output of this {type(fitted).__name__} depends on the unit")


def _keys(table: Schema) -> tuple[Any, ...]:
    return tuple(range(table.width)) if table.names is None else table.names


def _effect(
    estimator: Any, pooled: Pooled, schemas: Schemas, keys: tuple[Any, ...]
) -> tuple[Effect, list[OtherUnits]]:
    """Return what units make of an estimator's output, and the columns in which the clients' differ."""
    found = list(other_units(dict.fromkeys(schemas, keys), schemas))
    if not found:
        return Effect.NONE, found
    assert pooled.table is not None
    every = _keys(pooled.table)
    row = take(pooled_row(pooled, schemas, None), [every.index(key) for key in keys])
    rows = [
        _row(*look) for look in {_look(both[0], keys) for both in schemas.values() if both[0].rows}
    ]
    lengths = {keys.index(each.key): date_kind(each.first[2]) == LENGTHS for each in found}
    days = any("D" in (each.first[1], each.other[1]) for each in found)
    try:
        effect = effect_of_units(estimator, same_times(row, rows, lengths, days=days))
    except UnitMatters as error:
        blamed = next((each for each in found if each.key in error.columns), found[0])
        raise blamed.error(
            f"{error.estimator} learns from what the steps before it make of them"
        ) from None
    return effect, found


def _look(
    schema: Schema, keys: tuple[Any, ...]
) -> tuple[Any, tuple[str, ...] | None, tuple[str, ...]]:
    """Return a client's container, and the names and dtypes of some of its columns."""
    if schema.names is None:
        return schema.container, None, schema.dtypes * len(keys)
    dtypes = tuple(schema.dtype(i) for i in positions_in(schema, keys))
    return schema.container, keys, dtypes


def _row(container: Any, names: tuple[str, ...] | None, dtypes: tuple[str, ...]) -> Any:
    return dummy_row(container, names, len(dtypes), dtypes)
