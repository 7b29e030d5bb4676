"""Files in a folder of the owner's: whole, readable by the owner only, and never behind a symlink."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
# a pipe that somebody put there would block for ever
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


class NotOwn(Exception):  # noqa: N818 - it is raised and caught, never shown
    """A file is a link, too large, or can be written by others than the owner of its folder."""


def make_own_folder(folder: Path) -> None:
    """Make a folder that only its owner may enter; OSError or NotOwn if there is something else."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise NotOwn(f"{folder.name} is not a folder")
    if _others_may_write(found):
        raise NotOwn(f"others may write to the folder {folder.name}")


def check_own(path: Path, found: os.stat_result) -> None:
    """Raise NotOwn unless what was found at a path is a file that nobody but its owner may write."""
    if not stat.S_ISREG(found.st_mode):
        raise NotOwn(f"{path.name} is not a regular file")
    if found.st_uid not in (0, path.parent.stat().st_uid) or _others_may_write(found):
        raise NotOwn(f"others than the owner may write {path.name}")


def read_own(path: Path, most: int) -> bytes:
    """Return the bytes of a file; OSError if there is none, NotOwn if others may have written it."""
    handle = os.open(path, os.O_RDONLY | _NO_LINK | _NO_WAIT)
    try:
        found = os.fstat(handle)
        check_own(path, found)
        data = os.read(handle, min(most, found.st_size) + 1)
        if len(data) > most or len(data) < found.st_size:
            raise NotOwn(f"{path.name} has more than {most} bytes")
        return data
    finally:
        os.close(handle)


def write_own(path: Path, data: bytes, beside: str = ".new") -> None:
    """Write a file that is complete or not there at all. The caller holds the lock of the folder.

    ``beside`` is the name of the file until it is complete: what a crash leaves behind is used again.
    """
    new = path.with_name(beside)
    new.unlink(missing_ok=True)
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600)
    try:
        _belong_to_folder(handle, path.parent)
        if os.write(handle, data) != len(data):
            raise OSError(f"only a part of {path.name!r} could be written")
        os.fsync(handle)
    finally:
        os.close(handle)
    new.replace(path)


def _belong_to_folder(handle: int, folder: Path) -> None:
    """Give a file of root's to the owner of the folder: the client must be able to read it."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        owner = folder.stat()
        os.fchown(handle, owner.st_uid, owner.st_gid)


def _others_may_write(found: os.stat_result) -> bool:
    # Windows has no such bits, and no owners by number
    return os.name == "posix" and bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
