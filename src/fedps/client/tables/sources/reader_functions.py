"""ReadAgain: a function that gives a new pyarrow RecordBatchReader each time it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from fedps.client.tables.sources.arrow_source import SourceFault
from fedps.client.tables.sources.plain_types import PlainTypes
from fedps.client.tables.sources.queried_source import QueriedSource, one_table
from fedps.errors import UsageError


class ReadAgain(QueriedSource):
    """The rows of the readers that a function returns, a new one for each pass."""

    called = "the function that returns a reader"

    def __init__(self, read: Callable[[], Any], first: Any) -> None:
        super().__init__()
        self._read = read
        self._next: Any = first  # it is not read yet
        self._types = PlainTypes(first.schema, "the function", utc=False)
        self.schema = self._types.schema

    def scan(self) -> Iterator[Any]:
        """Yield the rows of the next reader."""
        reader, self._next = self._next, None
        if reader is None:
            reader = self._read()
        if not isinstance(reader, pa.RecordBatchReader) or reader.schema != self._types.given:
            raise SourceFault(
                "columns changed", f"{self.called} returned other columns than before."
            )
        with reader:
            for batch in reader:
                yield self._types.of(one_table(batch))


def once_only(_: Any) -> UsageError:
    """Return why a reader is not a table."""
    return UsageError(
        "a RecordBatchReader gives its rows once, and a fit may read them several times. Pass a function that returns a "
        "new reader each time, or reader.read_all() if the rows fit in memory."
    )
