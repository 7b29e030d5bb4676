"""A database server for all tests of this folder that need one."""

from __future__ import annotations

import pytest

from tests.sources.postgres import PROGRAMS, Postgres


@pytest.fixture(scope="session")
def shared_postgres():
    pytest.importorskip("adbc_driver_postgresql")
    if not PROGRAMS:
        pytest.skip("no PostgreSQL in /usr/lib/postgresql: `make postgres` installs Debian's")
    with Postgres() as server:
        yield server


@pytest.fixture
def postgres(shared_postgres):
    """The server, up again if a test killed it."""
    if shared_postgres._process is None:
        shared_postgres.start()
    shared_postgres.run(  # nobody else is connected: what a test leaves open must not stop the next one
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    )
    return shared_postgres
