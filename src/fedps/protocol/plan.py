"""Plans: generators that yield asks and return what was learned.

A plan never sees a client. ``yield from ask(...)`` waits for a merged answer, ``tell`` names a
derived table, and ``gather`` runs plans side by side. Sequence and ``gather`` are the only two ways
in which plans combine: the rounds of a sequence add up, those of a gathering are the longest's.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, TypeVar

from fedps.learned import Learned, PerClient
from fedps.protocol.messages import (
    Apply,
    At,
    Change,
    Draw,
    Fit,
    Folds,
    Give,
    Keep,
    Named,
    Route,
    Select,
    Selection,
    UseFit,
)
from fedps.statistics import Schema, Statistic
from fedps.statistics.base import Array

_R = TypeVar("_R")
_T = TypeVar("_T")


@dataclass(frozen=True)
class Options:
    """How the user wants a fit done: exactly, or by a sketch (a statistic) where one is given.

    ``outputs`` says that the clients' rows, as a fit gives them, are wanted besides.
    """

    quantiles: Statistic[Any, Any] | None = None
    frequent: Statistic[Any, Any] | None = None
    outputs: bool = False


@dataclass
class Pooled:
    """What is known of all clients' tables together: nothing before round 1 is over.

    ``table`` and ``target`` describe the rows of all clients, in the first client's column order;
    ``dummy_row`` is a made-up row of such a table. ``freeze`` takes a fitted estimator apart, for
    plans that have to send one. ``clients`` is how many there are, known from the start. Where each
    has other columns, ``widths`` is how many, and ``target_at`` who has the target.
    """

    table: Schema | None = None
    target: Schema | None = None
    dummy_row: Any = None
    freeze: Callable[[Any], Learned] | None = None
    options: Options = field(default_factory=Options)
    clients: int = 1
    widths: tuple[int, ...] = ()
    target_at: int | None = None


@dataclass(frozen=True, eq=False)
class View:
    """A table at the clients: their own, their target, or one derived from these."""

    pooled: Pooled = field(default_factory=Pooled)
    parent: View | None = None
    change: Change | None = None
    is_target: bool = False
    used: bool = False
    is_queries: bool = False
    routed: tuple[tuple[int, ...], ...] | None = None

    def use(self, used: bool) -> View:
        """Return this view for an estimator whose output during its fit is used, or is not.

        A TargetEncoder gives other rows while it is fitted than later: cross-fitted ones. They take
        a round of their own, which is spent only where a later step or the user sees them.
        """
        return self if used == self.used else replace(self, used=used)

    def select(self, columns: Selection) -> View:
        """Return a view of some columns."""
        return tell(Select(columns), parent=self)

    def at(self, positions: Iterable[int]) -> View:
        """Return a view of the columns at some positions, by name where names are known.

        Names mean the same at all clients, whatever the order of their columns.
        """
        if self.names is None:
            return self.select(At(tuple(positions)))
        return self.select(Named(tuple(self.names[position] for position in positions)))

    def apply(self, learned: Learned) -> View:
        """Return a view of what a fitted transformer makes of this one."""
        return tell(Apply(learned.told), parent=self)

    def route(self, positions: Iterable[int]) -> View:
        """Return a view of some columns, counted over all clients: each has other ones."""
        wanted, parts, places = [int(i) for i in positions], [], []
        for own in self.places:
            at = {place: k for k, place in enumerate(own)}
            here = [i for i, place in enumerate(wanted) if place in at]
            parts.append(tuple(at[wanted[i]] for i in here))
            places.append(tuple(here))
        return replace(tell(Route(tuple(parts)), parent=self), routed=tuple(places))

    def fit(self, learned: Learned) -> View:
        """Return a view of what an estimator makes of this one, fitted by each client on its rows."""
        return tell(Fit(learned.told), parent=self)

    def keep(self, learned: Learned, fit: str, *, outputs: bool) -> View:
        """Return what each client makes of an estimator on its own rows, and keeps under a name."""
        return tell(Keep(fit, learned.told, outputs), parent=self)

    def use_fit(self, fit: str) -> View:
        """Return a view of rows to predict, as the model that each client kept gets them."""
        return tell(UseFit(fit), parent=self)

    def give(self, arrays: PerClient[Array]) -> View:
        """Return a view of the same rows with an array beside it: each client gets its own."""
        return tell(Give(arrays.values), parent=self)

    def draw(self, times: Array) -> View:
        """Return a view of some rows: ``times`` says how often each row of all clients is taken."""
        return tell(Draw(times), parent=self)

    def fold(self, folds: Array, *, grouped: bool) -> View:
        """Return a view of the same rows, each in a fold: ``folds`` has an item for each of all.

        Where ``grouped``, they are for each client's rows label by label, as the labels appear.
        """
        return tell(Folds(folds, grouped), parent=self)

    @property
    def target(self) -> View:
        """The target that belongs to these rows."""
        return View(self.pooled, is_target=True)

    @property
    def queries(self) -> View:
        """Rows to predict, which each client has its own columns of."""
        return View(self.pooled, is_queries=True)

    @property
    def rows(self) -> int:
        """The number of rows of all clients; known once an answer has come."""
        assert self.pooled.table is not None
        return self.pooled.table.rows

    @property
    def names(self) -> tuple[str, ...] | None:
        """The column names, where they are known without asking."""
        if isinstance(self.change, Select):
            return self.change.columns.names if isinstance(self.change.columns, Named) else None
        if self.parent is None and self.pooled.table is not None:
            return self.pooled.table.names
        return None

    @property
    def widths(self) -> tuple[int, ...]:
        """How many of the clients' own columns this is made of, where each has other ones."""
        if isinstance(self.change, Route):
            return tuple(len(own) for own in self.change.positions)
        return self.pooled.widths if self.parent is None else self.parent.widths

    @property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """Where each client's columns stand among all of these, in the order they were chosen in."""
        if self.routed is not None:
            return self.routed
        return side_by_side(self.widths)

    @property
    def dummy_row(self) -> Any:
        """A made-up row, where the table is the clients' own and its schema is known."""
        return self.pooled.dummy_row if self.parent is None and not self.is_target else None

    @property
    def is_transformed(self) -> bool:
        """Whether anything but a choice of columns was done on the way here."""
        if self.parent is None:
            return False
        return not isinstance(self.change, Select | Route) or self.parent.is_transformed

    @property
    def base(self) -> View:
        """The view of the clients' own columns that this one was made from."""
        return self.parent.base if self.parent is not None and self.is_transformed else self


