"""How the clients' tables fit together: one pooled schema, and who has which columns at a place."""

from fedps.protocol.schemas.columns import Columns, Key
from fedps.protocol.schemas.pool_schemas import (
    Schemas,
    check_schema,
    positions_in,
)

__all__ = ["Columns", "Key", "Schemas", "check_schema", "positions_in"]
