"""Answering whatever comes, for adapters of engines: these would pass an exception's text on."""

from __future__ import annotations

import logging
from collections.abc import Callable

from fedps.client.responder import Responder
from fedps.errors import PeerError
from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Failure, Reply, Round, mark

log = logging.getLogger("fedps.client")


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
