"""SQL: a client's table that is the answer to a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fedps.client.tables.sources.uri import is_uri, shown_uri
from fedps.errors import UsageError


@dataclass(frozen=True)
class SQL:
    """A client's table that is the answer to a query of a database.

    The rows are read in batches by ADBC and are never all in memory. All rounds of a fit see the same rows: PostgreSQL,
    SQLite and DuckDB hold them in one read-only transaction, and with any other driver a change is an error. The query
    stays with the client; nobody else is told it.

    Parameters
    ----------
    uri : str
        The address: ``postgresql://user@host/database``, ``sqlite:///file.db`` or ``duckdb:///file.duckdb``. The password is
        best left to the environment, ``PGPASSWORD`` or ``postgresql://user:${OSLO_PASSWORD}@host/database``; where one is
        in the address, it is never shown.
    query : str
        What to read. With ``ORDER BY`` the rows have an order, which samples and folds need.
    timeout : float, default=None
        The most seconds that reading all rows may take, in PostgreSQL. Default: the server's own limit.
    dtypes : dict of str to str, default=None
        What some columns are read as, such as ``{"zip": "str"}``.

    Examples
    --------
    >>> import fedps
    >>> fedps.SQL("postgresql://ana:hunter2@oslo/visits", "SELECT age, sex FROM visits ORDER BY id")
    SQL('postgresql://ana:***@oslo/visits', 'SELECT age, sex FROM visits ORDER BY id')
    """

    uri: str = field(repr=False)
    query: str
    timeout: float | None = None
    dtypes: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if not is_uri(str(self.uri)):
            raise UsageError(
                "fedps.SQL(uri, query): the uri is an address such as postgresql://user@host/database or "
                "sqlite:///file.db."
            )
        if not str(self.query or "").strip():
            raise UsageError(
                "fedps.SQL(uri, query): the query is a text such as 'SELECT * FROM visits ORDER BY id'."
            )
        if self.timeout is not None and not (
            type(self.timeout) in (int, float) and self.timeout > 0
        ):
            raise UsageError(f"SQL(timeout=): a number of seconds above 0; got {self.timeout!r}.")

    def __repr__(self) -> str:
        return f"SQL({shown_uri(self.uri)!r}, {self.query!r})"
