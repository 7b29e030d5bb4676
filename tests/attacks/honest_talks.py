"""Honest fits of approved pipelines: what was said to one client, and the forms of what was asked."""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from fedps.client import Policy, Responder, open_table, responder
from fedps.client.requests.digest import request_digest
from fedps.errors import FedPSError
from fedps.federation.row_split import _learn
from fedps.protocol.codec import decode, encode
from fedps.protocol.coordinator import Coordinator, StartAgain
from fedps.protocol.messages import Refusal, Reply, Request, mark
from tests.attacks.approved import POLICIES, SHY, Approved, own_table, table_of
from tests.attacks.honest_forms import Form, Judge, plain
from tests.scripts.mutations import body_of

VICTIM = "oslo"


class Watch:
    """Sees what clients compute: each question that is answered, or not, and its answer."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, Any, int]] = []
        self._answer_all = responder.answer_all
        responder.answer_all = self._watched

    def _watched(self, asks: Any, places: Any, gate: Any, rows: int) -> Any:
        answers = self._answer_all(asks, places, gate, rows)
        for ask, answer in zip(asks, answers, strict=True):
            width = places[ask.key].width if answer.problem is None else 0
            self.seen.append((ask, answer, width))
        return answers

    def take(self) -> list[tuple[Any, Any, int]]:
        """Return what was computed since, and forget it."""
        seen, self.seen = self.seen, []
        return seen


class Consent:
    """An owner who approved some pipelines, and no others: as ``OwnerConsent`` is, without files."""

    def __init__(self) -> None:
        self.digests: set[str] = set()

    def check(self, request: Request, peer: str) -> Refusal | None:
        """Return why a request is not answered, or None."""
        if request.pipeline is None or request_digest(request) in self.digests:
            return None
        return Refusal("consent", "waits")


def what_of(request: Request) -> Any:
    """Return what a request is about; equal for equal ones. It is not the digest that is tested."""
    return plain(structs.replace(request, clients=1, fit=None))


class Talk:
    """What an honest server said to one client in a fit, each round as a tree of lists."""

    def __init__(self, approved: Approved, policy: str) -> None:
        self.approved = approved
        self.policy = POLICIES.get(policy)
        self.what: Any = None
        self.rounds: list[Any] = []
        self.kinds: list[list[str]] = []  # of what each round asks


class Honest:
    """All that honest plans of the approved pipelines ask."""

    def __init__(self, pipelines: list[Approved], watch: Watch) -> None:
        self.watch = watch
        self.consent = Consent()
        self.talks: list[Talk] = []
        self.forms: dict[Any, set[Form]] = defaultdict(set)
        for number, approved in enumerate(pipelines):
            kind = approved.target
            tables = [table_of(kind, rows, 50 + rows) for rows in (70, 90)]
            for name, policy in POLICIES.items():
                self.talks.append(Talk(approved, name))
                own = Responder(VICTIM, own_table(approved.target), policy)
                self.fit(approved, [own, *clients(tables, policy)], self.talks[-1])
            for i, policy in enumerate(SHY):
                ties = i % 2 == 0
                tables = [table_of(kind, 40 + 9 * j, 7 * number + j, ties=ties) for j in range(3)]
                self.fit(approved, clients(tables, policy), Talk(approved, ""))

    def fit(self, approved: Approved, parties: list[Responder], talk: Talk) -> None:
        """Fit over some clients; what the first hears is noted."""
        judges: dict[str, Judge] = {}
        by_name = {party.name: party for party in parties}

        def carry(coordinator: Coordinator[Any]) -> None:
            last: dict[str, bytes] = {}
            talk.rounds, talk.kinds = [], []
            what = what_of(coordinator.request)
            if coordinator.request.pipeline is not None:
                talk.what = what
                self.consent.digests.add(request_digest(coordinator.request))
                judges.update({name: Judge(coordinator.request) for name in by_name})
            while coordinator.next_round() is not None:
                replies = []
                for name, own in coordinator.rounds().items():
                    after = mark(last[name]) if name in last else b""
                    last[name] = encode(structs.replace(own, after=after))
                    replies.append(decode(by_name[name].answer(last[name]), Reply, name))
                    seen = self.watch.take()
                    if name == parties[0].name:
                        talk.rounds.append(msgspec.msgpack.decode(body_of(last[name])))
                        talk.kinds.append([type(ask.statistic).__name__ for ask, *_ in seen])
                    for ask, answer, width in seen:
                        if answer.problem is None:
                            problem = judges[name].judge(ask, width)
                            assert problem is None, (approved.estimator, problem)
                        elif name in judges:
                            judges[name].note(ask)
                for reply in replies:
                    coordinator.receive(reply)

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                names = tuple(party.name for party in parties)
                _learn(approved.estimator, approved.weight, approved.options, {}, names, carry)
        except (FedPSError, StartAgain):
            pass  # a policy does not allow it: what was asked until then is known
        for judge in judges.values():
            self.forms[talk.what] |= judge.seen


def clients(tables: list[Any], policy: Policy) -> list[Responder]:
    """Return clients with tables of their own."""
    names = ("bergen", "turku", "zagreb")
    both = zip(names, tables, strict=False)
    return [Responder(name, open_table(table), policy) for name, table in both]


def hash_of(table: Any) -> str:
    """Return what changes when a cell of the client's table does."""
    (chunk,) = table.chunks()
    return repr([chunk.X.to_dict("list"), np.asarray(chunk.y, dtype=object).tolist()])
