"""Honest fits of approved pipelines: what was said to one client, and the forms of what was asked."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from fedps.assembly import asking_with_learned, assemble
from fedps.client import Policy, Responder, open_table
from fedps.client.answering import Answering
from fedps.client.requests.digest import request_digest
from fedps.compounds import walk
from fedps.errors import FedPSError, NotFederated
from fedps.federation.assembled import pooled_row
from fedps.federation.learning import learn
from fedps.plans import ASKING, plan_to_ask
from fedps.protocol.codec import decode, encode
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Refusal, Reply, Request, mark
from fedps.statistics.categories import frequent_items
from tests.attacks.approved import POLICIES, SHY, Approved, own_table, table_of
from tests.attacks.honest_forms import Form, Judge, form_of, plain
from tests.scripts.mutations import body_of

VICTIM = "oslo"
ODD = {"narrow": "PowerTransformer", "huge": "PowerTransformer", "empty": "IterativeImputer"}
QUERIES = np.full((4, 3), 40.0) + np.eye(4, 3)  # rows to predict
WITH_GAPS = np.where(QUERIES > 40, np.nan, QUERIES)


class Watch:
    """Sees what clients compute: each question that is answered, or not, and its answer."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, Any, int]] = []
        answer_all = Answering.answer_all

        def watched(answering: Answering, asks: Any) -> Any:
            answers = answer_all(answering, asks)
            self._see(asks, answers, answering._places)
            return answers

        Answering.answer_all = watched

    def _see(self, asks: Any, answers: Any, places: Any) -> None:
        for ask, answer in zip(asks, answers, strict=True):
            width, key = 0, ask.key
            if answer.problem is None:
                width, whole = places[key].width, key._replace(columns=None)
                if width == places[whole].width:  # some columns that are all
                    key = whole
            self.seen.append((ask._replace(key=key), answer, width))

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

    def __init__(self, approved: Approved, what: Any, policy: Policy) -> None:
        self.approved = approved
        self.what = what
        self.policy = policy
        self.names = own_table(approved.target).schema().names
        self.rounds: list[Any] = []
        self.kinds: list[list[str]] = []  # of what each round asks


class Honest:
    """All that honest plans of the approved pipelines ask.

    ``talks`` are with the client of 1000 rows; ``forms`` are of all fits, by what they are about.
    """

    def __init__(self, pipelines: list[Approved], watch: Watch) -> None:
        self.watch = watch
        self.consent = Consent()
        self.talks: list[Talk] = []
        self.forms: dict[Any, set[Form]] = defaultdict(set)
        for number, approved in enumerate(pipelines):
            kind = approved.target
            tables = [table_of(kind, rows, 50 + rows) for rows in (70, 90)]
            for policy in POLICIES.values():
                own = Responder(VICTIM, own_table(kind), policy)
                self.fit(approved, [own, *clients(tables, policy)])
            for like, policy in SHY:
                if ODD.get(like, "") not in str(approved.estimator):
                    continue  # no other search depends on it
                tables = [table_of(kind, 40 + 9 * j, 7 * number + j, like) for j in range(3)]
                self.fit(approved, clients(tables, policy))
            what = self.talks[-1].what
            if any(form.kind == "Heaviest" for form in self.forms[what]):
                with large_texts():
                    self.fit(approved, clients(tables, Policy.open()))

    def fit(self, approved: Approved, parties: list[Responder]) -> None:
        """Fit over some clients, and let a fitted estimator that asks them when it is used do so."""
        estimator, names = approved.estimator, tuple(party.name for party in parties)

        def carry(coordinator: Coordinator[Any]) -> None:
            self.carry(coordinator, approved, parties)

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                known = learn(
                    estimator, approved.weight, approved.options, {}, names, carry, remote=False
                )
                if not any(isinstance(part, ASKING) for part in walk(estimator)):
                    return
                fitted = assemble(
                    estimator,
                    known.outcome.settled,
                    pooled_row(known.pooled, known.schemas, estimator),
                )
                for part, learned in asking_with_learned(fitted, known.outcome):
                    queries = QUERIES if hasattr(part, "predict") else WITH_GAPS
                    plan = plan_to_ask(part.unfitted(), learned, queries)
                    about = {"columns": known.columns, "schemas": known.schemas}
                    carry(Coordinator(plan, names, known.pooled, request=known.request, **about))
        except FedPSError as error:
            # a policy does not allow it: what was asked until then is known
            if parties[0].policy.level == "ROWS" and not isinstance(error, NotFederated):
                raise

    def carry(
        self, coordinator: Coordinator[Any], approved: Approved, parties: list[Responder]
    ) -> None:
        """Carry rounds and replies to the end; note what was asked."""
        request, last = coordinator.request, dict.fromkeys(coordinator.clients, b"")
        if request.pipeline is None:
            judges = {}
        else:
            self.consent.digests.add(request_digest(request))
            judges = {party.name: Judge(request) for party in parties}
        talk = Talk(approved, what_of(request), parties[0].policy)
        if judges and parties[0].name == VICTIM:
            self.talks.append(talk)
        while coordinator.next_round() is not None:
            rounds, replies = coordinator.rounds(), []
            for party in parties:
                after = mark(last[party.name]) if last[party.name] else b""
                message = encode(structs.replace(rounds[party.name], after=after))
                last[party.name] = message
                replies.append(decode(party.answer(message), Reply, party.name))
                seen = self.watch.take()
                if party is parties[0]:
                    talk.rounds.append(msgspec.msgpack.decode(body_of(message)))
                    talk.kinds.append([type(ask.statistic).__name__ for ask, *_ in seen])
                for ask, answer, width in seen:
                    self.forms[talk.what].add(form_of(ask))
                    problem = judges[party.name].judge(ask, answer, width)
                    assert problem is None, (approved.estimator, problem)
            for reply in replies:
                coordinator.receive(reply)


@contextmanager
def large_texts() -> Iterator[None]:
    """Let clients take each text for a very large one, so that not all fit into an answer."""
    before = frequent_items.unfolded
    frequent_items.unfolded = lambda values: 10**4 * before(values)
    try:
        yield
    finally:
        frequent_items.unfolded = before


def clients(tables: list[Any], policy: Policy) -> list[Responder]:
    """Return clients with tables of their own."""
    names = ("bergen", "turku", "zagreb")
    both = zip(names, tables, strict=False)
    return [Responder(name, open_table(table), policy) for name, table in both]


def hash_of(table: Any) -> str:
    """Return what changes when a cell of the client's table does."""
    (chunk,) = table.chunks()
    return repr([chunk.X.to_dict("list"), np.asarray(chunk.y, dtype=object).tolist()])