def side_by_side(widths: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return where columns stand that are one client's after the other's.

    >>> side_by_side([2, 0, 1])
    ((0, 1), (), (2,))
    """
    ends = accumulate(widths)
    return tuple(tuple(range(e - width, e)) for e, width in zip(ends, widths, strict=True))


@dataclass(frozen=True, eq=False)
class Query:
    """A statistic that a plan wants of a view; None where clients are only to be told of the view.

    ``further`` says what comes after it where its answer does not suffice.
    """

    statistic: Statistic[Any, Any] | None
    view: View
    further: str = ""


class NeedsSchema(Exception):  # noqa: N818 - it is raised and caught, never shown
    """A plan cannot go on before the schema is known, and has nothing else to ask."""


Plan = Generator[tuple[Query, ...], tuple[Any, ...], _R]


def ask(statistic: Statistic[Any, _R], view: View, *, further: str = "") -> Plan[_R]:
    """Ask all clients for a statistic of a view, and return the merged result.

    ``further`` tells readers of ``explain`` what may have to follow.
    """
    (answer,) = yield (Query(statistic, view, further),)
    return answer  # type: ignore[no-any-return]


def deliver(view: View) -> Plan[None]:
    """Tell all clients of a view, and wait until each has received it. Nothing is asked."""
    yield (Query(None, view),)


def tell(change: Change, *, parent: View) -> View:
    """Return a derived view. Clients hear of it in the next round that asks something of it."""
    return replace(parent, parent=parent, change=change)


def nothing() -> Plan[None]:
    """Learn nothing: the clients' names and schemas come with the first round anyway."""
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
