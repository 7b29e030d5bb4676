"""QuestionGate: what a server asks in one fit, held against the questions that the pipeline declares."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple, get_type_hints

import msgspec
import numpy as np
from msgspec.msgpack import Decoder

from fedps.errors import PeerError
from fedps.learned import Place
from fedps.protocol.codec import decode_part, encode_part
from fedps.protocol.messages import Ask, Refusal
from fedps.protocol.packing.arrays import Budget
from fedps.questions import Declared, Of, Question
from fedps.statistics import Statistic
from fedps.statistics.base import Array
from fedps.statistics.ragged import Ragged


class Refuse(Exception):  # noqa: N818 - it is raised and caught, never shown
    """A round asks or tells what the client has not agreed to: it is refused as a whole.

    ``columns`` are those whose cells made it refuse: that tells something about them.
    """

    def __init__(self, rule: str, limit: str, columns: tuple[str, ...] = ()) -> None:
        super().__init__(rule)
        self.refusal = Refusal(rule, limit)
        self.columns = columns


class TableKey(NamedTuple):
    """A table at the client: at which place of the pipeline, what of it, and which of its columns."""

    place: int
    of: Of
    columns: tuple[int, ...] | None = None


class Wanted(NamedTuple):
    """A question that may be asked: the statistic, the table, and the number of an array to use."""

    statistic: Statistic[Any, Any]
    key: TableKey
    given: int | None = None
    free: tuple[str, ...] = ()  # what of the statistic the server chose
    look: bool = False  # whether the caller can do without columns that are kept back


def question_words(wanted: Wanted, places: Sequence[Place]) -> str:
    """Return a question in words for the ledger: of which estimator, what, and what the server chose."""
    statistic, place = wanted.statistic, wanted.key.place
    chosen = [f"{name} {_in_short(getattr(statistic, name))}" for name in wanted.free]
    asks = f"{places[place].described.estimator} {place}: " if place < len(places) else ""
    return asks + "; ".join([statistic.shows, *chosen])


def _in_short(value: Any) -> str:
    """Return a value as text, or its digest if that is long."""
    if isinstance(value, tuple) and all(isinstance(each, np.ndarray) for each in value):
        lists = Ragged(map(np.ravel, value))  # one array, which is faster written than many
        if lists.flat.size > _LONGEST_CHOICE:
            return _digest(lists)
    if not isinstance(value, np.ndarray) or value.size <= _LONGEST_CHOICE:
        text = repr(value.tolist() if isinstance(value, np.ndarray) else value)
        if len(text) <= _LONGEST_CHOICE:
            return text
    return _digest(value)


def _digest(value: Any) -> str:
    return blake2b(encode_part(value), digest_size=8).hexdigest()


_LONGEST_CHOICE = 60  # characters; of what is longer, the ledger has the digest


class QuestionGate:
    """The questions of one fit so far.

    Parameters
    ----------
    declared : Declared
        What may be asked at each place.
    sparse : bool, default=False
        Whether the client's own table is sparse.
    """

    def __init__(self, declared: Declared, *, sparse: bool = False) -> None:
        self.declared = declared
        self._sparse = sparse
        self._seen: set[bytes] = set()
        self._times: Counter[tuple[int, int, int]] = Counter()
        self._last: dict[tuple[int, int], Statistic[Any, Any]] = {}
        self._asked: dict[
            tuple[int, Of, type | None], set[int]
        ] = {}  # columns that were asked about
        self._by_position = False  # whether some of the columns at a place were
        self._order: tuple[str, ...] | None = None  # of the client's columns

    def put_in(self, order: tuple[str, ...] | None) -> None:
        """Note the order of the client's columns; Refuse one that gives counted positions another meaning."""
        if self._by_position:
            raise Refuse("consent", "was asked about columns by their positions in another order")
        self._order = order

    def read(self, ask: Ask, width: int, given: Array | None) -> Wanted:
        """Return what an ask asks for; Refuse unless it is declared and within its bounds.

        ``width`` is the number of columns at the place, and ``given`` the array that the ask uses. An ask
        that came before is not counted again.
        """
        question = self._question(ask)
        statistic = _filled(question, ask)
        if ask.columns is not None:
            _check_columns(ask.columns, width)
        if not question.given == (given is not None) == (ask.given is not None):
            raise _not_asked("uses an array where none is used, or none where one is")
        if self._is_new(ask, given):
            self._count(ask, question, width)
            self._check_step(ask, question, statistic, width)
        key = TableKey(ask.place, question.of, ask.columns)
        return Wanted(statistic, key, ask.given, question.free, question.look)

    def _question(self, ask: Ask) -> Question:
        places = self.declared.places
        if ask.place >= max(len(places), 1):
            raise _not_asked("is about a place that the pipeline does not have")
        questions = self.declared.at(ask.place)
        if ask.question >= len(questions):
            raise _not_asked("is none of the questions of the estimator there")
        question = questions[ask.question]
        if question.sparse and not self._sparse:
            raise _not_asked("is about a sparse table, and this one is not")
        if ask.columns is not None and not question.some:
            raise _not_asked("is about some columns, and the question is about all")
        return question

    def _is_new(self, ask: Ask, given: Array | None) -> bool:
        # the same ask of columns in another order may be about other columns
        mark = blake2b(encode_part((ask, given, self._order)), digest_size=16).digest()
        known = mark in self._seen
        self._seen.add(mark)
        return not known

    def _count(self, ask: Ask, question: Question, width: int) -> None:
        """Count an ask; Refuse one too many."""
        most = question.times * (max(width, 1) if question.each else 1)
        columns: Iterable[int] = (-1,)
        if question.some and not question.each:
            columns = range(width) if ask.columns is None else ask.columns
        for column in columns:
            at = (ask.place, ask.question, column)
            self._times[at] += 1
            if self._times[at] > most:
                raise _not_asked(f"is asked more than {most} times")

    def _check_step(
        self, ask: Ask, question: Question, statistic: Statistic[Any, Any], width: int
    ) -> None:
        """Refuse an ask that is not the next step of its search."""
        columns = range(width) if ask.columns is None else ask.columns
        before = self._asked.get((ask.place, question.of, question.after))
        # column by column: what was asked first also found the columns with too few cells
        if question.after is not None and (before is None or not before.issuperset(columns)):
            raise _not_asked("comes before what it follows from")
        self._asked.setdefault((ask.place, question.of, type(statistic)), set()).update(columns)
        self._by_position |= ask.columns is not None
        if question.follows is None:
            return
        at = (ask.place, ask.question)
        try:
            fits = question.follows(statistic, self._last.get(at))
        except (ValueError, TypeError, AttributeError, IndexError):
            fits = False
        if not fits:
            raise _not_asked("is not the next step of its search")
        self._last[at] = statistic


