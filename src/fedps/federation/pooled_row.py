"""Made-up rows in the form of all clients' rows together."""

from __future__ import annotations

from typing import Any

from fedps.assembly import dummy_row, pooled_dtypes
from fedps.plans import OF_TARGETS
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.plan import View
from fedps.protocol.schemas import Columns, positions_in
from fedps.statistics import Schema, Statistic


def pooled_row(coordinator: Coordinator[Any], estimator: Any, *, without: str | None = None) -> Any:
    """Return one made-up row of all clients' tables together, or of their targets."""
    pooled = coordinator.pooled
    assert pooled.table is not None
    if isinstance(estimator, OF_TARGETS):
        schema = pooled.target or Schema("numpy", None, 1, ("|O",), pooled.table.rows)
        each = [
            list(both[1].dtypes)
            for both in coordinator.schemas.values()
            if len(both) > 1 and both[1].rows
        ]
        dtypes = pooled_dtypes(each, schema.container) if each else list(schema.dtypes)
        return dummy_row(schema.container, schema.names, schema.width, dtypes)
    table = pooled.table
    tables = [both[0] for both in coordinator.schemas.values() if both[0].rows]
    dtypes = pooled_dtypes([_dtypes(t, table) for t in tables], table.container)
    names, width = table.names, table.width
    if without is not None and names is not None:
        kept = [i for i, name in enumerate(names) if name != without]
        dtypes = dtypes if len(dtypes) == 1 else [dtypes[i] for i in kept]
        names, width = tuple(names[i] for i in kept), len(kept)
    return dummy_row(table.container, names, width, dtypes)


def _dtypes(schema: Schema, like: Schema) -> list[str]:
    """Return a table's dtypes in another's column order."""
    if len(schema.dtypes) == 1:
        return list(schema.dtypes)
    return [schema.dtypes[i] for i in positions_in(schema, like.names)]


def described_columns(
    view: View, columns: Columns, statistic: Statistic[Any, Any]
) -> tuple[str, ...]:
    """Return the clients' own columns that an answer is about, as a reader wants to see them."""
    if view.is_target or (statistic.of_target and statistic.aligned):
        return ("target",)
    at = (columns.of(view.base) or {}).values()
    # where positions were asked for, clients with another order have answered about others
    names = dict.fromkeys(name for each in at for name in each)
    return tuple(name if isinstance(name, str) else f"column {name}" for name in names)
