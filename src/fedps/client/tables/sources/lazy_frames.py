"""LazyRows: a polars LazyFrame, collected in batches by polars' streaming engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fedps.client.tables.cells.native_table import polars
from fedps.client.tables.sources.arrow_source import SourceFault
from fedps.client.tables.sources.queried_source import QueriedSource
from fedps.errors import UsageError
from fedps.statistics.cells.schema import Container

_BATCH_ROWS = 65_536


class LazyRows(QueriedSource):
    """The rows of a LazyFrame, as they are in a frame of polars."""

    container: Container = "polars"
    called = "the LazyFrame"
    widens = False  # integers with gaps stay integers in polars

    def __init__(self, lazy: Any) -> None:
        super().__init__()
        if not hasattr(lazy, "collect_batches"):
            raise UsageError(
                "this version of polars cannot collect a LazyFrame in batches. Install polars 1.34 or newer, or pass "
                "the result of its .collect()."
            )
        self._lazy = lazy
        try:
            self._kinds = lazy.collect_schema()
        except polars().exceptions.PolarsError as error:
            reason = type(error).__name__
        else:
            reason = ""
        if reason:
            raise UsageError(f"the LazyFrame cannot be collected: polars says {reason}.")
        self.schema = polars().DataFrame(schema=self._kinds).to_arrow().schema

    def scan(self) -> Iterator[Any]:
        """Yield the rows in their order."""
        try:
            for frame in self._lazy.collect_batches(chunk_size=_BATCH_ROWS, maintain_order=True):
                yield frame.to_arrow().cast(self.schema)
        except (polars().exceptions.PolarsError, OSError) as error:  # its text can quote cells
            reason = type(error).__name__
        else:
            return
        raise SourceFault(
            "source wrong", f"{self.called} cannot be collected: polars says {reason}."
        )

    def frame(self, table: Any) -> Any:
        """Return a frame with the LazyFrame's own types: Arrow has no Enum."""
        return polars().from_arrow(table).cast(self._kinds)
