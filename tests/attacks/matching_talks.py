"""Matches of rows as a server, an owner or a test sees them, and a server that means harm to owners of keys."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import pandas as pd

import fedps
from fedps.client import Policy, Responder
from fedps.client.owner.fit_secrets import FitSecrets
from fedps.client.owner.owner_state import OwnerState
from fedps.client.tables.owned_table import open_owned
from fedps.protocol.codec import decode, decode_part
from fedps.protocol.messages import Beside, Failure, Given, Keep, Reply, Request, Round
from fedps.protocol.packing.arrays import Budget
from fedps.statistics import BlindedAgain, BlindedKeys, MatchTable, ProvenKeys, Summary
from fedps.transports import LocalTransport
from tests.scripts.asking import NAME, Conversation

KINDS = (BlindedKeys, BlindedAgain, MatchTable, ProvenKeys)


class FixedSecrets(FitSecrets):
    """Secrets that are the same in every run of a test, and different for each owner."""

    def __init__(self, owner: str) -> None:
        super().__init__()
        self._owner = owner

    def of(self, fit: str) -> bytes:
        """Return the secret of a fit."""
        return blake2b(fit.encode(), key=self._owner.encode(), digest_size=32).digest()


class Recording(Responder):
    """An owner that keeps every byte which it got and sent."""

    def answer(self, message: bytes) -> bytes:
        """Answer, and keep both."""
        reply = super().answer(message)
        if not hasattr(self, "talk"):
            self.talk: list[tuple[bytes, bytes]] = []
        self.talk.append((message, reply))
        return reply


def owner_table(keys: Sequence[Any], column: str) -> pd.DataFrame:
    """Return a table with these keys and one column."""
    return pd.DataFrame({"id": list(keys), column: np.arange(len(keys), dtype=float)})


def owner(keys: Sequence[Any], *, salt: bytes = b"", name: str = NAME, **more: Any) -> Responder:
    """Return an owner of these keys."""
    table = open_owned(owner_table(keys, f"x of {name}"), target=None, key="id", salt=salt)
    kind, policy = more.pop("kind", Responder), more.pop("policy", Policy.open())
    return kind(name, table, policy, own=OwnerState(**more))


def matched(every: Sequence[Sequence[Any]]) -> tuple[fedps.Federation, list[Recording]]:
    """Match owners of these keys; return the federation, and what each of them heard and said."""
    names = [f"owner {i}" for i in range(len(every))]
    owners = {
        name: owner(keys, name=name, kind=Recording, secrets=FixedSecrets(name))
        for name, keys in zip(names, every, strict=True)
    }
    made = fedps.Federation(LocalTransport(owners), split="columns", key="id", match="private")
    return made, list(owners.values())


def arrays_of(talk: Sequence[tuple[bytes, bytes]]) -> list[np.ndarray]:
    """Return all lines of bytes or words that an owner got and sent in a match, message by message."""
    found: list[np.ndarray] = []
    for message, answer in talk:
        round_ = decode(message, Round, "the server")
        reply = decode(answer, Reply, "an owner")
        found += [tell.array for tell in round_.tells if isinstance(tell, Given)]
        for ask, packed in zip(round_.asks, reply.answers, strict=True):
            summary = decode_part(packed, KINDS[ask.question].summary, "owner", Budget(), "answer")
            found += _lines(summary)
    return found


def _lines(summary: Summary) -> list[np.ndarray]:
    """Return the arrays with a line for each key."""
    own = getattr(summary, "points", None) or getattr(summary, "lines", ())
    return [array for array in own if array.size]


class Match(Conversation):
    """A match with one owner, in which the server says what it likes."""

    def __init__(self, responder: Responder, owners: int = 3, name: str = "match") -> None:
        super().__init__(responder, Request(None, owners, across=True, fit=name))

    def keys(self, start: int = 0, stop: int = 2**17) -> Any:
        """Ask for the owner's own points."""
        return self.ask(BlindedKeys(start, stop))

    def stand(self, first: int, owners: int | None = None) -> Match:
        """Tell the owner where it stands."""
        self.tell(Beside(first, self.request.clients if owners is None else owners))
        return self

    def blind(self, points: Any) -> Any:
        """Have points blinded; return them, or the problem."""
        found = self.given(BlindedAgain(), points)
        return found.points[0] if hasattr(found, "points") else found

    def lines(self, points: Any, marks: bytes, at: int = 0, stop: int = 2**18) -> Any:
        """Give the owner its points back; return what it makes of them, or the problem."""
        found = self.given(MatchTable(at, 0, stop, marks), points)
        self.seed = int(found.seeds[0]) if hasattr(found, "seeds") else 0
        return found.lines[0] if hasattr(found, "lines") else found

    def given(self, statistic: Any, array: Any) -> Any:
        """Ask a question that uses an array."""
        self.give(array)
        problem = self.say(self.question(statistic, given=1))
        return problem or self.answer(statistic)

    def keep(self, proofs: Any) -> Any:
        """Say which rows all owners have; return the owner's problem with that."""
        self.give(proofs)
        self.tell(Keep())
        return self.say()


def marks_of(*answers: Any) -> bytes:
    """Return the marks of owners, as they sent them with their points."""
    return b"".join(answer.marks.tobytes() for answer in answers)


def around(points: Any, *others: Match) -> Any:
    """Return points as others have blinded them, in turn."""
    for other in others:
        points = other.blind(points)
    return points


def rule(problem: Any) -> str:
    """Return the rule that an owner names."""
    assert isinstance(problem, Failure), problem
    return problem.rule
