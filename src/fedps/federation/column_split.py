"""What a Federation does where each client has other columns of the same rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fedps.client.tables import names_of, positions_of, shape, take
from fedps.client.tables.cells.native_table import column_at
from fedps.client.tables.open_table import as_table
from fedps.client.tables.owned_table import as_keys
from fedps.errors import NotFederated, UsageError
from fedps.federation.alignment import Aligned, Parts, by_client, model_of
from fedps.federation.driver import drive
from fedps.learned import Learned
from fedps.plans.columns.across import PREDICTIONS
from fedps.plans.columns.by_owner import plan_for_columns
from fedps.protocol.codec import FunctionNames, encode
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Fit
from fedps.protocol.plan import Options, Plan, Pooled, View
from fedps.report.progress import Show
from fedps.report.run import Explanation, Run
from fedps.transports import LocalTransport


class ColumnsFederation:
    """Clients that have other columns of the same rows, in process."""

    def __init__(
        self, transport: LocalTransport, *, key: str | None, target: str | None, show: Show
    ) -> None:
        self._transport = transport
        self._key = key
        self._show = show
        self._clients = tuple(transport.clients())
        self.run = Run("RowKeys", self._clients)
        self._aligned = Aligned(
            self._clients, key, target, lambda known: drive(known, transport, self.run, show=show)
        )

    def fit(
        self, estimator: Any, functions: FunctionNames, *, outputs: bool
    ) -> tuple[Parts, dict[str, Any]]:
        """Return the owners' fitted parts and, where wanted, what each makes of its own rows."""
        pooled = self._aligned.pooled(Options())
        name = type(estimator).__name__
        coordinator = self._drive(
            name, plan_for_columns(estimator, View(pooled)), pooled, functions
        )
        learned: Learned = coordinator.outcome
        told = coordinator.parts(learned.told)
        if self.run.rounds:  # what was learned goes back to the owners
            for client, part in told.items():
                self.run.bytes_down[client] += len(encode(Fit(part), functions))
        own = self._transport.fit_own(estimator, told, outputs=outputs)
        parts = Parts({client: part for client, (part, _) in own.items()}, learned)
        return parts, {client: output for client, (_, output) in own.items()}

    def transform(self, fitted: Any) -> dict[str, Any]:
        """Return what each client's part makes of its own rows."""
        if not isinstance(fitted, Parts):
            raise UsageError(
                f"split by columns, transform needs what fit returned, not a {type(fitted).__name__}."
            )
        if any(not hasattr(part, "transform") for part in fitted.values()):
            raise UsageError(f"{fitted.name} transforms nothing: use federation.predict(fitted).")
        return self._transport.transform_own(fitted)

    def predict(self, fitted: Any, queries: Any) -> Any:
        """Return a prediction for rows that each client has its own columns of."""
        learned = model_of(fitted._learned) if isinstance(fitted, Parts) else None  # noqa: SLF001
        if learned is None or learned.estimator not in PREDICTIONS:
            raise UsageError(
                "split by columns, predict needs what fit returned for a model, such as BayesianRidge "
                "or KNeighborsRegressor."
            )
        rows = self._transport.own_rows() if queries is None else self._matched(queries)
        pooled = self._aligned.pooled(Options())
        self._transport.lend(fitted, rows)
        try:
            view = View(pooled, is_queries=True)
            plan = PREDICTIONS[learned.estimator](learned, view)
            return self._drive(learned.estimator, plan, pooled, {}).outcome
        finally:
            self._transport.lend({}, {})

    def explain(self, estimator: Any, functions: FunctionNames) -> Explanation:
        """Return what a fit would ask."""
        make: Callable[[View], Plan[Any]] = lambda view: plan_for_columns(estimator, view)  # noqa: E731
        return self._aligned.explain(type(estimator).__name__, make, functions)

    def _drive(
        self, name: str, plan: Plan[Any], pooled: Pooled, functions: FunctionNames
    ) -> Coordinator[Any]:
        started = time.perf_counter()
        run = self.run = Run(name, self._clients, pooled.table.rows if pooled.table else 0)
        coordinator = self._aligned.coordinator(plan, pooled, functions)
        try:
            drive(coordinator, self._transport, run, functions=functions, show=self._show)
        finally:
            run.seconds = time.perf_counter() - started
            self._transport.forget()
        return coordinator

    def _matched(self, queries: Any) -> dict[str, Any]:
        """Return rows to predict with each client's columns as it has them."""
        known = self._transport.own_rows()
        owners = [client for client, rows in known.items() if shape(rows)[1]]
        found = by_client(queries, self._clients, owners)
        found = {client: _as_table(rows, client) for client, rows in found.items()}
        check_same_rows(found, self._key)
        rows = shape(next(iter(found.values())))[0] if found else 0
        nothing = np.empty((rows, 0))
        return {
            client: _like(found[client], own, client) if client in found else nothing
            for client, own in known.items()
        }


def _as_table(rows: Any, client: str) -> Any:
    try:
        return as_table(rows)
    except UsageError as error:
        raise UsageError(f"the rows to predict of client {client!r}: {error}") from None


def check_same_rows(found: Mapping[str, Any], key: str | None) -> None:
    """Demand as many rows of each client, and the same ones where they have the key."""
    leader, first = next(iter(found.items()))
    for client, rows in found.items():
        here, there = shape(first)[0], shape(rows)[0]
        if here != there:
            raise UsageError(
                f"client {leader!r} has {here} rows to predict and client {client!r} has {there}. Give "
                "the same rows in the same order."
            )
    if key is None:
        return
    keys = {
        client: as_keys(column_at(rows, positions_of(rows, [key])[0]), key)
        for client, rows in found.items()
        if key in (names_of(rows) or ())
    }
    for client in [*keys][1:]:
        leader = next(iter(keys))
        if (keys[leader] != keys[client]).any():
            raise UsageError(
                f"clients {leader!r} and {client!r} have other rows to predict, or in another order: "
                f"their key {key!r} says so. Keep the rows that both have, and sort them by {key!r}."
            )


def _like(rows: Any, known: Any, client: str) -> Any:
    """Return some rows with the columns of a client's own table, in its order."""
    names = names_of(known)
    if names is not None and names_of(rows) is not None:
        lost = [name for name in names if name not in (names_of(rows) or ())]
        if lost:
            raise UsageError(
                f"the rows to predict of client {client!r} lack its column {lost[0]!r}."
            )
        return take(rows, positions_of(rows, names))
    if shape(rows)[1] != shape(known)[1]:
        raise UsageError(
            f"the rows to predict of client {client!r} have {shape(rows)[1]} columns; its own table has "
            f"{shape(known)[1]}."
        )
    return rows


def in_process(transport: Any) -> LocalTransport:
    """Return a transport that reaches clients of this process, or say what is not there."""
    if not isinstance(transport, LocalTransport):
        raise NotFederated("split='columns' works in process only.")
    return transport


__all__ = ["ColumnsFederation", "in_process"]
