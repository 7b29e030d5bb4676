"""Plans: generators that yield asks and return what was learned.

A plan never sees a client. ``yield from ask(...)`` waits for a merged answer, and ``gather`` runs plans
side by side. Plans combine in two ways only: one after the other, where rounds add up, and by ``gather``,
which takes as many rounds as its longest plan.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, Generic, TypeVar

import numpy as np

from fedps.learned import Learned, PerClient
from fedps.protocol.messages import Among, Predict
from fedps.protocol.pooled import Limited, Path, Pooled, ResultBound
from fedps.questions.question import (
    FOLDS,
    INPUT,
    MICROSECONDS,
    QUERIES,
    SAMPLE,
    TARGET,
    TRIAL,
    WHOLE_TABLE,
    Of,
    branch,
)
from fedps.statistics import Statistic
from fedps.statistics.base import Array
from fedps.statistics.limits import NO_ROWS_SHOWN, NOTHING_SHOWN

STILL_EXACT = (
    "none: the result is exact"  # what a bound says where clients showed less than was asked
)

_R = TypeVar("_R")
_T = TypeVar("_T")


@dataclass(frozen=True)
class Needed:
    """What clients must know before they can make a table: numbers of places, and where they stand."""

    fitted: tuple[tuple[Path, Learned, bool], ...] = ()
    among: tuple[Among, ...] = ()
    given: PerClient[Array] | None = None
    predict: Predict | None = None


@dataclass(frozen=True, eq=False)
class View:
    """A table at the clients: what comes into the estimator at a place in the pipeline.

    ``of`` says if it is something else at that place, and ``columns`` which of its columns. ``is_table``
    says that it is the clients' own table, ``is_transformed`` that it is more than some columns of that:
    ``base`` is then the place before it was transformed. ``rows_there`` is how many rows each client has
    of a sample.
    """

    pooled: Pooled = field(default_factory=Pooled)
    path: Path = ()
    of: Of = INPUT
    columns: tuple[int, ...] | None = None
    used: bool = False
    is_table: bool = True
    is_transformed: bool = False
    base: Path = ()
    needs: Needed = field(default_factory=Needed)
    rows_there: tuple[int, ...] | None = None
    routed: tuple[int, ...] | None = None

    def use(self, used: bool) -> View:
        """Return this view for an estimator whose output during its fit is used, or not.

        ``fit_transform`` of a TargetEncoder gives different rows than ``fit`` and ``transform``:
        cross-fitted ones. They take another round, which is spent only if a later step or the user
        needs them.
        """
        return self if used == self.used else replace(self, used=used)

    def inside(
        self, index: int, before: Sequence[Learned] = (), *, by_columns: bool = False
    ) -> View:
        """Return what comes into an estimator inside the compound at this place.

        ``before`` is what was learned for the steps that come before it; ``by_columns`` says that it gets
        some of the columns only.
        """
        path = (*self.path, index)
        told = tuple(((*self.path, i), step, False) for i, step in enumerate(before))
        needs = replace(self.needs, fitted=(*self.needs.fitted, *told))
        transformed = self.is_transformed or bool(before)
        base = self.base if transformed else path
        table = self.is_table and not before and not by_columns
        return replace(
            self, path=path, needs=needs, is_table=table, is_transformed=transformed, base=base
        )

    def branch(self, number: int, index: int | None, learned: Learned | None) -> View:
        """Return what comes out of a branch of the ColumnTransformer at this place.

        ``index`` is the number of the branch among the estimators, if it is one, which has learned.
        """
        needs = self.needs
        if learned is not None:
            assert index is not None
            needs = replace(needs, fitted=(*needs.fitted, ((*self.path, index), learned, False)))
        return replace(self, of=branch(number), needs=needs, is_transformed=True)

    def trial(self, learned: Learned) -> View:
        """Return what the estimator at this place makes of its input with numbers that are tried."""
        needs = replace(self.needs, fitted=(*self.needs.fitted, (self.path, learned, True)))
        return replace(self, of=TRIAL, needs=needs, is_transformed=True)

    def at(self, positions: Iterable[int]) -> View:
        """Return a view of some of the columns, by their positions."""
        return replace(self, columns=tuple(int(i) for i in positions))

    def sample(self, among: Sequence[Among], rows_there: Sequence[int]) -> View:
        """Return a view of the rows that the estimator at this place draws.

        ``among`` tells each client where its rows stand; ``rows_there`` is how many are drawn there.
        """
        needs = replace(self.needs, among=tuple(among))
        return replace(self, of=SAMPLE, needs=needs, rows_there=tuple(rows_there))

    def fold(self, among: Sequence[Among]) -> View:
        """Return a view of the same rows, each in a fold."""
        return replace(self, of=FOLDS, needs=replace(self.needs, among=tuple(among)))

    def give(self, arrays: PerClient[Array]) -> View:
        """Return this view with an array for a statistic to use: each client gets its own array."""
        return replace(self, needs=replace(self.needs, given=arrays))

    def route(self, index: int, positions: Iterable[int]) -> View:
        """Return what comes into an estimator inside the ColumnTransformer here, with ``split="columns"``.

        ``positions`` are those of its columns, counted over all clients.
        """
        routed = tuple(self.all_columns[i] for i in positions)
        return replace(self.inside(index, by_columns=True), routed=routed)

    @property
    def all_columns(self) -> tuple[int, ...]:
        """The positions of this view's columns among those of all clients, with ``split="columns"``."""
        return tuple(range(sum(self.pooled.widths))) if self.routed is None else self.routed

    @property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """The positions of each client's columns in this view, with ``split="columns"``."""
        every = [set(own) for own in side_by_side(self.pooled.widths)]
        columns = list(enumerate(self.all_columns))
        return tuple(tuple(i for i, column in columns if column in own) for own in every)

    @property
    def widths(self) -> tuple[int, ...]:
        """How many columns of each client this view is made of, with ``split="columns"``."""
        return tuple(len(own) for own in self.places)

    def limited(self, *rules: str) -> dict[int, list[Limited]]:
        """Return what clients kept back of this view's columns by some rules, by position."""
        found: dict[int, list[Limited]] = {}
        at = {column: i for i, column in enumerate(self.columns or ())}
        for one in self.pooled.limited:
            position = one.column if self.columns is None else at.get(one.column)
            here = (one.path, one.of) == (self.path, self.of) and one.rule in rules
            if here and position is not None:
                found.setdefault(position, []).append(one)
        return found

    def nothing_shown(self, statistic: str, *, rows: bool = False) -> dict[int, list[Limited]]:
        """Return of which of this view's columns clients answered a statistic with nothing, by position.

        ``rows`` counts clients as well that answered as if they had no rows of a group.
        """
        rules = {one.rule for one in self.pooled.limited}
        nothing = (NOTHING_SHOWN, NO_ROWS_SHOWN) if rows else (NOTHING_SHOWN,)
        found = {
            position: [one for one in some if one.statistic == statistic and one.shown in nothing]
            for position, some in self.limited(*rules).items()
        }
        return {position: some for position, some in found.items() if some}

    def bound(self, position: int, text: str) -> None:
        """Say how far the result for a column may be from the exact one: the user's run lists it."""
        column = position if self.columns is None else self.columns[position]
        bound = ResultBound(self.path, column, text)
        if bound not in self.pooled.bounds:
            self.pooled.bounds.append(bound)

    def missing_kinds(self, width: int) -> Array | None:
        """Return as what the missing cells of each column count; None where all are as they are."""
        kinds = np.zeros(width, dtype=np.int8)
        for one in self.pooled.unified:
            if (one.path, one.of) == (self.path, self.of):
                kinds[one.column] = one.kind
        return kinds if kinds.any() else None

    @property
    def microseconds(self) -> View:
        """The same with dates as numbers of microseconds since 1970."""
        return replace(self, of=MICROSECONDS)

    @property
    def own_rows(self) -> View:
        """The clients' own rows, whatever the place."""
        return replace(self, of=WHOLE_TABLE, needs=Needed())

    def queries(self, path: Path, which: Predict) -> View:
        """Rows to predict, as the model at a place gets them; each client holds its own columns."""
        needs = Needed(predict=which)
        return replace(self, path=path, of=QUERIES, needs=needs, is_transformed=True)

    @property
    def target(self) -> View:
        """The target that belongs to these rows."""
        return replace(self, of=TARGET, needs=Needed())

    @property
    def is_target(self) -> bool:
        """Whether this is the target."""
        return self.of == TARGET

    @property
    def rows(self) -> int:
        """The number of rows of all clients; known once an answer has come."""
        assert self.pooled.table is not None
        return self.pooled.table.rows

    @property
    def names(self) -> tuple[str, ...] | None:
        """The column names, if they are known."""
        names = None if self.is_transformed or self.is_target else self.pooled.names_at(self.path)
        if names is None or self.columns is None:
            return names
        return tuple(names[i] for i in self.columns)

    @property
    def dummy_row(self) -> Any:
        """A made-up row, if this is the clients' own table and its schema is known."""
        return self.pooled.dummy_row if self.is_table and not self.is_target else None


