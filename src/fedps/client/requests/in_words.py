"""What a request would ask of a table: read from the questions that its pipeline declares.

Nothing is computed, and no row is read: names, dtypes and the number of rows are enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from fedps.assembly import dummy_row
from fedps.client.places.functions import SAFE_HOMES
from fedps.client.places.select_columns import branch_positions
from fedps.client.policy import Policy
from fedps.client.rules.gate import PolicyGate
from fedps.client.tables import take
from fedps.learned import BY_COLUMNS, PIPELINE, Function, Place, branches_of
from fedps.protocol.messages import Refusal, Request
from fedps.questions import INPUT, TARGET, Question
from fedps.statistics import BadCells, Disclosure, Schema


class ReadColumns(NamedTuple):
    """A client's own columns that something is made of; ``made`` says that earlier steps changed them."""

    names: tuple[str, ...]
    made: bool = False


@dataclass(frozen=True)
class MayLeave:
    """One thing that may leave a client for a pipeline.

    Attributes
    ----------
    place : int
        Where in the pipeline it is asked.
    columns : ReadColumns
        What it is computed from.
    shows : str
        What an answer shows, in words.
    level : Disclosure
        How much it shows at most under the policy.
    times : int
        How often it may be asked.
    chosen : bool
        Whether the server chooses some numbers of the question as it goes.
    refusal : Refusal or None
        Why the policy refuses it.
    less : bool
        Whether the policy's level lets it show less than is asked.
    by_value : bool
        Whether it names values, of which rare ones are left out.
    """

    place: int
    columns: ReadColumns
    shows: str
    level: Disclosure
    times: int
    chosen: bool
    refusal: Refusal | None
    less: bool = False
    by_value: bool = False


