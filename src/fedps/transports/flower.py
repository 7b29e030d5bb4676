"""The Flower transport: rounds travel as messages of a Flower grid, one to each node.

A round is a message of type ``query.fedps`` whose content is one record, ``fedps``, with the bytes of
the round; its reply has the same form. Nodes have numbers; a client tells its name in its first reply.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flwr.app import ConfigRecord, Message, RecordDict

from fedps.errors import TransportError, UsageError
from fedps.transports.base import Lost
from fedps.transports.lost_replies import UNREADABLE, clients_needed, too_late

log = logging.getLogger("fedps.flower")

ACTION = "fedps"  # the name under which a ClientApp registers its answer
_MESSAGE_TYPE = f"query.{ACTION}"
RECORD, ROUND, REPLY = "fedps", "round", "reply"

_FIRST_PAUSE, _LAST_PAUSE = 0.05, 0.5  # seconds between two looks for replies
_LINGERING = 60.0  # seconds, about: so long Flower lists a node that died
_LIFETIME = 12 * 3600.0  # seconds that a message lives at least: hosts' clocks may differ

# What Flower says instead of a reply, by its code. Its own text may quote a client's exception.
_REASONS = {
    1: "could not load the app: is fedps installed there? The log of its SuperNode says more",
    2: "has a ClientApp that failed: the log of its SuperNode says why",
    3: "did not answer before the SuperLink dropped the message",
    4: "answered, but the reply was lost on the way",
    5: "is not connected any more: its SuperNode is gone",
    6: "has a Flower mod that did not let the message through",
    7: "does not trust this app",
    8: "did not answer: the process of its ClientApp died",
}


class FlowerTransport:
    """Carries rounds to the nodes of a Flower federation.

    Parameters
    ----------
    grid : flwr Grid
        As Flower passes it to a ServerApp's ``main``.
    clients : int
        How many nodes take part. They are waited for.
    timeout : float
        Seconds that the nodes have to connect, and then to answer a round.
    quorum : int, optional
        The fewest nodes to go on with if not all connect in time. Default: all are clients_needed.
    """

    def __init__(self, grid: Any, clients: int, timeout: float, quorum: int | None = None) -> None:
        self._grid = grid
        self._timeout = timeout
        self._nodes = {f"node {n}": n for n in self._wait(clients, quorum or clients)}
        self._names: dict[str, str] = {}

    def clients(self) -> Sequence[str]:
        """Return the clients' names, sorted; a node that has not told its name goes by its number."""
        return tuple(sorted(self._names.get(address, address) for address in self._nodes))

    @property
    def names(self) -> Mapping[str, str]:
        """The clients' names by the numbers of their nodes, as far as they are known."""
        return self._names

    @property
    def nameless(self) -> bool:
        """Whether some client has not told its name yet."""
        return len(self._names) < len(self._nodes)

    def introduce(self, names: Mapping[str, str]) -> None:
        """Use the names that some clients told from now on."""
        self._names |= {address: names[address] for address in names if address in self._nodes}

    def exchange(self, messages: Mapping[str, bytes]) -> Iterator[tuple[str, bytes | Lost]]:
        """Send each client its message; yield replies and losses as they arrive."""
        started = time.monotonic()
        waiting: dict[str, str] = {}
        for client, sent in zip(messages, self._push(messages), strict=True):
            if sent:
                waiting[sent] = client
            else:
                yield client, Lost(_REASONS[5])
        pause = _FIRST_PAUSE
        while waiting:
            for reply in self._grid.pull_messages(list(waiting)):
                # not found by its sender: a message about a lost node comes from the SuperLink
                client = waiting.pop(reply.metadata.reply_to_message_id, "")
                if client:
                    yield client, _content(reply)
            left = started + self._timeout - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(pause, left) if waiting else 0)
            pause = min(2 * pause, _LAST_PAUSE)
        taken = time.monotonic() - started
        answered = len(messages) - len(waiting)
        log.info("%d of %d clients answered in %.1f s", answered, len(messages), taken)
        for client in waiting.values():
            yield client, too_late(self._timeout)

    def _push(self, messages: Mapping[str, bytes]) -> list[str | None]:
        """Send messages; return their ids, None where Flower did not take one."""
        nodes = {self._names.get(address, address): node for address, node in self._nodes.items()}
        sent = list(
            self._grid.push_messages(
                [
                    Message(
                        RecordDict({RECORD: ConfigRecord({ROUND: message})}),
                        dst_node_id=nodes[client],
                        message_type=_MESSAGE_TYPE,
                        ttl=max(_LIFETIME, 2 * self._timeout),
                    )
                    for client, message in messages.items()
                ]
            )
        )
        if len(sent) != len(messages):
            raise TransportError(
                "the SuperLink took none of the messages of a round: they are too large for it. Fit "
                "fewer columns at a time."
            )
        return sent

    def _wait(self, wanted: int, quorum: int) -> list[int]:
        """Return the nodes, once there are enough of them."""
        started = time.monotonic()
        pause = _FIRST_PAUSE
        while True:
            nodes = sorted(self._grid.get_node_ids())
            waited = time.monotonic() - started
            if len(nodes) == wanted:
                return nodes
            if len(nodes) > wanted and waited >= min(self._timeout, _LINGERING):
                raise UsageError(
                    f"{len(nodes)} nodes are connected, and clients={wanted}. Say clients={len(nodes)}, "
                    "or disconnect those that should not take part."
                )
            if waited >= self._timeout:
                break
            time.sleep(min(pause, self._timeout - waited))
            pause = min(2 * pause, _LAST_PAUSE)
        if len(nodes) < quorum:
            raise TransportError(
                f"{len(nodes)} nodes are connected after {self._timeout:g} seconds, and "
                f"{clients_needed(wanted, quorum)} were to take part. Start the others, or give them more time (timeout=)."
            )
        log.warning("%d of %d clients are connected: going on with these", len(nodes), wanted)
        return nodes


def _content(reply: Any) -> bytes | Lost:
    """Return the bytes of a reply, or why there are none. No text of the node is passed on."""
    if reply.has_error():
        code = reply.error.code
        return Lost(_REASONS.get(code, f"did not answer: Flower's error code is {code}"))
    record = reply.content.get(RECORD)
    found = record.get(REPLY) if isinstance(record, ConfigRecord) else None
    if not isinstance(found, bytes):
        return Lost("has a ClientApp that does not answer with fedps.flower.answer")
    return found or UNREADABLE
