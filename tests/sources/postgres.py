"""A PostgreSQL server for tests: Debian's programs, a new folder, a free port of this machine."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tests.conformance.processes import free_port, wait_for

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
USER = "nobody"  # PostgreSQL refuses to be run by root


class Postgres:
    """A server that lives as long as the ``with`` block; it can be killed and started in between."""

    def __init__(self):
        self.port = free_port()
        self._bin = PROGRAMS[-1].parent
        self._process = None

    def __enter__(self):
        self.folder = Path(
            tempfile.mkdtemp(prefix="fedps-pg-")
        )  # pytest's are for its own user only
        if os.getuid() == 0:
            owner = pwd.getpwnam(USER)
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        made = [self._bin / "initdb", "-D", self.folder / "data", "-U", "fedps", "-A", "trust"]
        self._run([*made, "--no-sync", "--no-instructions", "-E", "UTF8", "--locale=C"])
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        """Start the server, and wait until it answers."""
        settings = (
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=off",
            "lock_timeout=20s",
        )
        options = [part for setting in settings for part in ("-c", setting)]
        log = (self.folder / "log").open("ab")
        command = [self._bin / "postgres", "-D", self.folder / "data", "-p", str(self.port)]
        self._process = subprocess.Popen(
            [*map(str, command), *options], stdout=log, stderr=log, **self._as_user()
        )
        log.close()
        ready = [self._bin / "pg_isready", "-h", "127.0.0.1", "-p", str(self.port), "-q"]
        wait_for(lambda: subprocess.run(list(map(str, ready)), check=False).returncode == 0, "it")

    def kill(self):
        """Kill the server and what it has started, as when a machine fails."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGQUIT)  # ends its own processes without ado
        self._process.wait(60)
        self._process = None

    def uri(self, user="fedps", password="", more=""):
        """Return the address of the database."""
        login = f"{user}:{password}" if password else user
        return f"postgresql://{login}@127.0.0.1:{self.port}/postgres{more}"

    def run(self, *statements):
        """Run statements as the owner of everything, each by itself."""
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.uri(), autocommit=True) as connection:
            for statement in statements:
                with connection.cursor() as cursor:
                    cursor.execute(statement)

    def ingest(self, name, table):
        """Make a table of an Arrow table."""
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.uri(), autocommit=True) as connection:
            with connection.cursor() as cursor:
                cursor.execute(f'DROP TABLE IF EXISTS "{name}"')
            with connection.cursor() as cursor:
                cursor.adbc_ingest(name, table, mode="create")

    def _run(self, command):
        subprocess.run(list(map(str, command)), check=True, capture_output=True, **self._as_user())

    def _as_user(self):
        if os.getuid():
            return {}
        owner = pwd.getpwnam(USER)
        return {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": [], "cwd": "/"}


def seconds(work):
    """Return how long some work takes."""
    begun = time.monotonic()
    work()
    return time.monotonic() - begun
