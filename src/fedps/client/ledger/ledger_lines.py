"""The file of a ledger: whole lines, appended and never changed, and not too many of them."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from fedps.client.ledger.entry import Entry
from fedps.errors import UsageError

MOST_BYTES = 2**30  # of a file: some millions of answers

_decoder = msgspec.json.Decoder(Entry)


def check_writable(path: Path) -> None:
    """Raise UsageError, with the reason, unless the file can be written; it is made if necessary."""
    try:
        handle = _open(path)
    except OSError as error:
        raise UsageError(f"the ledger {str(path)!r} cannot be written: {error.strerror}.") from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UsageError(f"the ledger {str(path)!r} is not a regular file.")
    finally:
        os.close(handle)


def append(path: Path, lines: bytes) -> int:
    """Append lines by a single call, and return how long the file is then. They are on the disk."""
    handle = _open(path)
    try:
        size = os.fstat(handle).st_size
        if size + len(lines) > MOST_BYTES:
            raise OSError(
                errno.EFBIG,
                f"the ledger is full: it may have {MOST_BYTES:,} bytes. Keep it elsewhere, and begin a "
                "new one",
                str(path),
            )
        if os.write(handle, lines) != len(lines):
            raise OSError(f"only a part of the ledger {path.name!r} could be written")
        os.fsync(handle)
        return size + len(lines)
    finally:
        os.close(handle)


def numbered_lines(
    file: BinaryIO, number: int = 0, end: int = 0
) -> Iterator[tuple[int, int, bytes]]:
    """Yield the lines of a file with their numbers and where each ends; empty ones do not count.

    ``number`` and ``end`` are those of the line after which the file stands.
    """
    for line in file:
        end += len(line)
        if line.strip():
            number += 1
            yield number, end, line


def entry_of(line: bytes) -> Entry | None:
    """Return the entry of a line; None if it is broken.

    A line is broken if the machine stopped, or the disk was full, while it was written. The answer
    that it was about was not sent.
    """
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _open(path: Path) -> int:
    """Open for appending; a new file is readable by its owner only."""
    # for reading, too: opening a pipe only for writing would wait for somebody who reads it
    return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
