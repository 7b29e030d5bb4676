"""Which ADBC driver an address needs, and how its database holds the rows as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote

from fedps.client.tables.sources.uri import file_of, filled_in, scheme_of, shown_uri
from fedps.errors import UsageError

# A server that does not answer is an error within seconds; a machine that is gone, within a minute.
_PATIENCE = {
    "connect_timeout": "10",
    "keepalives_idle": "20",
    "keepalives_interval": "5",
    "keepalives_count": "4",
}
_LOCK_SECONDS = 30  # how long another's exclusive lock of a table is waited for


@dataclass(frozen=True)
class Driver:
    """How a kind of database is reached.

    ``begin`` are the statements that hold the rows as they are; without any, every pass is compared with the first,
    and differing rows are an error.
    """

    module: str
    install: str
    connect: Callable[[str], Any]
    begin: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    counts: bool = False  # whether it knows NaN as PostgreSQL does
    time_limit: str = ""  # the statement that limits the seconds of the others


def _postgresql(uri: str) -> Any:
    from adbc_driver_postgresql import dbapi

    whole = filled_in(uri)
    missing = [f"{name}={value}" for name, value in _PATIENCE.items() if f"{name}=" not in whole]
    joint = "&" if "?" in whole else "?"
    return dbapi.connect(whole + joint + "&".join(missing), autocommit=True)


def _sqlite(uri: str) -> Any:
    from adbc_driver_sqlite import dbapi

    path = _existing(uri)
    return dbapi.connect(f"file:{quote(str(path))}?mode=ro", autocommit=True)


def _duckdb(uri: str) -> Any:
    import adbc_driver_duckdb
    from adbc_driver_manager import dbapi

    options = {"path": str(_existing(uri)), "access_mode": "READ_ONLY"}
    return dbapi.connect(
        adbc_driver_duckdb.driver_path(),
        entrypoint="duckdb_adbc_init",
        db_kwargs=options,
        autocommit=True,
    )


def _existing(uri: str) -> Any:
    path = file_of(uri)
    if not path.is_file():
        raise UsageError(f"there is no file {str(path)!r}.")
    return path


def _snowflake(uri: str) -> Any:
    from adbc_driver_snowflake import dbapi

    return dbapi.connect(filled_in(uri).removeprefix("snowflake://"), autocommit=True)


def _flight(uri: str) -> Any:
    from adbc_driver_flightsql import dbapi

    return dbapi.connect(filled_in(uri).replace("flightsql://", "grpc+tls://"), autocommit=True)


DRIVERS = {
    "postgresql": Driver(
        "adbc_driver_postgresql",
        "fedps[sql]",
        _postgresql,
        begin=(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            # the same query gives its rows in the same order, as far as that is in our hands
            "SET LOCAL synchronize_seqscans = off",
            "SET LOCAL max_parallel_workers_per_gather = 0",
            f"SET LOCAL lock_timeout = {_LOCK_SECONDS * 1000}",
        ),
        options={"adbc.postgresql.batch_size_hint_bytes": 1 << 22},
        counts=True,
        time_limit="SET LOCAL statement_timeout = {milliseconds}",
    ),
    "sqlite": Driver(
        "adbc_driver_sqlite",
        "fedps[sql]",
        _sqlite,
        begin=("BEGIN",),
        options={"adbc.sqlite.query.batch_rows": 65_536},
    ),
    "duckdb": Driver("adbc_driver_duckdb", "fedps[duckdb]", _duckdb, begin=("BEGIN TRANSACTION",)),
    "snowflake": Driver("adbc_driver_snowflake", "adbc-driver-snowflake", _snowflake),
    "flightsql": Driver("adbc_driver_flightsql", "adbc-driver-flightsql", _flight),
}


def driver_of(uri: str) -> Driver:
    """Return the driver of an address; UsageError if it is not known or not installed."""
    found = DRIVERS.get(scheme_of(uri))
    if found is None:
        known = ", ".join(f"{name}://" for name in DRIVERS)
        raise UsageError(
            f"{shown_uri(uri)} is not an address of a known database. Known are {known}."
        )
    if any(find_spec(name) is None for name in (found.module, "adbc_driver_manager")):
        raise UsageError(f"{scheme_of(uri)}:// needs a driver: pip install '{found.install}'.")
    return found