def _filled(question: Question, ask: Ask) -> Statistic[Any, Any]:
    """Return the statistic of a question, with what the server chose."""
    try:
        kind = free_type(type(question.statistic), question.free)
        free = decode_part(ask.free, kind, "the server", Budget(), "Ask")
        statistic = question.filled(msgspec.structs.astuple(free))
        fits = question.within is None or question.within(statistic)
    except (PeerError, ValueError, TypeError, AttributeError, IndexError):
        raise _not_asked("has numbers of the wrong kind") from None
    if not fits:
        raise _not_asked("has numbers beyond their bounds")
    return statistic


def _check_columns(columns: tuple[int, ...], width: int) -> None:
    rising = all(a < b for a, b in pairwise(columns))
    if not columns or not rising or columns[-1] >= width:
        raise _not_asked("is not about columns of the table there, each once and in their order")


def _not_asked(what: str) -> Refuse:
    return Refuse("consent", f"answers what the estimators of the pipeline ask, and this {what}")


_compiling = threading.Lock()


@cache
def free_type(kind: type[Statistic[Any, Any]], free: tuple[str, ...]) -> type[msgspec.Struct]:
    """Return the message that carries the free fields of a statistic."""
    hints = get_type_hints(kind, include_extras=True)
    fields = [(name, hints[name]) for name in free]
    made = msgspec.defstruct(
        f"Free{kind.__name__}", fields, array_like=True, frozen=True, forbid_unknown_fields=True
    )
    with _compiling:  # two threads that compile a type at once crash the process
        Decoder(made)
    return made
