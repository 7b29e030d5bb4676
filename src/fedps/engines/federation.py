"""EngineFederation: a federation whose clients are reached through an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fedps.errors import UsageError
from fedps.federation import Federation
from fedps.federation.arguments import check_timeout, read_match, read_max_rows, read_quorum, reader
from fedps.federation.faults.claimed_rows import MAX_ROWS
from fedps.report.progress import Show
from fedps.transports import Transport


class EngineFederation(Federation):
    """What ``fedps.flower.Federation`` and ``fedps.nvflare.Federation`` have in common.

    A client's table, target, policy and ledger are its own settings, and its rows stay with it, so
    ``transform`` happens there, too.

    Parameters
    ----------
    connect : callable
        Returns the transport, given ``clients``, ``timeout`` and ``quorum``. It is not called where
        one of these cannot be right: connecting can take as long as ``timeout``.
    members : {"nodes", "sites"}
        What the engine calls its clients. Sites have names, nodes have not.
    clients, timeout, quorum, progress, max_rows
        As for the federation of the engine.
    **split
        ``split``, ``key``, ``target`` and ``match``, as for ``fedps.Federation``.
    """

    def __init__(
        self,
        connect: Callable[[Any, float, int | None], Transport],
        members: str,
        clients: int | Sequence[str],
        timeout: float,
        quorum: int | None,
        progress: Show,
        max_rows: int = MAX_ROWS,
        **split: Any,
    ) -> None:
        check_cohort(members, clients, timeout, quorum, max_rows, **split)
        transport = connect(clients, timeout, quorum)
        super().__init__(transport, quorum=quorum, progress=progress, max_rows=max_rows, **split)


def check_cohort(  # noqa: PLR0913 - each by its name
    members: str,
    clients: Any,
    timeout: Any,
    quorum: Any,
    max_rows: Any = MAX_ROWS,
    *,
    split: str = "rows",
    key: str | None = None,
    target: str | None = None,
    match: str = "same",
) -> None:
    """Refuse clients, a timeout, a quorum or a number of rows that cannot be right, before any is asked."""
    named = members == "sites"
    if named and isinstance(clients, Sequence) and not isinstance(clients, str):
        _check_names(clients)
        count = len(clients)
    else:
        count = clients
    if type(count) is not int or count < 1:
        or_names = ", or their names" if named else ""
        raise UsageError(
            f"clients is the number of {members} that take part{or_names}; got {clients!r}."
        )
    check_timeout(timeout)
    reader(split, target, key)
    read_match(match, split)
    if target is not None and split == "rows":
        raise UsageError(
            "target= is for split='columns': with rows, each client names its own target."
        )
    read_quorum(quorum, count, split)
    read_max_rows(max_rows)


def _check_names(sites: Sequence[Any]) -> None:
    for name in sites:
        if not isinstance(name, str) or not name:
            raise UsageError(f"clients must be the names of sites, as strings; got {name!r}.")
        if sites.count(name) > 1:
            raise UsageError(f"the site {name!r} is given twice.")
