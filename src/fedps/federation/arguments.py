"""The arguments of a Federation, checked: clients become a transport, sketches become options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import TIMEOUT_MAX
from typing import Any

import numpy as np

from fedps.client import Policy, Responder, open_table
from fedps.client.tables import Table
from fedps.client.tables.cast_columns import read_dtypes
from fedps.client.tables.owned_table import open_owned
from fedps.errors import UsageError, did_you_mean
from fedps.federation.clients.client_names import named_tables
from fedps.federation.faults.claimed_rows import MAX_ROWS
from fedps.protocol.pooled import Options
from fedps.statistics import KLL, REQ, FrequentItems
from fedps.transports import LocalTransport, Transport

OpenTable = Callable[[Any], Table]


def reader(
    split: str,
    target: str | int | None,
    key: str | None,
    dtypes: Mapping[str, Any] | None = None,
) -> OpenTable:
    """Return the function that opens a client's table; UsageError for arguments that do not fit."""
    wanted = read_dtypes(dtypes)
    for option, name in (("target", target), ("key", key)):
        known: Any = str | int | np.integer if option == "target" and split == "rows" else str
        if name is not None and (not isinstance(name, known) or isinstance(name, bool)):
            raise UsageError(f"{option} is a {type(name).__name__}: give the name of a column.")
    if key is not None and key == target:
        raise UsageError(f"the key and the target are both {key!r}: they must be two columns.")
    if split == "columns":
        assert not isinstance(target, int)
        return partial(open_owned, target=target, key=key, dtypes=wanted)
    if split != "rows":
        raise UsageError(
            f"split={split!r} is not known: use 'rows' (each client holds some rows of the same columns) or "
            "'columns' (each client holds some columns of the same rows)."
        )
    if key is not None:
        raise UsageError(
            f"key={key!r} identifies rows if clients hold different columns of the same rows: use it with "
            "split='columns'."
        )
    return partial(open_table, target=target, dtypes=wanted)


def transport_for(
    clients: Any,
    open_one: OpenTable,
    policy: Policy | Mapping[Any, Policy] | None,
    timeout: float | None = None,
    dtypes: Mapping[str, Any] | None = None,
) -> Transport:
    """Return the transport that reaches the clients; ``open_one`` opens what was given as tables."""
    if timeout is not None:
        check_timeout(timeout)
    if isinstance(clients, str) or not isinstance(clients, Mapping | Sequence):
        if isinstance(clients, Transport):
            _only_for_tables(timeout=timeout, policy=policy, dtypes=dtypes)
            return clients
        raise UsageError(
            f"clients is a {type(clients).__name__}: give a dict of tables, a list of tables, or a "
            "transport."
        )
    tables = named_tables(clients)
    policies = _policies(policy, tables)
    responders: dict[str, Responder] = {}
    for given, source in tables:
        name = str(given)
        try:
            table = open_one(source)
        except UsageError as error:
            raise UsageError(f"client {name!r}: {error}") from None
        responders[name] = Responder(name, table, policies[given])
    if dtypes:
        _check_columns(dtypes, [responder.table for responder in responders.values()])
    return LocalTransport(responders, timeout)


def _only_for_tables(timeout: Any, policy: Any, dtypes: Any) -> None:
    """Raise UsageError for what clients that are elsewhere have by themselves."""
    if timeout is not None:
        raise UsageError("timeout= is for clients that are tables: give it to the transport.")
    for name, given in (("policy", policy), ("dtypes", dtypes)):
        if given is not None:
            raise UsageError(
                f"{name}= is for clients that are tables: with a transport, each client has its own."
            )


def _check_columns(dtypes: Mapping[str, Any], tables: Sequence[Table]) -> None:
    """Raise UsageError for a column that no client has."""
    known = dict.fromkeys(name for table in tables for name in table.schema().names or ())
    known |= dict.fromkeys(table.target_name for table in tables if table.target_name)
    for table in tables:
        table.rest()
    for name in dtypes:
        if name not in known:
            hint = did_you_mean(name, known)
            raise UsageError(f"dtypes: no client has a column {name!r}.{hint}")


