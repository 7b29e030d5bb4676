"""Survey: what one pass over a source tells about all of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from fedps.client.tables.sources.row_digest import RowDigest

_HEAD_ROWS = 1024


class SourceCounts(NamedTuple):
    """What must be known of all rows before any is read: see ``ArrowSource``."""

    rows: int
    nulls: Mapping[str, int]
    filled: AbstractSet[str]
    head: Any = None


class Survey:
    """Rows, nulls, columns that have a number, the first rows and a digest; by one pass.

    >>> survey = Survey()
    >>> table = pa.table({"a": [1.0, None], "b": [float("nan")] * 2})
    >>> [table.num_rows for table in survey.watching(iter([table]))]
    [2]
    >>> survey.digest.rows, survey.nulls["a"], sorted(survey.filled)
    (2, 1, ['a'])
    """

    def __init__(self) -> None:
        self.nulls: Counter[str] = Counter()
        self.filled: set[str] = set()
        self.digest = RowDigest()
        self.head: Any = None

    def counts(self) -> SourceCounts:
        """Return what was counted."""
        return SourceCounts(self.digest.rows, self.nulls, self.filled, self.head)

    def watching(self, tables: Iterator[Any]) -> Iterator[Any]:
        """Yield the same tables, and take each in before."""
        for table in tables:
            self._add(table)
            yield table

    def _add(self, table: Any) -> None:
        self.digest.add(table)
        if self.head is None and table.num_rows:
            self.head = pa.Table.from_batches(table.slice(0, _HEAD_ROWS).to_batches(), table.schema)
        for name, column in zip(table.column_names, table.columns, strict=True):
            self.nulls[name] += column.null_count
            if name not in self.filled and pa.types.is_floating(column.type):
                numbers = pc.any(pc.invert(column.is_null(nan_is_null=True)), min_count=0)
                if numbers.as_py():
                    self.filled.add(name)
