"""DuckRows: a DuckDB relation, read as Arrow batches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from threading import RLock
from typing import Any

from fedps.client.tables.sources.arrow_source import SourceFault
from fedps.client.tables.sources.plain_types import PlainTypes
from fedps.client.tables.sources.queried_source import QueriedSource, one_table
from fedps.client.tables.sources.top_level_order import has_order

_BATCH_ROWS = 65_536
_one_at_a_time = (
    RLock()
)  # a connection has one result at a time, and relations do not tell their connection


def is_relation(source: Any) -> bool:
    """Return whether something is a DuckDB relation."""
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(source, duckdb.DuckDBPyRelation)


class DuckRows(QueriedSource):
    """The rows of a DuckDB relation. Its query runs again in each pass."""

    called = "the DuckDB relation"

    def __init__(self, relation: Any) -> None:
        super().__init__()
        self._relation = relation
        if not has_order(relation.sql_query()):
            self.unordered = "the DuckDB relation has no order: relation.order('id') gives it one"
        with _one_at_a_time:
            reader = self._reader(relation.limit(0))
            self._types = PlainTypes(reader.schema, "relation.select(...)")
            del reader
        self.schema = self._types.schema

    def _reader(self, relation: Any) -> Any:
        read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
        return read(_BATCH_ROWS)

    def scan(self) -> Iterator[Any]:
        """Yield the rows as DuckDB gives them."""
        reader: Any = None
        with _one_at_a_time:
            try:
                reader = self._reader(self._relation)
                for batch in reader:
                    yield self._types.of(one_table(batch))
            except (OSError, _duckdb_error()) as error:  # its text can quote cells
                reason = type(error).__name__
            else:
                return
            finally:
                del reader  # the connection is free again
        raise SourceFault("source wrong", f"{self.called} cannot be read: DuckDB says {reason}.")


def _duckdb_error() -> type[Exception]:
    return sys.modules["duckdb"].Error  # type: ignore[no-any-return]
