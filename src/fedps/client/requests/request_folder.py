"""RequestFolder: the requests of one client beside its ledger, and what its owner decided."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, structs

from fedps.client.file_lock import file_lock
from fedps.client.own_files import NotOwn, make_own_folder, read_own, write_own
from fedps.client.requests.digest import request_digest, short_name
from fedps.protocol.codec import decode
from fedps.protocol.messages import Request

Status = Literal["waiting", "approved", "denied"]
LOCK_FILE = ".lock"
MOST_WAITING = 50
LARGEST_FILE = 64 * 1024  # bytes
_PEER_LENGTH = 200
_FILE = re.compile(r"([0-9a-f]{32})\.json")

log = logging.getLogger("fedps.client")


class RequestFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A request as it is kept: what identifies it, who asked, what was decided, and the request itself.

    ``asked`` counts how often it came while it was not approved. Times are in UTC.
    """

    digest: str
    status: Status
    first_peer: str
    first_time: str
    last_peer: str
    last_time: str
    asked: int
    request: bytes
    decided: str | None = None

    @property
    def name(self) -> str:
        """What people call it."""
        return short_name(self.digest)

    def unpacked(self) -> Request | None:
        """Return the request itself; None if it is broken, of another version, or not what was digested."""
        try:
            found = decode(self.request, Request, "the file")
            return found if request_digest(found) == self.digest else None
        except Exception:  # noqa: BLE001 - whatever is in the file
            return None


class NoRoom(Exception):  # noqa: N818 - it is raised and caught, never shown
    """A request is not kept: as many wait as may, or it is too large. The reason is a word."""


class RequestFolder:
    """The folder ``<ledger>.requests``, with a small file for each request.

    Files that are broken, or that others may have written, are as good as absent: nothing is approved
    by them.

    Parameters
    ----------
    ledger : Path
        The client's ledger file.
    """

    def __init__(self, ledger: Path) -> None:
        self.path = ledger.with_name(ledger.name + ".requests")

    def make(self) -> None:
        """Make the folder, unless it is there; OSError or NotOwn if that cannot be."""
        make_own_folder(self.path)

    def lock(self) -> AbstractContextManager[None]:
        """Hold the lock of the folder: one process and one thread at a time changes it."""
        return file_lock(self.path / LOCK_FILE)

    def status(self, digest: str) -> Status | None:
        """Return what was decided about a request; None if it has not come before."""
        found = self._read(digest)
        return None if found is None else found.status

    def ask(self, digest: str, request: bytes, peer: str) -> Status:
        """Note that a request came, and return what was decided about it; NoRoom if it is not kept."""
        with self.lock():
            found, now, who = self._read(digest), utc_now(), peer[:_PEER_LENGTH]
            if found is None:
                new = RequestFile(digest, "waiting", who, now, who, now, 1, request)
                if len(msgspec.json.encode(new)) > LARGEST_FILE - 2 * _PEER_LENGTH:
                    raise NoRoom("large")
                if sum(one.status == "waiting" for one in self.all()) >= MOST_WAITING:
                    raise NoRoom("full")
                self._write(new)
            elif found.status != "approved":
                again = {"last_peer": who, "last_time": now, "asked": found.asked + 1}
                self._write(structs.replace(found, **again))
            return "waiting" if found is None else found.status

    def decide(self, digest: str, status: Status) -> None:
        """Keep what the owner decided about a request that is there; OSError if that cannot be."""
        with self.lock():
            found = self._read(digest)
            if found is None:
                raise FileNotFoundError(2, "the request is gone", f"{digest}.json")
            self._write(structs.replace(found, status=status, decided=utc_now()))

    def all(self) -> Iterator[RequestFile]:
        """Yield all requests that can be read; what waits and came last is first."""
        names = [_FILE.fullmatch(path.name) for path in self.path.iterdir()]
        found = [self._read(name[1]) for name in names if name is not None]
        kept = sorted((one for one in found if one), key=lambda one: one.last_time, reverse=True)
        yield from sorted(kept, key=lambda one: one.status != "waiting")

    def _read(self, digest: str) -> RequestFile | None:
        path = self.path / f"{digest}.json"
        try:
            found = msgspec.json.decode(read_own(path, LARGEST_FILE), type=RequestFile)
        except FileNotFoundError:
            return None
        except (OSError, NotOwn, msgspec.DecodeError) as error:
            log.warning("the request %s is ignored: %s", path.name, _reason(error))
            return None
        if found.digest != digest:
            log.warning("the request %s is ignored: it is about another pipeline", path.name)
            return None
        return found

    def _write(self, request: RequestFile) -> None:
        write_own(self.path / f"{request.digest}.json", msgspec.json.encode(request))


def utc_now() -> str:
    """Return the time, as people read it."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")


def _reason(error: Exception) -> str:
    """Return why a file is ignored; nothing of its text, which anybody may have written."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error) if isinstance(error, NotOwn) else "it is broken"
