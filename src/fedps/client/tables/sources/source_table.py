"""SourceTable: a table that is read from its source in chunks of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fedps.client.tables.cast_columns import cast_columns
from fedps.client.tables.cells.native_table import column_at, names_of, polars, take
from fedps.client.tables.cells.target import as_target
from fedps.client.tables.sources.arrow_frames import nan_for_none
from fedps.client.tables.sources.arrow_source import ArrowSource
from fedps.client.tables.table import Chunk, Table, dtypes_of, no_such_target, target_schema
from fedps.errors import UsageError
from fedps.statistics.cells.schema import Schema

CHUNK_ROWS = 65_536  # 21 MB for 40 columns of doubles


class SourceTable(Table):
    """A table in files, a database or anything else that gives Arrow data, which need not fit in memory."""

    def __init__(
        self,
        source: ArrowSource,
        *,
        target: str | None = None,
        dtypes: Mapping[str, str] | None = None,
    ) -> None:
        self._source = source
        self.container = source.container
        self._dtypes = dtypes or {}
        self._none = self._frame(source.schema.empty_table())
        self._names = list(names_of(self._none) or ())
        if target is not None and target not in self._names:
            raise UsageError(no_such_target(target, self._names))
        self.target_name = target
        self._target = None if target is None else self._names.index(target)
        self._features = [j for j in range(len(self._names)) if j != self._target]
        self._try_dtypes()

    def _try_dtypes(self) -> None:
        """Read the columns once that are to have other dtypes: a mistake shows when it is opened."""
        wanted = [name for name in self._names if name in self._dtypes]
        for table in self._source.tables(wanted) if wanted else ():
            cast_columns(self._frame(table), self._dtypes)

    def chunks(self) -> Iterator[Chunk]:
        """Yield the rows in frames of about CHUNK_ROWS."""
        start = 0
        for table in rechunked(self._source.tables(), CHUNK_ROWS):
            yield self._chunk(self._steady(self._frame(table)), start)
            start += table.num_rows

    @property
    def is_described(self) -> bool:
        """Whether the source has been read for the schema."""
        return "_schemas" in vars(self)

    @property
    def unordered(self) -> str | None:
        """Why the rows have no order; None if they have one."""
        return self._source.unordered

    def keep_order(self) -> None:
        """Demand that all passes from now on have the rows in the same order."""
        self._source.keep_order()

    def fingerprint(self) -> str:
        """Return what differs if rows do; empty if that is not known."""
        return self._source.fingerprint()

    def rest(self) -> None:
        """Close what is open until rows are read again; what was found out about them stays."""
        self._source.rest()

    def release(self) -> None:
        """Let go of the rows as they are, and of what was found out about them."""
        self._source.release()
        if not self._source.is_surveyed:
            vars(self).pop("_schemas", None)
            vars(self).pop("_wider", None)

    def schema(self) -> Schema:
        """Return the schema of the features."""
        return self._schemas[0]

    def target_schema(self) -> Schema | None:
        """Return the schema of the target; None without a target."""
        return self._schemas[1]

    @cached_property
    def _schemas(self) -> tuple[Schema, Schema | None]:
        rows = self._source.rows
        empty = self._empty()
        names = tuple(self._names[j] for j in self._features)
        places = tuple(at for at, j in enumerate(self._features) if j in empty)
        none = self._chunk(self._steady(self._none))  # its dtypes are those of all chunks
        X = Schema(self.container, names, len(names), dtypes_of(none.X), rows, places)
        y = None if self._target is None else target_schema(self._first().y)
        if y is None:
            return X, None
        gaps = (0,) if self._target in empty else ()
        return X, Schema(y.container, y.names, y.width, y.dtypes, rows, gaps)

    def _first(self) -> Chunk:
        """Return the first rows, or a chunk without rows that still has the columns."""
        head = self._source.head()
        frame = self._none if head is None else self._frame(head.slice(0, CHUNK_ROWS))
        return self._chunk(self._steady(frame))

    def _chunk(self, frame: Any, start: int = 0) -> Chunk:
        if self._target is None:
            return Chunk(frame, None, frame, start)
        y = as_target(column_at(frame, self._target))
        return Chunk(take(frame, self._features), y, frame, start)

    def _frame(self, table: Any) -> Any:
        """Return a frame with text names: pandas restores integer ones from a Parquet file's metadata."""
        frame = self._source.frame(table)
        if names_of(frame) is None:
            frame.columns = [str(name) for name in frame.columns]
        return frame

    @cached_property
    def _wider(self) -> dict[str, Any]:
        """A wider dtype for each column whose dtype would depend on a chunk's missing cells.

        pandas makes integers of a chunk without nulls, and floats of the next one that has some.
        """
        wider: dict[str, Any] = {}
        for name, dtype in zip(self._none.columns, self._none.dtypes, strict=True):
            if not self._source.widens or not self._source.nulls[name]:
                continue
            if self.container == "polars":
                if dtype.is_integer():
                    wider[name] = polars().Float64
            elif isinstance(dtype, np.dtype) and dtype.kind in "iub":
                wider[name] = np.dtype(object if dtype.kind == "b" else np.float64)
        return wider

    def _steady(self, frame: Any) -> Any:
        if self.container == "polars":
            frame = frame.cast(self._wider) if self._wider else frame
            return cast_columns(frame, self._dtypes)
        frame = frame.astype(self._wider) if self._wider else frame
        frame = cast_columns(frame, self._dtypes)
        return nan_for_none(frame) if self._source.nan_for_none else frame

    def _empty(self) -> set[int]:
        """Return the positions of all-missing columns. Nulls are counted already, but NaN are not."""
        source = self._source
        empty = {name for name in self._names if source.nulls[name] == source.rows}
        known = empty | source.filled
        left = [name for name in self._names if name not in known]
        left = [name for name in left if pa.types.is_floating(source.schema.field(name).type)]
        for table in source.tables(left) if left else ():
            left = [name for name in left if not _has_number(table[name])]
            if not left:
                break
        return {j for j, name in enumerate(self._names) if name in empty or name in left}


def _has_number(column: Any) -> bool:
    return not pc.all(column.is_null(nan_is_null=True), min_count=0).as_py()


def rechunked(tables: Iterable[Any], rows: int) -> Iterator[Any]:
    """Yield the same rows in tables of exactly ``rows`` rows; the last one may be shorter."""
    held: list[Any] = []
    count = 0
    for table in tables:
        held.append(table)
        count += table.num_rows
        while count >= rows:
            whole = pa.concat_tables(held)
            yield whole.slice(0, rows)
            count -= rows
            held = [whole.slice(rows)]
    if count:
        yield pa.concat_tables(held)
