"""pooled_row: a made-up row of the table that has the rows of all clients."""

from __future__ import annotations

from typing import Any

from fedps.assembly import dtype_in, dummy_row, pooled_dtypes
from fedps.plans import OF_TARGETS
from fedps.protocol.pooled import Pooled
from fedps.protocol.schemas import Schemas, positions_in
from fedps.statistics import Schema


def pooled_row(
    pooled: Pooled, schemas: Schemas, estimator: Any, *, without: str | None = None
) -> Any:
    """Return one made-up row of the pooled table, or of the pooled target."""
    assert pooled.table is not None
    if isinstance(estimator, OF_TARGETS):
        schema = pooled.target or Schema("numpy", None, 1, ("|O",), pooled.table.rows)
        each = [list(both[1].dtypes) for both in schemas.values() if len(both) > 1 and both[1].rows]
        dtypes = pooled_dtypes(each, schema.container) if each else list(schema.dtypes)
        return dummy_row(schema.container, schema.names, schema.width, dtypes)
    table = pooled.table
    tables = [both[0] for both in schemas.values() if both[0].rows]
    dtypes = pooled_dtypes([_dtypes(t, table) for t in tables], table.container)
    names, width = table.names, table.width
    if without is not None and names is not None:
        kept = [i for i, name in enumerate(names) if name != without]
        dtypes = dtypes if len(dtypes) == 1 else [dtypes[i] for i in kept]
        names, width = tuple(names[i] for i in kept), len(kept)
    return dummy_row(table.container, names, width, dtypes)


def _dtypes(schema: Schema, like: Schema) -> list[str]:
    """Return a table's dtypes in the column order and the container of another table."""
    dtypes = list(schema.dtypes)
    if len(dtypes) > 1:
        dtypes = [dtypes[i] for i in positions_in(schema, like.names)]
    return [dtype_in(like.container, dtype, schema.container) for dtype in dtypes]
