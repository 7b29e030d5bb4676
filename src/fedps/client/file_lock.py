"""file_lock: one process and one thread at a time holds a lock, which a small file stands for."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

_fcntl: Any = None
with suppress(ImportError):  # on Windows
    _fcntl = import_module("fcntl")

# seconds: what is done under a lock takes milliseconds; to read the largest ledger again, half of this
_ABANDONED = 60.0
_LOOK_AGAIN = 0.02


def file_lock(path: Path) -> AbstractContextManager[None]:
    """Hold the lock that a file stands for; others wait for it. OSError if the file is a link.

    Parameters
    ----------
    path : Path
        The lock's file. It is made if necessary, and holds nothing.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, file_lock(Path(folder) / ".lock"):
    ...     print("nobody else is here")
    nobody else is here
    """
    return _made(path) if _fcntl is None else _locked(path)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock a file, also against other threads. The lock ends with the process, however that ends."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        _fcntl.flock(handle, _fcntl.LOCK_EX)
        yield
    finally:
        _fcntl.flock(handle, _fcntl.LOCK_UN)  # a process that was forked meanwhile has it open, too
        os.close(handle)


@contextmanager
def _made(path: Path) -> Iterator[None]:
    """Make a file that nobody else can make; one that a crash left behind is removed after a minute."""
    while True:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            break
        except FileExistsError:
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()
            time.sleep(_LOOK_AGAIN)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