class RequestOnTable:
    """A request held against a client's table.

    Parameters
    ----------
    request : Request
        What is asked for; it has a pipeline.
    schema : Schema
        The client's table.
    target : str or None
        The name of the target, if the client has one.
    policy : Policy
        The client's rules.
    """

    def __init__(
        self, request: Request, schema: Schema, target: str | None, policy: Policy
    ) -> None:
        assert request.pipeline is not None
        self.request = request
        self.pipeline = request.pipeline
        self.schema = schema
        self.target = target
        self.policy = policy
        self._gate = PolicyGate(policy)
        self._declared = request.declared()
        self._read: dict[int, ReadColumns] = {}
        self._lacking: dict[str, None] = {}

    @property
    def places(self) -> list[Place]:
        """All places of the pipeline."""
        return self._declared.places

    @cached_property
    def offered(self) -> tuple[str, ...]:
        """The columns that may be asked about."""
        shown = self._gate.offered_schema(self.schema)
        return shown.names or tuple(f"column {i}" for i in range(shown.width))

    def leaving(self) -> list[MayLeave]:
        """Return what may leave, place by place; equal answers of one place are there once."""
        found: dict[tuple[Any, ...], MayLeave] = {}
        for place, question in self.questions():
            one = self._may_leave(place, question)
            key = (one.place, one.columns, one.shows, one.level)
            if key in found:
                times, chosen = found[key].times, found[key].chosen or one.chosen
                one = replace(one, times=one.times + times, chosen=chosen)
            found[key] = one
        return list(found.values())

    def questions(self) -> Iterator[tuple[Place, Question]]:
        """Yield every question that the pipeline may ask, and where."""
        for place in self.places:
            for question in self._declared.at(place.number):
                yield place, question

    def lacking(self) -> list[str]:
        """Return what the pipeline needs and this client lacks, in words."""
        for place in self.places:
            self.columns_at(place)
        functions = (one for place in self.places for one in _functions(place.described.params))
        for name in functions:
            if name not in self.policy.functions and name.rpartition(".")[0] not in SAFE_HOMES:
                self._lacking[f"the function {name!r} is not among the policy's functions"] = None
        weight = self.request.weight
        if weight is not None and weight not in self.offered:
            self._lacking[f"there is no column {weight!r}, or it is kept back"] = None
        every = (question for _, question in self.questions())
        reads = any(q.of == TARGET or q.statistic.of_target for q in every)
        if self.target is None and reads and not self.request.across:
            self._lacking["there is no target"] = None
        return list(self._lacking)

    def columns_at(self, place: Place) -> ReadColumns:
        """Return the client's own columns that come into the estimator at a place."""
        if place.number not in self._read:
            self._read[place.number] = self._columns_at(place)
        return self._read[place.number]

    def branch_columns(self, place: Place, branch: int) -> ReadColumns:
        """Return the client's own columns that a branch of a ColumnTransformer takes."""
        around = self.columns_at(place)
        if around.made:  # which of them are taken is known only when earlier steps are fitted
            return around
        try:
            positions = branch_positions(self._row(around), place.described, branch)
        except BadCells as bad:
            name = "some column" if bad.what is None else repr(bad.what)
            self._lacking[f"there is no column {name}, or it is kept back"] = None
            return ReadColumns(())
        return ReadColumns(tuple(around.names[i] for i in positions))

    def _columns_at(self, place: Place) -> ReadColumns:
        if place.parent is None:
            weight = self.request.weight
            return ReadColumns(tuple(name for name in self.offered if name != weight))
        around = self.places[place.parent]
        if around.described.estimator == BY_COLUMNS:
            every = enumerate(branches_of(around.described))
            estimators = [i for i, (_, kept, _) in every if kept is None]
            return self.branch_columns(around, estimators[place.index])
        if around.described.estimator == PIPELINE and place.index > 0:
            before = self._declared.source(place.number, INPUT)[0]
            return ReadColumns(self._columns_after(self.places[before]), made=True)
        return self.columns_at(around)

    def _columns_after(self, place: Place) -> tuple[str, ...]:
        """Return the client's own columns that what comes out of an estimator is made from."""
        estimator = place.described.estimator
        inner = [one for one in self.places if one.parent == place.number]
        if estimator == PIPELINE and inner:
            return self._columns_after(inner[-1])
        if estimator != BY_COLUMNS:
            return self.columns_at(place).names
        kept = [i for i, (_, word, _) in enumerate(branches_of(place.described)) if word != "drop"]
        each = (self.branch_columns(place, i).names for i in kept)
        return tuple(dict.fromkeys(name for names in each for name in names))

    def _row(self, columns: ReadColumns) -> Any:
        """Return a made-up row of some columns."""
        shown = self._gate.offered_schema(self.schema)
        row = dummy_row(shown.container, shown.names, shown.width, shown.dtypes)
        at = {name: i for i, name in enumerate(self.offered)}
        return take(row, [at[name] for name in columns.names])

    def read_for(self, place: Place, question: Question) -> tuple[ReadColumns, tuple[str, ...]]:
        """Return the client's own columns that a question is about, and those that are read beside them."""
        target = (self.target or "target",)
        columns = self.columns_at(place)
        if question.of == TARGET:
            columns = ReadColumns(target)
        elif question.of.kind == "branch":
            columns = self.branch_columns(place, question.of.branch)
        weight = getattr(question.statistic, "weight", None)
        also = target if question.statistic.of_target and question.of != TARGET else ()
        return columns, also if weight is None else (*also, weight)

    def _may_leave(self, place: Place, question: Question) -> MayLeave:
        statistic = question.statistic
        columns, also = self.read_for(place, question)
        columns = ReadColumns((*columns.names, *also), columns.made)
        refusal = self._gate.check_request(statistic, self.schema.rows, columns.names)
        level = allowed = statistic.disclosure
        if refusal is None:
            allowed = min(level, Disclosure[self.policy.level])
        times = question.times * (max(len(columns.names), 1) if question.each else 1)
        about = (statistic.shows, allowed, times, bool(question.free), refusal)
        return MayLeave(place.number, columns, *about, allowed < level, statistic.by_value)


def _functions(value: Any) -> list[str]:
    """Return the names of all functions in some parameters."""
    if isinstance(value, Function):
        return [value.name]
    if isinstance(value, list | tuple):
        return [name for item in value for name in _functions(item)]
    items = value.values() if hasattr(value, "values") else ()
    return [name for item in items for name in _functions(item)]


def is_declared(request: Request) -> bool:
    """Return whether all estimators of a request, and their parameters, are known here."""
    try:
        declared = request.declared()
        for place in declared.places:
            declared.at(place.number)
    except Exception:  # noqa: BLE001 - parameters may be anything
        return False
    return True
