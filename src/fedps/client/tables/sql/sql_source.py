"""SqlRows: the rows of a query, held as they are while a fit lasts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any

import pyarrow as pa

from fedps.client.tables.sources.arrow_source import SourceFault
from fedps.client.tables.sources.plain_types import PlainTypes, numeric_without_places
from fedps.client.tables.sources.queried_source import QueriedSource, one_table
from fedps.client.tables.sources.survey import SourceCounts
from fedps.client.tables.sources.top_level_order import has_order, one_statement
from fedps.client.tables.sources.uri import shown_uri
from fedps.client.tables.sql.held_connection import HeldConnection
from fedps.client.tables.sql.sql_faults import CHANGED, LOST, SENTENCES

_QUERY = "the query"
_MOST_COUNTED = 700  # columns: PostgreSQL answers with at most 1664, and floats need two


class SqlRows(QueriedSource):
    """What a query of a database gives.

    All passes until ``release`` are in one read-only transaction. If the connection is lost between two passes, the next
    one begins another; that its rows are the same is compared as for any source that is queried.
    """

    called = _QUERY

    def __init__(self, uri: str, query: str, timeout: float | None = None) -> None:
        super().__init__()
        self._uri = uri
        self._query = one_statement(query)
        self._session = HeldConnection(uri, timeout)
        if not has_order(query):
            self.unordered = "the query has no ORDER BY at its end, so that its rows have no order"
        try:
            self._types = self._described()
        except BaseException:
            self._session.close()
            raise
        self.schema = self._types.schema

    def _described(self) -> PlainTypes:
        given = self._session.schema(self._query)
        places = {}
        if names := numeric_without_places(given):
            quoted = [name.replace('"', '""') for name in names]
            most = ", ".join(f'max(scale("{name}"))' for name in quoted)
            found = self._session.numbers(f"SELECT {most} FROM ({self._query}) AS own")  # noqa: S608 - the owner's
            places = {name: int(number or 0) for name, number in zip(names, found, strict=True)}
        return PlainTypes(given, _QUERY, places)

    def scan(self) -> Iterator[Any]:
        """Yield the rows; a connection that was lost since the last pass is made again, once."""
        was_open = self._session.is_open
        self._renew()
        answer = self._session.batches(self._query)
        try:
            given = next(answer)
        except SourceFault as fault:
            if fault.rule != LOST or not was_open:
                raise
            given = None
        if given is None:
            answer = self._session.batches(self._query)
            given = next(answer)
        if not _same_columns(given, self._types.given):
            answer.close()
            raise SourceFault(CHANGED, SENTENCES[CHANGED].format(uri=shown_uri(self._uri)) + ".")
        for batch in answer:
            yield self._types.of(one_table(batch))

    def _renew(self) -> None:
        """Describe the columns of the rows as they are now; their names and kinds must stay."""
        if self.is_surveyed or self._session.is_open:
            return
        types = self._described()
        if not _same_columns(types.given, self._types.given):
            raise SourceFault(CHANGED, SENTENCES[CHANGED].format(uri=shown_uri(self._uri)) + ".")
        self._types, self.schema = types, types.schema

    def count(self) -> SourceCounts | None:
        """Return what PostgreSQL counts itself, which is faster than to read all rows for it."""
        self._renew()
        names = [name.replace('"', '""') for name in self.schema.names]
        if not self._session.counts or len(names) > _MOST_COUNTED:
            return None
        floats = [pa.types.is_floating(field.type) for field in self.schema]
        numbers = [f'count("{n}") FILTER (WHERE "{n}" <> \'NaN\')' for n in compress(names, floats)]
        every = ", ".join(["count(*)", *(f'count("{name}")' for name in names), *numbers])
        rows, *found = self._session.numbers(f"SELECT {every} FROM ({self._query}) AS own")  # noqa: S608 - as above
        nulls = {name: rows - known for name, known in zip(self.schema.names, found, strict=False)}
        more = zip(compress(self.schema.names, floats), found[len(names) :], strict=True)
        return SourceCounts(rows, nulls, {name for name, known in more if known})

    def head(self) -> Any | None:
        """Return some rows, or None if there are none."""
        head = super().head()
        if head is not None or not self.rows:
            return head
        answer = self._session.batches(f"SELECT * FROM ({self._query}) AS own LIMIT 1000")  # noqa: S608 - as above
        next(answer)
        return pa.concat_tables([self._types.of(one_table(batch)) for batch in answer])

    def _way_out(self) -> str:
        return ", at a time when nobody writes" if not self._session.holds else ""

    def rest(self) -> None:
        """End the transaction."""
        self._session.close()

    def release(self) -> None:
        """End the transaction, and forget what was found out about its rows."""
        super().release()
        self._session.close()


def _same_columns(left: Any, right: Any) -> bool:
    return bool(left.names == right.names and left.types == right.types)
