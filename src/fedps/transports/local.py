"""The in-process transport: threads across clients, every byte really encoded and decoded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

import sklearn

from fedps.client import Responder
from fedps.transports.base import Lost
from fedps.transports.blas import one_blas_thread


class LocalTransport:
    """Clients in this process, one responder each. ``timeout`` is the longest that a round may take."""

    def __init__(self, responders: Mapping[str, Responder], timeout: float | None = None) -> None:
        self.responders = dict(responders)
        self.timeout = timeout

    def clients(self) -> Sequence[str]:
        """Return the names of the clients, as given."""
        return tuple(self.responders)

    def exchange(self, messages: Mapping[str, bytes]) -> Iterator[tuple[str, bytes | Lost]]:
        """Let each client answer its message; yield replies as they are ready."""
        workers = _workers(len(messages))
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

    def trust(self, functions: Mapping[str, Any]) -> None:
        """Let the clients run functions of this process by name: lambdas have no other way."""
        for responder in self.responders.values():
            responder.functions = dict(functions)

    def forget(self) -> None:
        """Let go of derived tables."""
        for responder in self.responders.values():
            responder.forget()

    def transform(self, fitted: Any) -> dict[str, Any]:
        """Return what a fitted transformer makes of each client's rows."""
        return self._each(lambda responder: responder.transform(fitted))

    def predict(self, fitted: Any) -> dict[str, Any]:
        """Return a fitted model's predictions for each client's rows."""
        return self._each(lambda responder: responder.predict(fitted))

    def _each(self, apply: Callable[[Responder], Any]) -> dict[str, Any]:
        """Return what a function gives for each client."""
        with self._pool() as pool:
            jobs = {name: pool.submit(apply, r) for name, r in self.responders.items()}
            return {name: job.result() for name, job in jobs.items()}

    def fit_transform(
        self, learned: Mapping[str, Any], build: Callable[[Any], Any]
    ) -> dict[str, Any]:
        """Return what a fit makes of each client's rows, cross-fitted where it is so.

        ``learned`` is what each client that took part is told of the fit, ``build`` makes it fitted.
        """
        with self._pool() as pool:
            jobs = {
                n: pool.submit(r.fit_transform, learned[n], build)
                for n, r in self.responders.items()
                if n in learned
            }
            return {name: job.result() for name, job in jobs.items()}

    def fit_own(
        self, estimator: Any, learned: Mapping[str, Any], *, outputs: bool
    ) -> dict[str, tuple[Any, Any]]:
        """Return each client's fit on its own columns, and, where wanted, what it makes of them."""
        settings = sklearn.get_config()  # a thread of its own would not have them

        def fit(name: str) -> tuple[Any, Any]:
            with sklearn.config_context(**settings):
                own = self.responders[name]
                return own.fit_own(estimator, learned[name], outputs=outputs)

        with self._pool() as pool:
            jobs = {name: pool.submit(fit, name) for name in self.responders}
            return {name: job.result() for name, job in jobs.items()}

    def transform_own(self, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Return what each client's part makes of its own rows; nothing where it has none."""
        return {name: r.transform_own(parts.get(name)) for name, r in self.responders.items()}

    def own_rows(self) -> dict[str, Any]:
        """Return each client's own columns, as a model sees them."""
        return {name: responder.own_rows() for name, responder in self.responders.items()}

    def lend(self, parts: Mapping[str, Any], rows: Mapping[str, Any]) -> None:
        """Lend each client its part of a model, and rows of its own columns to predict with it."""
        for name, responder in self.responders.items():
            responder.lend(parts.get(name), rows.get(name))

    @contextmanager
    def _pool(self) -> Iterator[ThreadPoolExecutor]:
        workers = _workers(len(self.responders))
        pool = ThreadPoolExecutor(workers, thread_name_prefix="fedps")
        with one_blas_thread() if workers > 1 else nullcontext(), pool:
            yield pool


def _workers(clients: int) -> int:
    """Return how many threads so many clients are worth."""
    return min(clients, os.cpu_count() or 1)


def _drain(asked: Any) -> None:
    """Take back what nobody has begun to answer."""
    with suppress(Empty):
        while True:
            asked.get_nowait()