def side_by_side(widths: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the positions of each client's columns, one client after the other.

    >>> side_by_side([2, 0, 1])
    ((0, 1), (), (2,))
    """
    ends = accumulate(widths)
    return tuple(tuple(range(e - width, e)) for e, width in zip(ends, widths, strict=True))


@dataclass(frozen=True, eq=False)
class Query:
    """A statistic that a plan asks of a view; None if clients only keep what they were told.

    ``further`` says what may have to be asked next, for readers of ``explain``. ``each`` says that the plan
    wants each client's own answer beside the merged one.
    """

    statistic: Statistic[Any, Any] | None
    view: View
    further: str = ""
    each: bool = False


@dataclass(frozen=True)
class EachClient(Generic[_R]):
    """The merged result of an ask, and that of each client that lets its own be shown."""

    merged: _R
    own: dict[str, _R]


class NeedsSchema(Exception):  # noqa: N818 - it is raised and caught, never shown
    """A plan cannot go on before the schema is known, and has nothing else to ask."""


class TooLarge(Exception):  # noqa: N818 - it is raised and caught, never shown
    """An answer does not fit in a message, and the plan can ask in more pieces: it is started again."""


Plan = Generator[tuple[Query, ...], tuple[Any, ...], _R]


def ask(statistic: Statistic[Any, _R], view: View, *, further: str = "") -> Plan[_R]:
    """Ask all clients for a statistic of a view, and return the merged result.

    ``further`` tells readers of ``explain`` what may have to follow.
    """
    (answer,) = yield (Query(statistic, view, further),)
    return answer  # type: ignore[no-any-return]


def ask_each(
    statistic: Statistic[Any, _R], view: View, *, further: str = ""
) -> Plan[EachClient[_R]]:
    """Ask all clients for a statistic of a view, and return the merged result and each client's own."""
    (answer,) = yield (Query(statistic, view, further, each=True),)
    return answer  # type: ignore[no-any-return]


def deliver(learned: Learned, view: View) -> Plan[None]:
    """Tell all clients what was learned, which they keep. Nothing is asked."""
    needs = replace(view.needs, fitted=((view.path, learned, False),))
    yield (Query(None, replace(view, needs=needs)),)


def hand_over(arrays: PerClient[Array], view: View) -> Plan[None]:
    """Give each client an array of its own, which it keeps. Nothing is asked."""
    yield (Query(None, view.give(arrays)),)


def nothing() -> Plan[None]:
    """Ask nothing: the clients' names and schemas come with the first round anyway."""
    return None
    yield


def gather(plans: Iterable[Plan[_T]]) -> Plan[list[_T]]:
    """Run plans side by side and return what each returned."""
    running = list(plans)
    results: list[Any] = [None] * len(running)
    waiting: dict[int, tuple[Query, ...]] = {}

    def go_on(i: int, answers: tuple[Any, ...] | None) -> None:
        try:
            waiting[i] = next(running[i]) if answers is None else running[i].send(answers)
        except StopIteration as stop:
            results[i] = stop.value

    for i in range(len(running)):
        go_on(i, None)
    while waiting:
        asked = dict(waiting)
        waiting.clear()
        answers = iter((yield tuple(query for queries in asked.values() for query in queries)))
        for i, queries in asked.items():
            go_on(i, tuple(next(answers) for _ in queries))
    return results
