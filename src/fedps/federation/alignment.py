"""The setting where each client has other columns of the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fedps.assembly import dummy_row, freeze
from fedps.errors import Disagreement, UsageError, did_you_mean
from fedps.federation.pooled_row import described_columns
from fedps.learned import Learned
from fedps.learned.owners import PartNumbers
from fedps.protocol.codec import FunctionNames
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.owned_columns import OwnedColumns
from fedps.protocol.plan import Options, Plan, Pooled, View, ask
from fedps.protocol.rehearsal import rehearse
from fedps.report.run import AskRow, Explanation
from fedps.statistics import Keys, RowKeys

Exchange = Callable[[Coordinator[Any]], None]


class Parts(Mapping[str, Any]):
    """What a fit gives where each client has other columns: each client's own fitted part.

    ``parts["client"]`` is that client's: a genuine scikit-learn object, fitted on its columns.
    Numbers that belong to all, such as ``alpha_`` of a regression, are attributes.
    """

    def __init__(self, parts: Mapping[str, Any], learned: Learned) -> None:
        self._parts = {client: part for client, part in parts.items() if part is not None}
        self._learned = learned

    def __getitem__(self, client: str) -> Any:
        return self._parts[client]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def name(self) -> str:
        """The class of the estimator that was fitted."""
        return self._learned.estimator

    def __repr__(self) -> str:
        return f"{self.name} in parts: {', '.join(self._parts)}"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        numbers = model_of(self._learned).numbers
        if isinstance(numbers, PartNumbers) and name in numbers.known_to_all:
            return numbers.known_to_all[name]
        owners = ", ".join(repr(client) for client in self._parts)
        raise AttributeError(
            f"{name} is not known to all. The parts of the clients may have it: try [...].{name} with "
            f"one of {owners}."
        )


def model_of(learned: Learned) -> Learned:
    """Return the last step of what was learned."""
    return model_of(learned.steps[-1]) if learned.estimator == "Pipeline" else learned


class Aligned:
    """Clients that have been found to have the same rows in the same order."""

    def __init__(
        self, clients: tuple[str, ...], key: str | None, target: str | None, exchange: Exchange
    ) -> None:
        self.clients = clients
        self._known = Coordinator(_keys(), clients, Pooled(), columns=OwnedColumns())
        exchange(self._known)
        found = dict(zip(clients, self._known.outcome, strict=True))
        _check_keys(found, key)
        self._target_at = _target_at(found)
        if target is not None and self._target_at is None:
            assert self._known.pooled.table is not None
            hint = did_you_mean(target, self._known.pooled.table.names or ())
            raise UsageError(f"target: no client has a column {target!r}.{hint}")

    def pooled(self, options: Options) -> Pooled:
        """Return what is known of all clients' columns side by side."""
        known = self._known.pooled
        assert known.table is not None
        table = known.table
        row = dummy_row(table.container, table.names, table.width, table.dtypes)
        return Pooled(
            table,
            None,
            row,
            freeze,
            options,
            len(self.clients),
            known.widths,
            self._target_at,
        )

    def coordinator(
        self, plan: Plan[Any], pooled: Pooled, functions: FunctionNames
    ) -> Coordinator[Any]:
        """Return what drives a plan over these clients; they need not send their schemas again."""
        return Coordinator(
            plan,
            self.clients,
            pooled,
            functions=functions,
            columns=self._known.columns,
            schemas=self._known.schemas,
        )

    def explain(
        self, name: str, make_plan: Callable[[View], Plan[Any]], functions: FunctionNames
    ) -> Explanation:
        """Return what a plan would ask."""
        pooled = self.pooled(Options())
        assert pooled.table is not None
        rounds = rehearse(make_plan(View(pooled)), pooled.table.width, functions)
        asks = [
            AskRow(
                number,
                type(query.statistic).__name__,
                described_columns(query.view.base, self._known.columns, query.statistic),
                query.statistic.disclosure.name,
                query.statistic.shows,
            )
            for number, queries in enumerate(rounds, start=1)
            for query in queries
        ]
        further = dict.fromkeys(q.further for queries in rounds for q in queries if q.further)
        return Explanation(name, self.clients, len(rounds), asks, list(further))


def _keys() -> Plan[tuple[Keys, ...]]:
    return (yield from ask(RowKeys(), View()))


def _check_keys(found: Mapping[str, Keys], key: str | None) -> None:
    """Demand that all clients have the same rows in the same order."""
    (leader, first), *others = found.items()
    for client, keys in others:
        if keys.ordered == first.ordered:
            continue
        if keys.sorted == first.sorted:
            raise Disagreement(
                f"clients {leader!r} and {client!r} have the same rows in different orders: their key "
                f"{key!r} says so. Sort both tables by {key!r}."
            )
        raise Disagreement(
            f"clients {leader!r} and {client!r} have different rows: their key {key!r} says so. Keep "
            f"the rows that both have, and sort both tables by {key!r}."
        )


def _target_at(found: Mapping[str, Keys]) -> int | None:
    """Return who has the target, if anyone."""
    owners = [i for i, keys in enumerate(found.values()) if keys.has_target]
    if len(owners) > 1:
        names = list(found)
        raise Disagreement(
            f"clients {names[owners[0]]!r} and {names[owners[1]]!r} both have a target. Split by "
            "columns, one client has it: drop it at the others."
        )
    return owners[0] if owners else None


def by_client(given: Any, clients: tuple[str, ...], owners: Sequence[str]) -> dict[str, Any]:
    """Return rows to predict of those that own columns; the other clients may be left out."""
    if isinstance(given, list | tuple) and len(given) == len(clients):
        given = dict(zip(clients, given, strict=True))
    if isinstance(given, Mapping):
        for name in given:
            if name not in clients:
                hint = did_you_mean(str(name), clients)
                raise UsageError(
                    f"there are rows to predict of {name!r}, which is no client.{hint}"
                )
        lost = [client for client in owners if given.get(client) is None]
        if not lost:
            return {client: given[client] for client in owners}
        raise UsageError(
            f"client {lost[0]!r} has no rows to predict. Split by columns, each client's own columns "
            f"are needed: give a dict with a table of {', '.join(map(repr, owners))}."
        )
    raise UsageError(
        "split by columns, rows to predict are with their owners: give a dict with each client's "
        f"table of its own columns ({', '.join(map(repr, owners))})."
    )
