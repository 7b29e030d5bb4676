"""What adapters of engines share: opening a client, and answering whatever comes.

An engine would pass an exception's text on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from fedps.client.ledger import Ledger
from fedps.client.policy import Policy
from fedps.client.responder import Responder
from fedps.client.tables import Table
from fedps.errors import PeerError, UsageError
from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Failure, Reply, Round, mark

log = logging.getLogger("fedps.client")


def open_client(
    name: str,
    table: Table,
    policy: Policy | None,
    ledger: Ledger | str | Path | None,
    peer: str,
) -> Responder:
    """Return what answers for a client of an engine: behind the strict policy, if none is given.

    ``peer`` is who asks, for the ledger. Fits cannot be counted where nothing outlives the process.
    """
    rules = policy or Policy()
    own = ledger if isinstance(ledger, Ledger) else Ledger(ledger, peer)
    if rules.max_fits is not None and own.path is None:
        raise UsageError("the policy has max_fits, which a ledger counts: give the client one.")
    return Responder(name, table, rules, ledger=own)


def answer_guarded(name: str, message: bytes, open_responder: Callable[[], Responder]) -> bytes:
    """Return the reply to a round, whatever happens; empty, if the message is none.

    ``open_responder`` opens the table, the policy and the ledger. Where that fails, the server hears
    that it did, and the reason stays in the log here.
    """
    try:
        round_ = decode(message, Round, "the server")
    except PeerError:
        log.exception("client %r got something that is no message", name)
        return b""
    try:
        return open_responder().answer(message)
    except Exception:
        log.exception("client %r could not be set up for round %d", name, round_.number)
    return encode(Reply(name, round_.number, (), (), (), Failure("setup"), mark(message)))
