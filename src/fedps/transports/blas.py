"""One thread of linear algebra for each client's thread: more would only wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = Lock()
_inside = 0
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let linear algebra run in one thread, until the last of all that asked for it is done.

    The number of threads belongs to the process. Whoever comes first sets it, whoever leaves last
    puts it back: federations in several threads do not lose it.
    """
    global _inside, _limit  # noqa: PLW0603 - as the setting itself
    with _lock:
        if _inside == 0:
            _limit = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()


@cache
def _controller() -> ThreadpoolController:
    """Return what knows the libraries; to look for them takes a while."""
    return ThreadpoolController()
