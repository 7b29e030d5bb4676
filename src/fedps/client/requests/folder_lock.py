"""folder_lock: one process and one thread at a time changes a folder."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

_fcntl: Any = None
with suppress(ImportError):  # on Windows
    _fcntl = import_module("fcntl")

LOCK_FILE = ".lock"
_ABANDONED = 60.0  # seconds: what is done under a lock takes some milliseconds
_LOOK_AGAIN = 0.02
_threads = threading.Lock()


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; others wait for it."""
    lock = _lock_file if _fcntl is None else _locked
    with _threads, lock(folder / LOCK_FILE):
        yield


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock a file. The lock ends with the process, however that ends."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        _fcntl.flock(handle, _fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def _lock_file(path: Path) -> Iterator[None]:
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
