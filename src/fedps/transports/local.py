"""The in-process transport: a thread per client, and real bytes as on an engine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache, wraps
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, ParamSpec, TypeVar

import sklearn
from threadpoolctl import ThreadpoolController

from fedps.client import Responder
from fedps.transports.base import Lost

_P = ParamSpec("_P")
_R = TypeVar("_R")

_lock = Lock()
_inside = 0
_limit: Any = None


class LocalTransport:
    """Clients in this process, one responder each.

    Parameters
    ----------
    responders : mapping of str to Responder
        What answers for each client.
    timeout : float, optional
        The most seconds that a round may take. Default: no limit.
    """

    def __init__(self, responders: Mapping[str, Responder], timeout: float | None = None) -> None:
        self.responders = dict(responders)
        self.timeout = timeout

    def clients(self) -> Sequence[str]:
        """Return the names of the clients, as given."""
        return tuple(self.responders)

    def exchange(self, messages: Mapping[str, bytes]) -> Iterator[tuple[str, bytes | Lost]]:
        """Let each client answer its message; yield replies as they are ready."""
        workers = worker_count(len(messages))
        with one_blas_thread() if workers > 1 else nullcontext():
            yield from self._answers(messages, workers)

    def _answers(
        self, messages: Mapping[str, bytes], workers: int
    ) -> Iterator[tuple[str, bytes | Lost]]:
        """Yield replies from worker threads. They are daemons: after a timeout, nothing waits for them."""
        asked: SimpleQueue[tuple[str, bytes]] = SimpleQueue()
        answered: SimpleQueue[tuple[str, bytes | Exception]] = SimpleQueue()
        for item in messages.items():
            asked.put(item)
        work = configured_as_here(self._work)
        for i in range(workers):
            thread = Thread(target=work, args=(asked, answered), name=f"fedps_{i}", daemon=True)
            thread.start()
        waiting = dict.fromkeys(messages)
        end = None if self.timeout is None else monotonic() + self.timeout
        while waiting:
            try:
                left = None if end is None else max(end - monotonic(), 0.0)
                name, answer = answered.get(timeout=left)
            except Empty:
                break
            del waiting[name]
            if isinstance(answer, Exception):
                _drain(asked)
                raise answer
            yield name, answer
        _drain(asked)
        for name in waiting:
            yield name, Lost(f"did not answer within {self.timeout:g} seconds")

    def _work(self, asked: Any, answered: Any) -> None:
        """Answer messages until there are none left."""
        with suppress(Empty):
            while True:
                name, message = asked.get_nowait()
                try:
                    answered.put((name, self.responders[name].answer(message)))
                except Exception as error:  # noqa: BLE001 - raised again where it was asked
                    answered.put((name, error))


def worker_count(clients: int) -> int:
    """Return how many threads to use: one per client, at most one per core."""
    return min(clients, os.cpu_count() or 1)


def _drain(asked: Any) -> None:
    """Remove messages that no thread has begun to answer."""
    with suppress(Empty):
        while True:
            asked.get_nowait()


def configured_as_here(work: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function that runs in any thread under the scikit-learn configuration of this one.

    That configuration, ``sklearn.set_config``, is of a thread, and new threads begin without it.
    """
    config = sklearn.get_config()

    @wraps(work)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with sklearn.config_context(**config):
            return work(*args, **kwargs)

    return run


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS run in one thread while clients run in parallel.

    Clients use all cores already: more threads would only wait for each other. The number of BLAS
    threads belongs to the process, so the first caller sets it and the last one restores it, also
    if federations run in several threads.
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
    """Return the controller of all BLAS libraries; cached, since finding them takes a while."""
    return ThreadpoolController()
