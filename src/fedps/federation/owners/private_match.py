"""match_privately: has the clients find the rows that all of them have, by keys that nobody shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import Any

from fedps.errors import Disagreement
from fedps.plans.columns.match_rows import Match, match_rows
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Predict, Request
from fedps.protocol.plan import Needed, View
from fedps.protocol.pooled import Pooled
from fedps.protocol.schemas.owned_columns import KeyColumns


def match_privately(
    clients: Sequence[str],
    exchange: Callable[[Coordinator[Any]], None],
    new: Predict | None = None,
) -> tuple[str, dict[str, bool]]:
    """Return the name under which clients keep the rows, and which of them have the target.

    ``new`` is for new rows, which are to be predicted, instead of the clients' tables.

    Disagreement if there is no row that all clients have. An engine's clients have told their names by then.
    """
    name = f"match {token_hex(8)}"
    pooled = Pooled()
    coordinator = Coordinator(
        match_rows(View(pooled, needs=Needed(predict=new))),
        clients,
        pooled,
        request=Request(None, across=True, fit=name),
        columns=KeyColumns(),
    )
    exchange(coordinator)
    found: Match = coordinator.outcome
    if not found.common:
        both = zip(coordinator.clients, found.sizes, strict=True)
        sizes = ", ".join(f"{rows} at {client!r}" for client, rows in both)
        raise Disagreement(
            f"no key is at all clients ({sizes}). Check that they name the right column as their key, write keys "
            "alike, and have the same salt, if they have one."
        )
    return name, dict(zip(coordinator.clients, found.has_target, strict=True))
