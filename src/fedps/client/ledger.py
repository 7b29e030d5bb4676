"""Ledger: a client's own record of what left it. Enough for an audit, without any cell."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from fedps.errors import UsageError

IN_PROCESS = "in process"
SCHEMA_ENTRY = "Schema"  # the first entry of every fit: fits are counted by it
KEPT_ENTRY = "Keep"  # what a fit with split="columns" ends with: a fitted part that stays here


class Entry(Struct, frozen=True):
    """One answer that was sent, refused or failed: when, to whom, what, of which columns.

    ``digest`` is of the answer's bytes: an auditor who has the message can check that it is the one.
    """

    time: str
    peer: str
    round: int
    statistic: str
    columns: tuple[str, ...]
    level: str
    bytes: int
    digest: str
    outcome: str


class Ledger:
    """All answers of a client, oldest first.

    ``note`` collects the answers of a round. ``commit`` makes them final: with a path they are
    appended to that file as lines of JSON, and are on the disk when it returns. ``drop`` discards what
    was noted since the last commit, because it is not sent.

    Parameters
    ----------
    path : str or Path, default=None
        The file to append to; it is created if necessary. Default: in memory only.
    peer : str, default="in process"
        Who asks, as written into the entries.
    """

    def __init__(self, path: str | Path | None = None, peer: str = IN_PROCESS) -> None:
        self.path = None if path is None else Path(path).expanduser()
        self.peer = peer
        self.entries: list[Entry] = []
        self._final = 0
        if self.path is not None:
            _check(self.path)

    def __repr__(self) -> str:
        return f"Ledger({self.entries!r})"

    def note(
        self,
        number: int,
        statistic: str,
        columns: tuple[str, ...],
        level: str,
        answer: bytes,
        outcome: str,
    ) -> None:
        """Add one answer."""
        digest = blake2b(answer, digest_size=8).hexdigest()
        entry = Entry(
            _now(), self.peer, number, statistic, columns, level, len(answer), digest, outcome
        )
        self.entries.append(entry)

    def commit(self) -> None:
        """Make final what was noted; raise OSError if that fails.

        To be called before an answer leaves: rather an entry about an answer that did not arrive than
        an answer without an entry.
        """
        noted = self.entries[self._final :]
        if self.path is not None and noted:
            _append(self.path, b"".join(msgspec.json.encode(entry) + b"\n" for entry in noted))
        self._final = len(self.entries)

    def fits(self) -> int:
        """Return in how many fits this client took part: each begins with its schema."""
        known = self.entries if self.path is None else read_ledger(self.path)
        return sum(isinstance(e, Entry) and e.statistic == SCHEMA_ENTRY for e in known)

    def drop(self) -> None:
        """Discard what was noted since the last commit: it is not sent."""
        del self.entries[self._final :]


def read_ledger(path: str | Path) -> Iterator[Entry | int]:
    """Yield the entries of a ledger file, oldest first; for a broken line, its number.

    A line is broken if the machine stopped, or the disk was full, while it was written. The answer
    that it was about was not sent.
    """
    with Path(path).expanduser().open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                yield msgspec.json.decode(line, type=Entry)
            except msgspec.DecodeError:
                yield number


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _open(path: Path) -> int:
    """Open for appending and for reading the end; a new file is readable by its owner only."""
    return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)


def _check(path: Path) -> None:
    """Raise UsageError, with the reason, unless the file can be written."""
    try:
        handle = _open(path)
    except OSError as error:
        raise UsageError(f"the ledger {str(path)!r} cannot be written: {error.strerror}.") from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UsageError(f"the ledger {str(path)!r} is not a regular file.")
    finally:
        os.close(handle)


def _append(path: Path, lines: bytes) -> None:
    """Append lines by a single call, so that processes that share the file do not mix theirs."""
    handle = _open(path)
    try:
        size = os.fstat(handle).st_size
        if size and not _ends_a_line(handle, size):
            lines = b"\n" + lines  # the last line is broken: it must not swallow the next one
        if os.write(handle, lines) != len(lines):
            raise OSError(f"only a part of the ledger {path.name!r} could be written")
        os.fsync(handle)
    finally:
        os.close(handle)


def _ends_a_line(handle: int, size: int) -> bool:
    os.lseek(handle, size - 1, os.SEEK_SET)  # O_APPEND: writing goes to the end all the same
    return os.read(handle, 1) == b"\n"
