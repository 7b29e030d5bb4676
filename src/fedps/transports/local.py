"""The in-process transport: threads across clients, every byte really encoded and decoded."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any

from threadpoolctl import ThreadpoolController

from fedps.client import Responder
from fedps.transports.base import Lost

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
        The longest that a round may take, in seconds. Default: no limit.
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
        """Yield the answers of some threads, which nobody waits for when the time is up."""
        asked: SimpleQueue[tuple[str, bytes]] = SimpleQueue()
        answered: SimpleQueue[tuple[str, bytes | Exception]] = SimpleQueue()
        for item in messages.items():
            asked.put(item)
        for i in range(workers):
            work = Thread(target=self._work, args=(asked, answered), name=f"fedps_{i}", daemon=True)
            work.start()
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
        """Answer what is asked, until there is nothing left."""
        with suppress(Empty):
            while True:
                name, message = asked.get_nowait()
                try:
                    answered.put((name, self.responders[name].answer(message)))
                except Exception as error:  # noqa: BLE001 - raised again where it was asked
                    answered.put((name, error))


def worker_count(clients: int) -> int:
    """Return how many threads so many clients are worth."""
    return min(clients, os.cpu_count() or 1)


def _drain(asked: Any) -> None:
    """Take back what nobody has begun to answer."""
    with suppress(Empty):
        while True:
            asked.get_nowait()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let linear algebra run in one thread, until the last of all that asked for it is done.

    Each client has a thread of its own already: more would only wait for each other. The number of
    threads belongs to the process. Whoever comes first sets it, whoever leaves last puts it back:
    federations in several threads do not lose it.
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
