"""fit_digest: what tells a fit that comes once more from another one of the same name."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from fedps.client.tables.cells.native_table import column_at, shape
from fedps.client.tables.owned_table import OwnedTable


def fit_digest(message: bytes, table: OwnedTable) -> str:
    """Return a digest of what was fitted and learned, and of the rows that it was fitted on.

    Parameters
    ----------
    message : bytes
        What was fitted and learned.
    table : OwnedTable
        The client's own rows.
    """
    digest = blake2b(message, digest_size=16)
    (chunk,) = table.chunks()
    columns = [column_at(chunk.X, j) for j in range(shape(chunk.X)[1])]
    for column in (*columns, chunk.y, table.key):
        digest.update(_cells(column))
    return digest.hexdigest()


def _cells(column: Any) -> bytes:
    """Return the cells of a column, and what they are."""
    if column is None:
        return b"none"
    cells = np.asarray(column)
    about = f"{cells.dtype.str}{cells.shape}".encode()
    if cells.dtype.kind == "O":
        return about + repr(cells.tolist()).encode("utf-8", "surrogatepass")
    return about + cells.tobytes()
