"""Clients that are tables of this process: the caller owns them, and may have what belongs to them.

Rounds still pass the transport as bytes. What is read here directly never leaves a client on an
engine: its transformed rows, its part of a fit, its ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator

from fedps.client import Ledger, Responder
from fedps.client.owner.owner_fit import KeptFit
from fedps.client.tables import take
from fedps.federation.pooled_gaps import missing_kinds
from fedps.learned import Array, Learned
from fedps.protocol.codec import FunctionNames
from fedps.statistics import Schema
from fedps.transports import LocalTransport
from fedps.transports.local import configured_as_here, one_blas_thread, worker_count


class InProcess:
    """The clients of a :class:`~fedps.transports.LocalTransport`, reached without it."""

    def __init__(self, transport: LocalTransport) -> None:
        self._responders = transport.responders

    @property
    def ledgers(self) -> dict[str, Ledger]:
        """Each client's own record of what left it."""
        return {name: responder.ledger for name, responder in self._responders.items()}

    def responder(self, name: str) -> Responder:
        """Return what answers for a client."""
        return self._responders[name]

    def schemas(self, *, read: bool = True) -> dict[str, tuple[Schema, ...]]:
        """Return what each client's table and target look like, without what its policy keeps back.

        If no files may be ``read`` for it, only of those clients of whom that is known.
        """
        found = {name: responder.offered(read=read) for name, responder in self._responders.items()}
        if read:  # by the caller's wish: no fit is under way
            self.rest()
        return {name: both for name, both in found.items() if both}

    def trust(self, estimator: Any) -> FunctionNames:
        """Let the clients run an estimator's own functions by name: lambdas cannot be sent otherwise."""
        values = (
            estimator.get_params(deep=True).values() if hasattr(estimator, "get_params") else ()
        )
        found = [v for v in values if callable(v) and not isinstance(v, type | BaseEstimator)]
        names = {f"local:{i}": function for i, function in enumerate(found)}
        for responder in self._responders.values():
            responder.functions = dict(names)
        return {id(function): name for name, function in names.items()}

    def rest(self) -> None:
        """Have the clients close what they hold open to read their tables, until they are read again."""
        for responder in self._responders.values():
            responder.table.rest()

    def forget(self) -> None:
        """Have the clients release derived tables."""
        for responder in self._responders.values():
            responder.forget()

    def transform(self, fitted: Any) -> dict[str, Any]:
        """Return each client's rows, transformed."""
        kinds = self._missing_kinds()
        return self._each(lambda name, own: own.transform(fitted, kinds[name]))

    def predict(self, fitted: Any) -> dict[str, Any]:
        """Return a fitted model's predictions for each client's rows."""
        kinds = self._missing_kinds()
        return self._each(lambda name, own: own.predict(fitted, kinds[name]))

    def fit_transform(
        self, learned: Mapping[str, Learned], build: Callable[[Learned], Any]
    ) -> dict[str, Any]:
        """Return each client's rows as the pooled ``fit_transform`` gives them, cross-fitted if need be.

        ``learned`` is what each client that took part is told; ``build`` makes the fitted estimator.
        """
        kinds = self._missing_kinds()

        def one(name: str, own: Responder) -> Any:
            return own.fit_transform(learned[name], build, kinds[name])

        return self._each(one, [*learned])

    def transform_parts(self, parts: Mapping[str, Any], match: str | None) -> dict[str, Any]:
        """Return each client's columns, transformed by its own part of a fit; of matched rows, if any are."""

        def one(name: str, own: Responder) -> Any:
            if name in parts:
                return own.transform(parts[name], match=match)
            return take(own.own_rows(match), [])

        return self._each(one)

    def own_rows(self, match: str | None) -> dict[str, Any]:
        """Return each client's own columns, without those that its policy keeps back."""
        return {name: responder.own_rows(match) for name, responder in self._responders.items()}

    def take_kept(self, fit: str) -> dict[str, KeptFit]:
        """Return what each client kept of a fit. The clients forget it: the caller has it now."""
        return {name: responder.own.kept.pop(fit) for name, responder in self._responders.items()}

    @contextmanager
    def predicting(
        self, fit: str, parts: Mapping[str, Any], rows: Mapping[str, Any]
    ) -> Iterator[None]:
        """Lend each client its part of a fit, and its columns of the rows to predict, meanwhile."""
        for name, responder in self._responders.items():
            responder.own.kept[fit] = KeptFit(parts.get(name))  # without columns there is no part
            responder.own.queries = rows[name]
            responder.forget()
        try:
            yield
        finally:
            for responder in self._responders.values():
                responder.own.kept.pop(fit)
                responder.own.queries = None
                responder.forget()

    def _missing_kinds(self) -> dict[str, Array | None]:
        """Return as what the missing cells of each client's columns count, once all rows are pooled."""
        return missing_kinds({name: own.table for name, own in self._responders.items()})

    def _each(
        self, apply: Callable[[str, Responder], Any], names: list[str] | None = None
    ) -> dict[str, Any]:
        """Return the result of a function for each client; clients run in parallel."""
        asked = [*self._responders] if names is None else names
        workers = worker_count(len(asked))
        pool = ThreadPoolExecutor(workers, thread_name_prefix="fedps")
        with one_blas_thread() if workers > 1 else nullcontext(), pool:
            run = configured_as_here(partial(_and_release, apply))
            jobs = {name: pool.submit(run, name, self._responders[name]) for name in asked}
            return {name: job.result() for name, job in jobs.items()}


def _and_release(apply: Callable[[str, Responder], Any], name: str, own: Responder) -> Any:
    """Return the result of a function for a client, which then lets go of its rows."""
    try:
        return apply(name, own)
    finally:
        own.table.release()
