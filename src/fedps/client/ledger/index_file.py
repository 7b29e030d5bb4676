"""The index beside a ledger: opened, brought up to date with the file, and made again where it is wrong.

It is a file of the owner's, in the owner's own folder and readable by the owner only, and is trusted as the
ledger itself is: who can write there could as well remove the ledger. Whether it belongs to the
ledger is checked each time, by the digest of the line at which it ends. As each line has the digest of the one
before, an index of another ledger, or of this one before a line was changed, does not pass.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec
from msgspec import structs

from fedps.client.ledger.entry import Entry, line_digest
from fedps.client.ledger.ledger_index import IndexState, LedgerIndex, after_line
from fedps.client.ledger.ledger_lines import entry_of, numbered_lines
from fedps.client.own_files import NotOwn, check_own

_Made = TypeVar("_Made")

_WAIT = 20.0  # seconds for somebody who reads the index
_BROKEN = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)

log = logging.getLogger("fedps.client")


def index_path(ledger: Path) -> Path:
    """Return where the index of a ledger is.

    >>> index_path(Path("oslo.jsonl")).name
    'oslo.jsonl.index'
    """
    return ledger.with_name(ledger.name + ".index")


def with_index(ledger: Path, work: Callable[[LedgerIndex, bytes], _Made]) -> _Made:
    """Return what some work gives that is done with the index; OSError if there can be none.

    The caller holds the lock of the ledger. The work gets the index, up to date with the file, and what
    follows the last whole line there: of a line that is broken, and nothing otherwise. If it raises an
    exception, the index is as it was.
    """
    try:
        return _with_index(ledger, work)
    except (sqlite3.Error, msgspec.DecodeError) as error:
        if not _is_broken(error):
            raise _unusable(ledger, error) from error
    log.warning("the index of the ledger %s is broken: it is made again", ledger.name)
    for name in ("", "-journal"):
        index_path(ledger).with_name(index_path(ledger).name + name).unlink(missing_ok=True)
    try:
        return _with_index(ledger, work)
    except (sqlite3.Error, msgspec.DecodeError) as error:
        raise _unusable(ledger, error) from error


def check_index(ledger: Path) -> None:
    """Raise OSError, with the reason, if there is an index that others may have written."""
    path = index_path(ledger)
    try:
        with suppress(FileNotFoundError):
            check_own(path, path.lstat())
    except NotOwn as error:
        raise OSError(f"{error}: remove it, it is made again from the ledger") from None


def read_state(ledger: Path) -> IndexState | None:
    """Return how much of a ledger its index has counted; None if there is no index that can be read."""
    return _looked_up(ledger, lambda index: index.state)


def read_counted(ledger: Path) -> list[Entry]:
    """Return the answers that are counted and not written yet, as the index has them."""
    with suppress(OSError), ledger.open("rb") as file:
        state = read_state(ledger)
        if state is not None and _matches(file, state):
            return _looked_up(ledger, LedgerIndex.counted) or []
    return []


def read_known(ledger: Path, key: str) -> bool:
    """Return whether a key was charged, as the index has it."""
    return bool(_looked_up(ledger, lambda index: index.knows(key)))


def read_ledger(path: str | Path) -> Iterator[Entry | int]:
    """Yield the entries of a ledger file, oldest first; for a broken line, its number.

    At the end are answers that equal ones of the last minute, and are only counted so far. A line is
    broken if the machine stopped, or the disk was full, while it was written. The answer that it was
    about was not sent.
    """
    ledger = Path(path).expanduser()
    with ledger.open("rb") as file:
        for number, _, line in numbered_lines(file):
            entry = entry_of(line)
            yield number if entry is None else entry
    yield from read_counted(ledger.resolve())


def _with_index(ledger: Path, work: Callable[[LedgerIndex, bytes], _Made]) -> _Made:
    check_index(ledger)
    path = index_path(ledger)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600))
    with closing(sqlite3.connect(path, timeout=_WAIT, isolation_level=None)) as database:
        # a crash must not leave an index that looks right and says less
        database.execute("PRAGMA synchronous = NORMAL")
        index = LedgerIndex(database)
        with index.changing():
            index.make()
            return work(index, _catch_up(index, ledger))


def _catch_up(index: LedgerIndex, ledger: Path) -> bytes:
    """Count the lines that were not counted yet; return what follows the last whole line."""
    handle = os.open(ledger, os.O_RDONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(handle, "rb") as file:
        state = index.state
        if not _matches(file, state):
            log.warning(
                "the ledger %s is not the one that its index was made of: lines were removed or changed, or "
                "it is a new file. It is counted again; 'fedps ledger verify' says more",
                ledger.name,
            )
            index.clear()
            state = index.state
        file.seek(state.offset)
        has_counted, fits, last = bool(index.counted()), state.fits, None
        rest = b""
        for number, end, line in numbered_lines(file, state.lines, state.offset):
            if not line.endswith(b"\n"):
                rest = line
                break
            last = number, line, end
            entry = entry_of(line)
            if entry is None:
                continue
            fits += index.add(entry)
            if has_counted:
                index.take(entry)  # its line has what was counted
    if last is not None:
        index.state = structs.replace(after_line(state, *last), fits=fits)
    return rest


def _matches(file: BinaryIO, state: IndexState) -> bool:
    """Return whether the line at which an index ends is where it says, and the one it says."""
    if state.offset == 0:
        return True
    if os.fstat(file.fileno()).st_size < state.offset or not 0 < state.length <= state.offset:
        return False
    file.seek(state.offset - state.length)
    line = file.read(state.length)
    return line.endswith(b"\n") and line_digest(line[:-1]) == state.digest


def _looked_up(ledger: Path, look: Callable[[LedgerIndex], _Made]) -> _Made | None:
    """Return what an index says, without changing anything; None if it cannot be read."""
    path = index_path(ledger)
    try:
        check_own(path, path.lstat())
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, timeout=_WAIT, uri=True)) as database:
            return look(LedgerIndex(database))
    except (OSError, NotOwn, sqlite3.Error, msgspec.DecodeError):
        return None


def _is_broken(error: Exception) -> bool:
    """Return whether an index is to be made again; not if it is only locked, or the disk is full."""
    if not isinstance(error, sqlite3.Error):
        return True
    return type(error) is sqlite3.DatabaseError or error.sqlite_errorcode in _BROKEN


def _unusable(ledger: Path, error: Exception) -> OSError:
    return OSError(f"the index {index_path(ledger).name!r} of the ledger cannot be used: {error}")