def _policies(
    policy: Policy | Mapping[Any, Policy] | None, tables: Sequence[tuple[Any, Any]]
) -> dict[Any, Policy]:
    names = [name for name, _ in tables]
    if not isinstance(policy, Policy | Mapping | None):
        raise UsageError(
            f"a policy is a {type(policy).__name__}: give fedps.Policy(...), or a dict of them by "
            "client."
        )
    if not isinstance(policy, Mapping):
        return dict.fromkeys(names, Policy.open() if policy is None else policy)
    for name in policy:
        if name not in names:
            raise UsageError(
                f"there is a policy for {name!r}, which is not a client."
                f"{did_you_mean(str(name), map(str, names))}"
            )
    return {name: policy.get(name, Policy.open()) for name in names}


EXACT = "exact"


def read_options(quantiles: Any, frequent: Any) -> Options:
    """Return the options as plans read them; UsageError for an option that is not known.

    >>> read_options("exact", "exact")
    Options(quantiles=None, frequent=None, outputs=False, match=None)
    """
    return Options(
        quantiles=_sketch(
            "quantiles", quantiles, (KLL, REQ), "fedps.KLL(k=200) or fedps.REQ(k=12)"
        ),
        frequent=_sketch("frequent", frequent, (FrequentItems,), "fedps.FrequentItems(k=1000)"),
    )


def _sketch(name: str, given: Any, kinds: tuple[type, ...], known: str) -> Any:
    if isinstance(given, str) and given == EXACT:
        return None
    if isinstance(given, kinds):
        return given
    if isinstance(given, type) and given in kinds:
        raise UsageError(f"{name}={given.__name__} is a class: give an instance, such as {known}.")
    raise UsageError(f"{name} must be 'exact' or a sketch, such as {known}; got {given!r}.")


def check_timeout(timeout: Any) -> None:
    """Raise UsageError unless this is a number of seconds to wait."""
    if type(timeout) not in (int, float) or not timeout > 0:
        raise UsageError(f"timeout must be a number of seconds above 0; got {timeout!r}.")
    if timeout > TIMEOUT_MAX:
        raise UsageError(f"timeout must be at most {TIMEOUT_MAX:.0f} seconds; got {timeout!r}.")


def read_quorum(quorum: int | None, clients: int, split: str = "rows") -> int | None:
    """Return the quorum; UsageError if it is not a number of clients."""
    if quorum is None:
        return None
    if split == "columns":
        raise UsageError(
            "with split='columns', every client holds columns that no other client holds: quorum= cannot "
            "be used."
        )
    if type(quorum) is not int or not 1 <= quorum <= clients:
        raise UsageError(f"quorum must be a number of clients from 1 to {clients}; got {quorum!r}.")
    return quorum


def read_match(match: str, split: str, key: str | None = None, *, there: bool = True) -> bool:
    """Return whether rows are matched privately; UsageError for what does not fit.

    ``there`` says that clients are on an engine, where each names its own key.
    """
    if match not in ("same", "private"):
        raise UsageError(
            f"match={match!r} is not known: use 'same' (all clients have the same rows in the same order) or "
            "'private' (rows are matched by keys that nobody shows)."
        )
    if match == "private" and split != "columns":
        raise UsageError(
            "match='private' is for clients that hold different columns: use it with split='columns'."
        )
    if match == "private" and key is None and not there:
        raise UsageError("match='private' needs key=: the column by which rows are matched.")
    return match == "private"


def read_max_rows(max_rows: int) -> int:
    """Return the most rows that a client may claim; UsageError if it is not a number of rows."""
    if type(max_rows) is not int or max_rows < 1:
        raise UsageError(
            f"max_rows must be a number of rows, 1 or more; got {max_rows!r}. Default: {MAX_ROWS}."
        )
    return max_rows
