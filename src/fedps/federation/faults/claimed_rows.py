"""How many rows clients say that they have: nothing else weighs a client's answers, and nobody can check it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fedps.draws.pooled_rows import TooManyRows
from fedps.errors import PeerError
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Reply
from fedps.protocol.schemas import Schemas

MAX_ROWS = 2**31  # that a client may claim, unless a federation says otherwise
MOST_PERCENT = 90  # of all rows, at one of several clients, without a note


def check_claim(client: str, reply: Reply, most: int) -> None:
    """Raise PeerError, about the client, if its reply claims more rows than it may."""
    claimed = max((schema.rows for schema in reply.schemas), default=0)
    if claimed > most:
        raise PeerError(
            f"client {client!r} claims {claimed} rows, and max_rows={most} is the most that is believed: "
            "the number of rows is a client's weight in every result. Leave the client out, or raise "
            "max_rows if it has as many."
        ).about(client)


@contextmanager
def naming_the_largest(coordinator: Coordinator[Any]) -> Iterator[None]:
    """Attribute an error about too many rows to the client that claims the most of them."""
    try:
        yield
    except TooManyRows as error:
        claims = {client: both[0].rows for client, both in coordinator.schemas.items()}
        largest = max(claims, key=claims.__getitem__)
        raise error.of(largest, claims[largest]) from None


def notes_on_rows(schemas: Schemas) -> list[str]:
    """Return a sentence about the client that has nearly all rows, if there are others."""
    claims = {client: both[0].rows for client, both in schemas.items()}
    rows = sum(claims.values())
    return [
        f"client {client!r} says that it has {own} of {rows} rows, {own / rows:.1%} of them: the result "
        "is nearly its own. max_rows= limits what a client may claim."
        for client, own in claims.items()
        if len(claims) > 1 and 100 * own > MOST_PERCENT * rows
    ]
