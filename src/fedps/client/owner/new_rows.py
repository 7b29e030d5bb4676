"""New rows of which an owner has its columns: what others' columns are needed for to predict."""

from __future__ import annotations

from typing import Any

from fedps.client.tables.cells.native_table import names_of, positions_of, shape, take
from fedps.client.tables.owned_table import OwnedTable
from fedps.client.tables.table import Chunk
from fedps.statistics import BadCells


def like_own(rows: Any, known: Any) -> Any:
    """Return some rows with the columns of a client's own table, in its order; BadCells if some lack."""
    names, found = names_of(known), names_of(rows)
    if names is not None and found is not None:
        for name in names:
            if name not in found:
                raise BadCells("new column", what=name)
        return take(rows, positions_of(rows, names))
    if shape(rows)[1] != shape(known)[1]:
        raise BadCells("new width")
    return rows


def new_table(new: OwnedTable, known: Any) -> OwnedTable:
    """Return new rows as a table with the columns of a client's own."""
    (chunk,) = new.chunks()
    own = Chunk(like_own(chunk.X, known), None, chunk.source)
    return OwnedTable(own, None, new.key, new.key_name)
