"""QueriedSource: rows that come by running something again, and may be others the next time.

The first pass surveys them. Every later one is compared with it: a fit whose rounds saw different rows would be wrong,
and nobody would notice.
"""

from __future__ import annotations

import logging
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

import pyarrow as pa

from fedps.client.tables.sources.arrow_source import ArrowSource, SourceFault
from fedps.client.tables.sources.row_digest import RowDigest
from fedps.client.tables.sources.survey import SourceCounts, Survey

log = logging.getLogger("fedps.client")


class QueriedSource(ArrowSource):
    """A source that is counted when its rows are first needed, and again after it was released.

    Subclasses have ``schema`` from the start, ``called``, what it is in a sentence, and ``scan``; and ``count``, if what
    must be known of all rows can be had without reading them.
    """

    called: str

    def __init__(self) -> None:
        self._counts: SourceCounts | None = None
        self._first: RowDigest | None = None  # of the first pass
        self._keeps_order = False

    @abstractmethod
    def scan(self) -> Iterator[Any]:
        """Yield all rows as Arrow tables of the schema."""

    def count(self) -> SourceCounts | None:
        """Return what can be told of all rows without reading them; None if nothing can."""
        return None

    @property
    def is_surveyed(self) -> bool:
        """Whether the rows have been counted since the source was opened or released."""
        return self._counts is not None

    def _counted(self) -> SourceCounts:
        if self._counts is None:
            begun, found = time.perf_counter(), self.count()
            if found is None:
                survey = Survey()
                for _ in survey.watching(self.scan()):
                    pass
                found, self._first = survey.counts(), survey.digest
            seconds = time.perf_counter() - begun
            log.info("%s: %d rows, counted in %.1f seconds", self.called, found.rows, seconds)
            self._counts = found
        return self._counts

    @property
    def rows(self) -> int:  # type: ignore[override]
        """How many rows there are."""
        return self._counted().rows

    @property
    def nulls(self) -> Any:  # type: ignore[override]
        """How many cells of each column are null."""
        return self._counted().nulls

    @property
    def filled(self) -> Any:  # type: ignore[override]
        """Columns of floats that have a number."""
        return self._counted().filled

    def head(self) -> Any | None:
        """Return the first rows, or None if there are none."""
        return self._counted().head

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the rows; SourceFault at the end of a pass that had other rows than the first."""
        counts, now = self._counted(), RowDigest()
        for table in self.scan():
            now.add(table)
            yield table if columns is None else table.select(list(columns))
        if self._first is None and now.rows == counts.rows:
            self._first = now
        self._compare(self._first or RowDigest(), now)

    def _compare(self, first: RowDigest, now: RowDigest) -> None:
        if now.bag != first.bag:
            raise SourceFault(
                "source changed",
                f"{self.called} gave other rows than before: they changed during the fit, or come by chance, "
                f"random() for example. Fit again{self._way_out()}.",
            )
        if now.list != first.list and (self._keeps_order or self.unordered is None):
            raise SourceFault(
                "order changed",
                f"{self.called} gave its rows in another order than before. Order them by columns that tell all "
                "rows apart, and fit again.",
            )

    def _way_out(self) -> str:
        return ""

    def fingerprint(self) -> str:
        """Return the number of rows and a digest of the columns; after a pass, also one of the cells."""
        columns = [(field.name, str(field.type)) for field in self.schema]
        kinds = blake2b(repr(columns).encode(), digest_size=4).hexdigest()
        known = f"{self._counted().rows} rows, columns {kinds}"
        if self._first is None:
            return known
        return f"{known}, cells {self._first.list if self.unordered is None else self._first.bag}"

    def keep_order(self) -> None:
        """Demand that all passes from now on have the rows in the same order."""
        self._keeps_order = True

    def release(self) -> None:
        """Forget what was found out about the rows."""
        self._counts = self._first = None
        self._keeps_order = False


def one_table(batch: Any) -> Any:
    """Return a record batch as a table."""
    return pa.Table.from_batches([batch])
