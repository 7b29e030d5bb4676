"""A transport in process on which, by a schedule, things go wrong."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from fedps.client import Policy, Responder, open_table
from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Refusal, Reply, Round, mark
from fedps.transports import LocalTransport, Lost

DIES, SILENT, LATE, TWICE, OLD, GARBAGE, CUT, REFUSES, IMPOSTOR, OTHER_FIT = (
    "dies",
    "silent",
    "late",
    "twice",
    "old",
    "garbage",
    "cut",
    "refuses",
    "impostor",
    "other fit",
)
FAULTS = (DIES, SILENT, LATE, TWICE, OLD, GARBAGE, CUT, REFUSES, IMPOSTOR, OTHER_FIT)
GONE = "did not answer within 60 seconds"


class ServerDies(BaseException):
    """The server's process ends here: nothing after it runs."""


@dataclass
class Faulty:
    """Clients in process, where ``faults`` says what happens to a client's nth message, from 1."""

    inner: LocalTransport
    faults: dict[tuple[str, int], str] = field(default_factory=dict)
    crash_after: int | None = None  # exchanges, then the server dies
    crash_within: bool = False  # after some replies of the next one, not before it
    seed: int = 0
    exchanges: int = 0
    heard: dict[str, list[bytes]] = field(default_factory=dict)
    happened: list[tuple[str, int, str]] = field(default_factory=list)  # client, round, fault

    def __post_init__(self):
        self._dead = set()
        self._late = []
        self._rng = random.Random(self.seed)

    def clients(self):
        return self.inner.clients()

    def exchange(self, messages):
        crashes = self.crash_after == self.exchanges
        if crashes and not self.crash_within:
            raise ServerDies
        self.exchanges += 1
        yield from self._late
        self._late = []
        names = list(messages)
        self._rng.shuffle(names)  # replies come in any order
        for i, name in enumerate(names):
            if crashes and i == len(names) // 2:
                raise ServerDies
            yield from self._one(name, messages[name])

    def _one(self, name, message):
        earlier = self.heard.setdefault(name, [])
        fault = self.faults.get((name, len(earlier) + 1))
        number = decode(message, Round, "server").number
        reply = self.inner.responders[name].answer(message)
        earlier.append(reply)
        if name in self._dead:
            yield name, Lost(GONE)
            return
        if fault is not None:
            self.happened.append((name, number, fault))
        yield from self._with(fault, name, number, message, reply)

    def _with(self, fault, name, number, message, reply):
        if fault == DIES:
            self._dead.add(name)
        if fault in (DIES, SILENT, LATE):
            if fault == LATE:
                self._late.append((name, reply))
            yield name, Lost(GONE)
            return
        if fault == TWICE:
            yield name, reply
        if fault == OLD:
            old = Reply(name, number + 1, (), (), None, mark(message))
            reply = self.heard[name][-2] if len(self.heard[name]) > 1 else encode(old)
        elif fault == GARBAGE:
            reply = bytes(self._rng.randrange(256) for _ in range(40))
        elif fault == CUT:
            reply = reply[: len(reply) // 2]
        elif fault == REFUSES:
            refusal = Refusal("min_rows", "needs 99 rows and there are fewer")
            reply = encode(Reply(name, number, (), (), refusal, mark(message)))
        elif fault == IMPOSTOR:
            reply = encode(Reply("nobody", number, (), (), None, mark(message)))
        elif fault == OTHER_FIT:
            reply = encode(Reply(name, number, (), (), None, b"else"))
        yield name, reply


def local(tables, policy=None):
    """The transport that the tables would be reached by, without any fault."""
    policy = policy or Policy.open()
    return LocalTransport(
        {name: Responder(name, open_table(table), policy) for name, table in tables.items()}
    )
