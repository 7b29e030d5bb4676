"""The in-process transport: threads across clients, every byte really encoded and decoded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from fedps.client import Responder


class LocalTransport:
    """Clients in this process, one responder each."""

    def __init__(self, responders: Mapping[str, Responder]) -> None:
        self.responders = dict(responders)

    def clients(self) -> Sequence[str]:
        """Return the names of the clients, as given."""
        return tuple(self.responders)

    def exchange(self, messages: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
        """Let each client answer its message; yield replies as they are ready."""
        with self._pool() as pool:
            jobs = {pool.submit(self.responders[n].answer, m): n for n, m in messages.items()}
            for job in as_completed(jobs):
                yield jobs[job], job.result()

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
        with self._pool() as pool:
            jobs = {n: pool.submit(r.transform, fitted) for n, r in self.responders.items()}
            return {name: job.result() for name, job in jobs.items()}

    def fit_transform(
        self, learned: Mapping[str, Any], build: Callable[[Any], Any]
    ) -> dict[str, Any]:
        """Return what a fit makes of each client's rows, cross-fitted where it is so.

        ``learned`` is what each client is told of the fit, ``build`` makes it fitted.
        """
        with self._pool() as pool:
            jobs = {
                n: pool.submit(r.fit_transform, learned[n], build)
                for n, r in self.responders.items()
            }
            return {name: job.result() for name, job in jobs.items()}

    def _pool(self) -> ThreadPoolExecutor:
        workers = min(len(self.responders), os.cpu_count() or 1)
        return ThreadPoolExecutor(workers, thread_name_prefix="fedps")
