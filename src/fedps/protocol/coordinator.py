"""The coordinator: drives a plan without any I/O. Rounds out, replies in.

Rule 1: everything that can travel in one round does, and equal asks are sent once. Rule 2: it does
not know what carries the bytes, nor what the plan is for. Rule 3: answers are merged in the order of
the clients, whatever the order of arrival, so that a result never depends on timing. Rule 4: all that a
plan needs of a round is the merged answers, so that a checkpoint can replay it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np
from msgspec import Raw, structs

from fedps.errors import ClientError, PeerError, TransportError
from fedps.learned import Learned, Stand
from fedps.protocol.answers import Problem, merge_answers, read_answer
from fedps.protocol.codec import FunctionNames, encode_part
from fedps.protocol.heard import Asked, Heard, Packed, stop_on
from fedps.protocol.messages import Ask, Failure, Keep, KeptBack, Refusal, Reply, Request, Round
from fedps.protocol.one_missing import one_missing
from fedps.protocol.packing.arrays import Budget
from fedps.protocol.plan import NeedsSchema, Plan, Query, View
from fedps.protocol.pooled import Pooled
from fedps.protocol.schemas import Columns
from fedps.protocol.schemas.columns import order_among
from fedps.protocol.schemas.time_units import check_time_units
from fedps.protocol.telling import Telling
from fedps.statistics import Schema, Statistic, Summary, in_order

log = logging.getLogger("fedps.protocol")

_R = TypeVar("_R")


class StartAgain(Exception):  # noqa: N818 - it is raised and caught, never shown
    """The plan must be started again, now that the schema is known."""


class Coordinator(Generic[_R]):
    """Drives one plan over a fixed set of clients.

    Parameters
    ----------
    plan : Plan
        What to ask, and how to go on with the answers.
    clients : sequence of str
        The names of the clients, in the order in which answers are merged.
    pooled : Pooled
        What is known of all clients' tables together; filled in after the first round.
    request : Request, optional
        What the fit is about: what clients hear first, and answer questions about. Default: nothing
        but the clients' schemas.
    functions : mapping of int to str, optional
        Names, by ``id``, of functions that have no importable name.
    columns : Columns, optional
        What an earlier start of the same plan learned of the clients' columns.
    schemas : mapping of str to tuple of Schema, optional
        The clients' schemas, if they sent them before.

    ``heard`` are the merged replies of the round, once all clients have replied. ``begins`` says whether
    the clients' journals begin with the next round. ``outcome`` is what the plan returned, at its end.
    """

    def __init__(
        self,
        plan: Plan[_R],
        clients: Sequence[str],
        pooled: Pooled,
        *,
        request: Request | None = None,
        functions: FunctionNames | None = None,
        columns: Columns | None = None,
        schemas: Mapping[str, tuple[Schema, ...]] | None = None,
    ) -> None:
        self.clients = tuple(clients)
        self._known = frozenset(clients)
        self.pooled = pooled
        pooled.clients = len(self.clients)
        self.columns = columns or Columns()
        self.number = 0
        self.asked: list[Asked] = []
        self.heard: Heard | None = None
        self.begins = True
        self.outcome: _R
        self.schemas: dict[str, tuple[Schema, ...]] = dict(schemas or {})
        self._plan = plan
        self.functions = functions
        self._queries: tuple[Query, ...] | None = None
        self._slots: list[int | None] = []
        self._replies: dict[str, Reply] = {}
        self.request = structs.replace(request or Request(None), clients=len(self.clients))
        self.declared = self.request.declared()
        self._steps: list[Ask] = []  # of searches so far
        self._again = 0  # how many of them a round asks once more
        self._telling = Telling(self.request, self.declared, self.columns, pooled)
        self._stand: dict[str, Stand] = {}
        self._started = self._finished = False
        self._round: Round

    @property
    def waiting(self) -> tuple[str, ...]:
        """The clients that have not replied in this round."""
        return tuple(c for c in self.clients if c not in self._replies)

    def next_round(self) -> Round | None:
        """Return the next round to send, or None when the plan has its outcome."""
        if not self._started:
            self._started = True
            self._advance(None)
        if self._finished and self.schemas:
            return None
        self.number += 1
        self.heard = None
        self._replies = {}
        self._again = 0
        self._steps += [asked.ask for asked in self.asked if self._is_step(asked)]
        self._telling.begin_round()
        self._fuse(self._queries or ())
        asks = tuple(asked.ask for asked in self.asked)
        request = self.request if self.number == 1 else None
        self._round = Round(self.number, tuple(self._telling.now), asks, request=request)
        return self._round

    @property
    def only_delivers(self) -> bool:
        """Whether this round asks nothing: the clients are told what was learned, and keep it."""
        return bool(self._slots) and not self.asked

    def retell(self) -> Round:
        """Return the round with everything told before: the clients' journals begin with it."""
        told = tuple(self._telling.everything)
        steps = self._steps_before(self._round.asks)
        self._again = len(steps)
        asks = (*steps, *self._round.asks)
        self._round = structs.replace(self._round, tells=told, asks=asks, request=self.request)
        return self._round

    def _is_step(self, asked: Asked) -> bool:
        """Whether an ask is a step of a search, which clients follow."""
        questions = self.declared.at(asked.ask.place)
        question = questions[asked.ask.question]
        needed = any(type(asked.statistic) is other.after for other in questions)
        return question.follows is not None or needed

    def _steps_before(self, asks: Sequence[Ask]) -> list[Ask]:
        """Return the earlier steps of searches that go on: clients whose journals begin need them."""
        questions = [(ask.place, self.declared.at(ask.place)[ask.question]) for ask in asks]
        places = {place for place, q in questions if q.follows is not None or q.after is not None}
        return [ask for ask in self._steps if ask.place in places]

    def introduce(self, names: Mapping[str, str]) -> None:
        """Call the clients by the names that they gave in round 1; from now on they are sorted by name."""
        self.clients = tuple(sorted(names.get(client, client) for client in self.clients))
        self._known = frozenset(self.clients)

    def rounds(self) -> dict[str, Round]:
        """Return the round as each client gets it: some values are for one client only."""
        if not self._round.is_private:
            return dict.fromkeys(self.clients, self._round)
        return {client: self._round.part(stand) for client, stand in self._stands().items()}

    def parts(self, learned: Learned) -> dict[str, Learned]:
        """Return what each client is told of what was learned."""
        return {client: learned.part(stand) for client, stand in self._stands().items()}

    def _stands(self) -> dict[str, Stand]:
        """Return each client's position among the clients, and its slice of the pooled rows."""
        if not self._stand:
            # before the first reply, what is known from an earlier attempt
            self._stand = self.columns.stands()
        return self._stand

    def receive(self, reply: Reply) -> None:
        """Take one client's reply; after the last one, the plan goes on."""
        if reply.client not in self._known:
            raise TransportError(f"a reply came from {reply.client!r}, which was not asked.")
        if reply.round != self.number:
            raise TransportError(
                f"client {reply.client!r} answered round {reply.round} in round {self.number}."
            ).about(reply.client)
        if reply.client in self._replies:
            raise TransportError(
                f"client {reply.client!r} answered round {self.number} twice."
            ).about(reply.client)
        if self._again and reply.problem is None:  # what was asked once more is known
            reply = structs.replace(reply, answers=reply.answers[self._again :])
        self._replies[reply.client] = reply
        if len(self._replies) == len(self.clients):
            self._complete()

    def replay(self, heard: Heard) -> None:
        """Take the replies to this round from elsewhere, merged: the clients are not asked."""
        self.heard = heard
        self.begins = True
        self._learn(heard)
        if heard.merged is not None and not self._finished:
            self.pooled.note(heard.limited, heard.unified)
            self._go_on(heard.merged, heard.own or [{}] * len(heard.merged))

    def _advance(self, answers: tuple[Any, ...] | None) -> None:
        """Run the plan to its next asks, or to its end."""
        try:
            with np.errstate(all="ignore"):  # an overflow shows in the result, or is refused
                self._queries = next(self._plan) if answers is None else self._plan.send(answers)
        except (ArithmeticError, LookupError, AssertionError):
            if answers is None:
                raise
            log.debug("the plan failed on the answers of round %d", self.number, exc_info=True)
            raise PeerError(
                f"the clients' answers do not fit together in round {self.number}: some rows changed "
                "between the rounds, or a client does not keep to the protocol. Start the fit again; "
                "the logger 'fedps.protocol' has the reason at level DEBUG."
            ) from None
        except StopIteration as stop:
            self.outcome, self._finished, self._queries = stop.value, True, None
        except NeedsSchema:
            # a round without asks: every first reply brings the schema
            self._queries = None

    def _fuse(self, queries: Sequence[Query]) -> None:
        """Collect the asks of a round, equal ones once, and what clients must be told for them."""
        self.asked, self._slots = [], []
        seen: dict[Any, int] = {}
        for query in queries:
            self._telling.tell(query.view)
            if query.statistic is None:
                self._telling.keep(query.view.needs.given)
                self._slots.append(None)
                continue
            key = self._same_question(query.statistic, query.view, query.each)
            if key not in seen:
                seen[key] = len(self.asked)
                ask = self._ask(query.statistic, query.view)
                self.asked.append(
                    Asked(ask, query.statistic, query.view, query.further, query.each)
                )
            self._slots.append(seen[key])

    def _same_question(
        self, statistic: Statistic[Any, Any], view: View, each: bool
    ) -> tuple[Any, ...]:
        """Return what two queries have in common that one answer serves: the table and the statistic."""
        source = self.declared.source(self.declared.number(view.path), view.of)
        given = None if view.needs.given is None else id(view.needs.given)
        return source, view.columns, given, each, encode_part(statistic, self.functions)

    def _ask(self, statistic: Statistic[Any, Any], view: View) -> Ask:
        """Return the question of the view's place that a statistic is, and what is free in it."""
        place = self.declared.number(view.path)
        index = self.declared.find(place, statistic, view.of, some=view.columns is not None)
        question = self.declared.at(place)[index]
        free = Raw(encode_part(question.free_in(statistic), self.functions))
        return Ask(place, index, free, view.columns, self._telling.give(view.needs.given))

    def _complete(self) -> None:
        """Check and merge the replies, and let the plan go on."""
        self._stop_on_problems()
        self.begins = False
        self.heard = Heard({client: self._replies[client].schemas for client in self.clients})
        self._learn(self.heard)
        if self._finished:
            return
        self._read()
        merged = [self._merge(asked) for asked in self.asked]
        limited = [one for asked in self.asked for one in asked.limited]
        unified = [one for asked in self.asked for one in asked.unified]
        own = [asked.own_answers() for asked in self.asked]
        self.heard = replace(self.heard, merged=merged, limited=limited, unified=unified, own=own)
        self.pooled.note(limited, unified)
        self._go_on(merged, own)

    def _learn(self, heard: Heard) -> None:
        """Learn the clients' columns from a round; StartAgain if it must be asked in another way."""
        if self.schemas:
            self._stop_on_changed(heard)
        else:
            self._learn_tables(heard)
        self._stop_on_orders()
        if self._queries is None and not self._finished:
            raise StartAgain

    def _go_on(self, merged: Sequence[Packed], own: Sequence[Mapping[str, Packed]]) -> None:
        """Let the plan go on with the answers."""
        both = zip(self.asked, merged, own, strict=True)
        results = [asked.result(one, each) for asked, one, each in both]
        self._advance(tuple(None if slot is None else results[slot] for slot in self._slots))

    def _stop_on_problems(self) -> None:
        """Raise the problems that clients have with the round as a whole."""
        kept = any(isinstance(tell, Keep) for tell in self._telling.now)
        what = self.request.pipeline.estimator if kept and self.request.pipeline else None
        found = [
            Problem(client, what, reply.problem)
            for client in self.clients
            if (reply := self._replies[client]).problem is not None
        ]
        stop_on(found, self.asked, self.pooled)
        for client in self.clients:
            answers = self._replies[client].answers
            if len(answers) != len(self.asked):
                raise TransportError(
                    f"client {client!r} gave {len(answers)} answers to {len(self.asked)} asks."
                ).about(client)
            for asked, raw in zip(self.asked, answers, strict=True):
                asked.sizes[client] = len(bytes(raw))

    def _learn_tables(self, heard: Heard) -> None:
        """Pool the schemas that came with the first replies."""
        wanted = 1 + any(asked.view.is_target for asked in self.asked)
        for client in self.clients:
            sent = heard.schemas[client]
            # one schema suffices: a client without a target fails in its answer, which has a better text
            if not 1 <= len(sent) <= wanted:
                raise PeerError(f"client {client!r} sent {len(sent)} schemas.").about(client)
            self.schemas[client] = sent
        self.columns.pool(self.schemas, self.pooled)

    def _stop_on_changed(self, heard: Heard) -> None:
        """Raise ClientError if a client sends a schema again, and it has changed."""
        for client in self.clients:
            if heard.schemas[client] and heard.schemas[client][0] != self.schemas[client][0]:
                raise ClientError(
                    f"client {client!r} has different rows or columns than when the fit began. Start "
                    "the fit again, without the checkpoint."
                ).about(client)

    def _stop_on_orders(self) -> None:
        """StartAgain if what was asked depends on dtypes or the order of columns, and clients' differ."""
        if self.columns.selectors_differ():
            self.pooled.by_name = True
            raise StartAgain
        for view in [asked.view for asked in self.asked if not asked.view.is_target]:
            for i in range(len(view.base) + 1):
                if self.columns.unequal(view.base[:i]) is not None:  # by positions
                    raise StartAgain
        for asked in self.asked:
            view = asked.view
            fixed = view.is_transformed or view.columns is not None or asked.statistic.positional
            if fixed and not view.is_target and self.columns.differ(view.base):
                raise StartAgain

    def _read(self) -> None:
        """Decode every client's answers, in the order of the clients."""
        problems = []
        every = [None if a.statistic.aligned else self.columns.of(a.view) for a in self.asked]
        for client in self.clients:
            budget = Budget()
            reply = self._replies[client]
            answers, self._replies[client] = reply.answers, structs.replace(reply, answers=())
            for asked, columns, raw in zip(self.asked, every, answers, strict=True):
                statistic, rows = asked.statistic, self._height(asked.view, client)
                own = None if columns is None else len(columns[client])
                answer, kept = read_answer(statistic, client, raw, rows, budget, own)
                if isinstance(answer, Refusal | Failure):
                    name = type(statistic).__name__
                    problems.append(Problem(client, name, answer, statistic.shows))
                elif statistic.aligned:
                    asked.answers[client] = answer
                else:
                    self._take(asked, client, answer, kept, order_among(columns, client))
        stop_on(problems, self.asked, self.pooled)

    def _take(
        self,
        asked: Asked,
        client: str,
        answer: Summary,
        kept: Sequence[KeptBack],
        order: list[int] | None,
    ) -> None:
        """Note a client's answer, with its columns in the first client's order."""
        asked.answers[client] = answer if order is None else in_order(answer, order)
        if kept:
            own = range(answer.width or 0) if order is None else np.argsort(order).tolist()
            asked.keep_back(client, kept, own, asked.names(self.columns, answer.width))

    def _height(self, view: View, client: str) -> int:
        """Return how many rows a view has at a client."""
        if view.rows_there is not None:
            return view.rows_there[self._stands()[client].number]
        return self.schemas[client][0].rows

    def _merge(self, asked: Asked) -> Summary:
        names = ("target",) if asked.view.is_target else self.columns.names(asked.view)
        check_time_units(asked.statistic, asked.view, self.columns, self.schemas)
        answers = one_missing(asked, self.schemas, self.columns)
        return merge_answers(asked.statistic, answers, names)
