"""open_owned: a client's table with ``split="columns"``: its columns of rows that others have, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from fedps.client.tables.cast_columns import cast_columns
from fedps.client.tables.cells.native_table import (
    column_at,
    kind_of,
    names_of,
    shape,
    take,
    take_rows,
)
from fedps.client.tables.cells.target import as_target
from fedps.client.tables.concat_rows import concat_rows
from fedps.client.tables.open_table import as_table, from_pair, open_table
from fedps.client.tables.table import Chunk, InMemory, absent, no_such_column
from fedps.errors import UsageError


class OwnedTable(InMemory):
    """A table in memory, whose key column identifies the rows. The key is not a feature.

    Parameters
    ----------
    chunk : Chunk
        All rows.
    target_name : str or None
        The name of the target.
    key : array of str or None
        The keys of the rows.
    key_name : str or None
        The name of the key column.
    salt : bytes
        What the owners share that hides keys from a server that guesses them.
    """

    def __init__(
        self,
        chunk: Chunk,
        target_name: str | None,
        key: Any,
        key_name: str | None = None,
        salt: bytes = b"",
    ) -> None:
        super().__init__(chunk.X, chunk.y, chunk.source, target_name)
        self.key = key
        self.key_name = key_name
        self.salt = salt

    def at(self, rows: np.ndarray[Any, Any]) -> OwnedTable:
        """Return the table of some rows, in their order."""
        (all_,) = self.chunks()
        y = all_.y.iloc[rows] if hasattr(all_.y, "iloc") else all_.y
        y = y[rows] if y is all_.y and y is not None else y
        source = None if all_.source is None else take_rows(all_.source, rows)
        keys = None if self.key is None else self.key[rows]
        chunk = Chunk(take_rows(all_.X, rows), y, source)
        return OwnedTable(chunk, self.target_name, keys, self.key_name, self.salt)

    def of_keys(self) -> InMemory:
        """Return the table that has the key column only."""
        all_ = self._chunk
        names = list(names_of(all_.source) or ())
        column = take(all_.source, [names.index(str(self.key_name))])
        return KeyTable(column, all_.y, all_.source, self.target_name)


class KeyTable(InMemory):
    """The key column of a table. Asking it for keys is asking it once, even if there are none."""

    def chunks(self) -> Iterator[Chunk]:
        """Yield all rows."""
        yield self._chunk


def open_owned(
    source: Any,
    *,
    target: str | None,
    key: str | None,
    dtypes: Mapping[str, str] | None = None,
    salt: bytes = b"",
) -> OwnedTable:
    """Return a client's columns, all of them in memory.

    ``target`` need not be among them: exactly one client holds it. ``key`` must be. Statistics of whole
    rows are as long as the table, so that reading it in chunks would save nothing.
    """
    if isinstance(source, tuple) and len(source) == 2:
        table = from_pair(*source, dtypes=dtypes)
        (chunk,) = [*table.chunks()] or [Chunk(np.empty((0, 0)))]
        X, y = chunk.X, chunk.y
        if y is not None and target is not None:
            msg = f"target={target!r} names a column, but the client is already a pair (X, y)."
            raise UsageError(msg)
    else:
        X, y = _whole(source, dtypes, key), None
    names = list(names_of(X) or ())
    label, keys = _place(target, names), None
    if key is not None:
        if key not in names:
            raise UsageError("key: " + no_such_column(key, names))
        keys = as_keys(column_at(X, names.index(key)), key)
    if label is not None:
        y = as_target(column_at(X, label))
    features = [j for j in range(shape(X)[1]) if j != label and (not names or names[j] != key)]
    chunk = Chunk(take(X, features), y, X)
    return OwnedTable(chunk, None if label is None else target, keys, key, salt)


def _place(name: str | None, names: list[str]) -> int | None:
    return names.index(name) if name is not None and name in names else None


def _whole(source: Any, dtypes: Mapping[str, str] | None, key: str | None) -> Any:
    if kind_of(source) is not None or isinstance(source, list | pa.Table):
        return cast_columns(as_table(source), dtypes or {})
    table = open_table(source, dtypes=dtypes)
    if key is None and table.unordered is not None:
        raise UsageError(
            f"{table.unordered}. Owners of columns need one, or key=: without it, row after row belong together."
        )
    parts = [chunk.X for chunk in table.chunks()]
    table.release()
    if not parts:
        raise UsageError("the source has no rows.")
    return concat_rows(parts)


def as_keys(column: Any, name: str) -> np.ndarray[Any, Any]:
    """Return the cells of a key column as text, the same for any dtype and container.

    One client may have the key as integers, another as floats or as text.

    >>> as_keys(np.array([7.0, 8.0]), "id").tolist(), as_keys(np.array(["7", "8"]), "id").tolist()
    (['7', '8'], ['7', '8'])
    """
    if bool(absent(column).any()):
        raise UsageError(f"the key column {name!r} has missing values. Every row needs a key.")
    cells = np.asarray(column)
    if cells.dtype.kind == "M":  # the same text for any unit, in which libraries differ
        cells = cells.astype("M8[us]").astype(object)
    if cells.dtype.kind == "f":
        cells = _without_points(cells)
    if cells.dtype.kind == "O":  # may hold integers and text
        cells = np.array([_plain(cell) for cell in cells.tolist()])
    texts = np.asarray(cells.astype(np.str_))
    if len(np.unique(texts)) < len(texts):
        raise UsageError(
            f"the key column {name!r} has the same key in several rows, so it does not identify them. "
            "Make one key from several columns, or leave key= out: then all clients must have the rows "
            "in the same order."
        )
    return texts


def _without_points(cells: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return floats as text, or as integers if all are. A cell's text never depends on other cells.

    >>> _without_points(np.array([7.0, 8.5])).tolist(), _without_points(np.array([7.0])).tolist()
    (['7', '8.5'], [7])
    """
    whole = np.isfinite(cells) & (cells == np.rint(cells))
    if bool(whole.all() & (abs(cells) < 2**53).all()):
        return cells.astype(np.int64)
    texts = cells.astype(np.str_).astype(object)  # of single precision, the shorter text
    texts[whole] = [str(int(cell)) for cell in cells[whole].tolist()]
    return texts.astype(np.str_)


def _plain(cell: Any) -> str:
    """Return a cell as text; integers without a point, dates without a time.

    >>> _plain(7.0), _plain(2**60 + 1), _plain("007"), _plain(0.5)
    ('7', '1152921504606846977', '007', '0.5')
    >>> _plain(datetime(2024, 5, 1)), _plain(datetime(2024, 5, 1, 12, 30))
    ('2024-05-01', '2024-05-01 12:30:00')
    """
    if isinstance(cell, datetime):
        utc = cell if cell.tzinfo is None else cell.astimezone(UTC).replace(tzinfo=None)
        return str(utc).removesuffix(" 00:00:00")
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
