"""A server by hand: it describes a pipeline, and then says to one client whatever it likes.

>>> from fedps.statistics import Moments
>>> from sklearn.preprocessing import StandardScaler
>>> talk = conversation(StandardScaler(), [[1.0], [3.0]])
>>> talk.ask(Moments()).count.tolist()
[[2.0]]
>>> talk.send(talk.round(talk.asks(0, 7))).problem.rule
'consent'
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Raw

from fedps.assembly import freeze
from fedps.client import Policy, Responder, open_table
from fedps.learned import Described, Nothing, Numbers, Parameters, places_of
from fedps.plans.describe import describe
from fedps.protocol.codec import decode, decode_part, encode, encode_part
from fedps.protocol.messages import (
    Among,
    Ask,
    Failure,
    Fitted,
    Given,
    Refusal,
    Reply,
    Request,
    Round,
    ShownLess,
    mark,
)
from fedps.protocol.packing.arrays import Budget
from fedps.protocol.pooled import Pooled
from fedps.questions import INPUT, Declared, Of
from fedps.statistics import Statistic

NAME = "oslo"
Path = tuple[int, ...]
AnyStat = Statistic[Any, Any]


def described(name: str, *steps: Described, frozen: Any = None, **params: Any) -> Described:
    """Return an estimator as data with any parameters, whether scikit-learn has such or not."""
    return Described(name, Parameters(params), steps, frozen)


def in_order(kind: str, *steps: Described) -> Described:
    """Return a Pipeline or a FeatureUnion of estimators as data."""
    return described(kind, *steps, parts=[(f"step {i}", None) for i in range(len(steps))])


def by_columns(*branches: tuple[Described, Any]) -> Described:
    """Return a ColumnTransformer: each branch is an estimator as data, and its columns."""
    parts = [(f"branch {i}", None, columns) for i, (_, columns) in enumerate(branches)]
    return described(
        "ColumnTransformer", *(step for step, _ in branches), parts=parts, remainder="drop"
    )


def request_of(estimator: Any, **options: Any) -> Request:
    """Return what a fit begins with; ``estimator`` may also be one as data, or None."""
    pipeline = estimator
    if estimator is not None and not isinstance(estimator, Described):
        pooled = Pooled(freeze=freeze, dummy_row=options.pop("row", None))
        pipeline = describe(estimator, pooled, whole=options.get("across", False))
    return Request(pipeline, **options)


def client(table: Any, policy: Policy | None = None, functions: Any = None) -> Responder:
    """Return a client that trusts no server; ``policy`` is open by default."""
    return Responder(NAME, open_table(table), policy or Policy.open(), functions)


def conversation(
    estimator: Any, table: Any, policy: Policy | None = None, functions: Any = None, **options: Any
) -> Conversation:
    """Return a fit that is about to begin.

    Parameters
    ----------
    estimator : estimator, Described or None
        What the client is told that the fit is about.
    table : table or Responder
        The client's table, or the client itself.
    policy, functions
        Of the client; the policy is open by default, and the server is not trusted.
    **options
        Further fields of the request: ``outputs``, ``weight``, ``quantiles``, ``frequent``, ``clients``,
        ``across``, ``fit``.
    """
    responder = table if isinstance(table, Responder) else client(table, policy, functions)
    return Conversation(responder, request_of(estimator, **options))


class Conversation:
    """One fit with one client, round by round.

    ``ask`` asks an honest question, and is enough for most; ``asks``, ``tell``, ``round`` and ``send``
    say anything else. ``messages`` are the bytes sent so far, ``reply`` is the last reply.
    """

    def __init__(self, responder: Responder, request: Request) -> None:
        self.responder = responder
        self.request = request
        self.messages: list[bytes] = []
        self.reply: Reply
        self._tells: list[Any] = []

    @cached_property
    def declared(self) -> Declared:
        """What may be asked; an error of Python's where the pipeline cannot be one."""
        return self.request.declared()

    # what to say

    def place(self, path: Path) -> int:
        """Return the number of the place at a path."""
        pipeline = self.request.pipeline
        places = () if pipeline is None else places_of(pipeline)
        return next((place.number for place in places if place.path == path), 0)

    def question(
        self,
        statistic: AnyStat,
        path: Path = (),
        of: Of = INPUT,
        columns: Any = None,
        given: int | None = None,
    ) -> Ask:
        """Return the ask for a declared question; NotDeclared if the estimator there has no such."""
        place = self.place(path)
        number = self.declared.find(place, statistic, of, some=columns is not None)
        free = self.declared.at(place)[number].free_in(statistic)
        return self.asks(place, number, *free, columns=columns, given=given)

    def asks(
        self, place: int, question: int, *free: Any, columns: Any = None, given: int | None = None
    ) -> Ask:
        """Return an ask by its numbers, whether there is such a question or not."""
        some = None if columns is None else tuple(columns)
        return Ask(place, question, Raw(encode_part(free)), some, given)

    def tell(self, *tells: Any) -> Conversation:
        """Tell something with the next round, before anything is asked."""
        self._tells += tells
        return self

    def fitted(self, path: Path, numbers: Numbers | None = None, *, trial: bool = False) -> Any:
        """Tell with the next round what was learned at a place."""
        return self.tell(Fitted(self.place(path), numbers or Nothing(), trial))

    def among(self, path: Path, start: int, rows: int, **more: Any) -> Any:
        """Tell with the next round where the client's rows stand among all."""
        return self.tell(Among(self.place(path), start, rows, **more))

    def give(self, array: Any, number: int = 1) -> Any:
        """Give an array with the next round."""
        return self.tell(Given(number, np.asarray(array)))

    # saying it

    def round(self, *asks: Ask) -> Round:
        """Return the next round: what is to be told, and some asks. The first brings the request."""
        tells, self._tells = tuple(self._tells), []
        after = mark(self.messages[-1]) if self.messages else b""
        request = None if self.messages else self.request
        return Round(len(self.messages) + 1, tells, asks, after, request)

    def send(self, round_: Round | bytes) -> Reply:
        """Send a round, and return the reply."""
        message = round_ if isinstance(round_, bytes) else encode(round_)
        self.messages.append(message)
        self.reply = decode(self.responder.answer(message), Reply, f"client {NAME!r}")
        assert (self.reply.client, self.reply.to) == (NAME, mark(message))
        return self.reply

    def say(self, *asks: Ask) -> Refusal | Failure | None:
        """Send the next round; return the client's problem with it as a whole."""
        return self.send(self.round(*asks)).problem

    def ask(self, statistic: AnyStat, path: Path = (), of: Of = INPUT, **more: Any) -> Any:
        """Ask a declared question in a round of its own; return the summary, or why there is none."""
        problem = self.say(self.question(statistic, path, of, **more))
        return problem or self.answer(statistic)

    def answer(self, statistic: AnyStat, number: int = 0) -> Any:
        """Return one answer of the last reply, which was to a statistic."""
        kind = statistic.summary | Refusal | Failure | ShownLess
        found = decode_part(self.reply.answers[number], kind, NAME, Budget(), "answer")
        if isinstance(found, ShownLess):
            return decode_part(found.summary, statistic.summary, NAME, Budget(), "answer")
        return found
