"""Alignment: whether clients with different columns hold the same rows in the same order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import structs

from fedps.assembly import dummy_row, freeze
from fedps.errors import Disagreement, UsageError, did_you_mean
from fedps.federation.faults.checkpoint import Checkpoint
from fedps.federation.owners.private_match import match_privately
from fedps.protocol.codec import FunctionNames
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Request
from fedps.protocol.plan import Plan, View, ask, nothing
from fedps.protocol.pooled import Pooled
from fedps.protocol.schemas import Schemas
from fedps.protocol.schemas.owned_columns import OwnedColumns
from fedps.statistics import Keys, RowKeys

Exchange = Callable[[Coordinator[Any]], None]


class Alignment:
    """Clients that have been found to hold the same rows in the same order.

    Parameters
    ----------
    clients : tuple of str
        Their names, in the order in which their columns stand side by side.
    key : str or None
        The column by which rows are compared. If None, only the numbers of rows are compared.
    target : str or None
        The target, which exactly one client must hold.
    exchange : callable
        Carries the rounds in which rows are compared, or matched.
    there : bool, default=False
        Whether the clients are on an engine, where each names its own key and target.
    private : bool, default=False
        Whether rows are matched, by keys that nobody shows. Otherwise all must have the same rows.
    """

    def __init__(
        self,
        clients: tuple[str, ...],
        key: str | None,
        target: str | None,
        exchange: Exchange,
        *,
        there: bool = False,
        private: bool = False,
    ) -> None:
        self.match: str | None = None
        plan: Plan[Any] = nothing() if private else _keys()
        if private:
            self.match, has_target = match_privately(clients, exchange)
            clients = tuple(has_target)
        request = Request(None, across=True, match=self.match)
        self._known = Coordinator(plan, clients, Pooled(), request=request, columns=OwnedColumns())
        exchange(self._known)
        self.clients = self._known.clients  # by now an engine's clients have told their names
        if not private:
            found = dict(zip(self.clients, self._known.outcome, strict=True))
            check_keys(found, key)
            has_target = {client: keys.has_target for client, keys in found.items()}
        self._target_at = _target_at(has_target)
        if target is not None and self._target_at is None:
            assert self._known.pooled.table is not None
            hint = did_you_mean(target, self._known.pooled.table.names or ())
            raise UsageError(
                f"target: no client has a column {target!r}.{hint}"
                + (' Its owner names it in the settings there, target = "column".' * there)
            )

    @property
    def rows(self) -> int:
        """The number of rows, which is the same at all clients."""
        assert self._known.pooled.table is not None
        return self._known.pooled.table.rows

    @property
    def schemas(self) -> Schemas:
        """What each client's table looks like."""
        return self._known.schemas

    def view(self) -> View:
        """Return all clients' columns side by side, as a plan sees them."""
        known = self._known.pooled
        assert known.table is not None
        table = known.table
        row = dummy_row(table.container, table.names, table.width, table.dtypes)
        pooled = Pooled(
            table,
            None,
            row,
            freeze,
            clients=len(self.clients),
            widths=known.widths,
            target_at=self._target_at,
        )
        return View(pooled)

    def coordinator(
        self,
        plan: Plan[Any],
        view: View,
        request: Request,
        functions: FunctionNames,
        record: Checkpoint | None = None,
    ) -> Coordinator[Any]:
        """Return what drives a plan over these clients. They do not send their schemas again.

        ``record`` may know the match of a fit that goes on.
        """
        match = self.match if record is None else record.match_name(self.match)
        request = structs.replace(request, match=match)
        columns = OwnedColumns(request.pipeline)
        columns.learn_tables(self._known.schemas)
        return Coordinator(
            plan,
            self.clients,
            view.pooled,
            request=request,
            functions=functions,
            columns=columns,
            schemas=self._known.schemas,
        )


def _keys() -> Plan[tuple[Keys, ...]]:
    return (yield from ask(RowKeys(), View()))


def check_keys(found: Mapping[str, Keys], key: str | None) -> None:
    """Raise Disagreement unless all clients hold the same rows in the same order.

    Clients on an engine name their keys themselves. Without ``key``, those that name none are not compared.
    """
    for client, keys in found.items():
        if key is not None and not keys.ordered:
            raise Disagreement(
                f"client {client!r} names no key, so its rows cannot be compared with the others'. Its owner "
                f'names the column in the settings there, key = "column"; here it is called {key!r}.'
            ).about(client)
    named = {client: keys for client, keys in found.items() if keys.ordered}
    by, sort = ("key", "it") if key is None else (f"key {key!r}", repr(key))
    for client, keys in named.items():
        leader, first = next(iter(named.items()))
        if keys.ordered == first.ordered:
            continue
        if keys.sorted == first.sorted:
            raise Disagreement(
                f"clients {leader!r} and {client!r} hold the same rows in different orders, according to "
                f"their {by}. Sort both tables by {sort}."
            )
        raise Disagreement(
            f"clients {leader!r} and {client!r} hold different rows, according to their {by}. Keep "
            f"the rows that both hold, and sort both tables by {sort}."
        )


def _target_at(has_target: Mapping[str, bool]) -> int | None:
    """Return the position of the client that holds the target, if any."""
    owners = [i for i, has in enumerate(has_target.values()) if has]
    if len(owners) > 1:
        names = list(has_target)
        raise Disagreement(
            f"clients {names[owners[0]]!r} and {names[owners[1]]!r} both have a target. With "
            "split='columns', exactly one client holds it: drop it at the other."
        )
    return owners[0] if owners else None
