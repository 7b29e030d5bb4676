"""HeldConnection: a connection to a database that holds the rows as they are, from the first statement on."""

from __future__ import annotations

import weakref
from collections.abc import Generator, Iterator
from contextlib import suppress
from threading import RLock
from typing import Any

from fedps.client.tables.sources.arrow_source import SourceFault
from fedps.client.tables.sources.uri import shown_uri
from fedps.client.tables.sql.drivers import driver_of
from fedps.client.tables.sql.sql_faults import LOST, SENTENCES, WRONG, kind_of_fault, mixed_column
from fedps.errors import UsageError


class HeldConnection:
    """One read-only transaction. It begins with the first statement, and lasts until it is closed.

    Parameters
    ----------
    uri : str
        The address of the database.
    timeout : float, optional
        The most seconds that a statement may take.
    """

    def __init__(self, uri: str, timeout: float | None) -> None:
        self._uri = uri
        self._timeout = timeout
        self._driver = driver_of(uri)
        self._held: list[Any] = []  # the connection, if there is one
        weakref.finalize(self, _close, self._held)
        self._one_at_a_time = RLock()

    @property
    def is_open(self) -> bool:
        """Whether rows are held."""
        return bool(self._held)

    @property
    def holds(self) -> bool:
        """Whether the database can hold the rows as they are."""
        return bool(self._driver.begin)

    @property
    def counts(self) -> bool:
        """Whether the database counts all that a client must know of its rows."""
        return self._driver.counts

    def close(self) -> None:
        """Let go of the rows. The next statement begins anew."""
        _close(self._held)

    def schema(self, query: str) -> Any:
        """Return the columns of a query as they come, without running it where the driver can."""
        return self._guarded(lambda cursor: self._described(cursor, query))

    def _described(self, cursor: Any, query: str) -> Any:
        try:
            return cursor.adbc_execute_schema(query)
        except Exception as error:  # drivers have their own types, told apart by name
            if type(error).__name__ != "NotSupportedError":
                raise
        cursor.execute(query)
        with cursor.fetch_record_batch() as reader:
            return reader.schema

    def numbers(self, query: str) -> list[Any]:
        """Return the only row of a query."""

        def one_row(cursor: Any) -> list[Any]:
            cursor.execute(query)
            return [column[0].as_py() for column in cursor.fetch_arrow_table().columns]

        return list(self._guarded(one_row))

    def _guarded(self, work: Any) -> Any:
        with self._one_at_a_time:
            try:
                with self._open().cursor() as cursor:
                    return work(cursor)
            except UsageError:
                raise
            except Exception as error:  # noqa: BLE001 - of the driver
                fault = self._fault(error)
        raise fault

    def batches(self, query: str) -> Generator[Any]:
        """Yield first the schema of a query's answer, then its record batches. One answer at a time."""
        with self._one_at_a_time:
            try:
                with self._open().cursor() as cursor:
                    cursor.adbc_statement.set_options(**self._driver.options)
                    cursor.execute(query)
                    with cursor.fetch_record_batch() as reader:
                        yield reader.schema
                        yield from reader
            except UsageError:
                raise
            except Exception as error:  # noqa: BLE001 - of the driver
                fault = self._fault(error)
            else:
                return
        raise fault

    def _open(self) -> Any:
        if not self._held:
            connection = self._driver.connect(self._uri)
            try:
                for statement in self._beginning():
                    with connection.cursor() as cursor:
                        cursor.execute(statement)
            except BaseException:
                with suppress(Exception):
                    connection.close()
                raise
            self._held.append(connection)
        return self._held[0]

    def _beginning(self) -> Iterator[str]:
        yield from self._driver.begin
        if self._timeout is not None and self._driver.time_limit:
            yield self._driver.time_limit.format(milliseconds=int(self._timeout * 1000))

    def _fault(self, error: Exception) -> SourceFault:
        """Return what an error of the driver means; the transaction is over in any case."""
        column = mixed_column(error)
        kind = "mixed" if column is not None else kind_of_fault(error)
        if kind == WRONG and self._held and not self._answers():
            kind = LOST
        self.close()
        sentence = SENTENCES[kind].format(uri=shown_uri(self._uri), column=f"number {column}")
        return SourceFault(WRONG if kind == "mixed" else kind, f"{sentence}.")

    def _answers(self) -> bool:
        """Whether the server still answers, if only that the transaction has failed."""
        try:
            with self._held[0].cursor() as cursor:
                cursor.execute("SELECT 1")
                cursor.fetchone()
        except Exception as error:  # noqa: BLE001 - of the driver
            return str(getattr(error, "sqlstate", None) or "").startswith("25P02")
        return True


def _close(held: list[Any]) -> None:
    """Close a connection, which ends its transaction."""
    while held:
        with suppress(Exception):
            held.pop().close()
