"""Plans: generators that yield asks and return what was learned.

A plan never sees a client. ``yield from ask(...)`` waits for a merged answer, ``tell`` defines a
derived table, and ``gather`` runs plans side by side. Plans combine in two ways only: one after the
other, where rounds add up, and by ``gather``, which takes as many rounds as its longest plan.
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
    """How the user wants a fit done: exactly, or by a sketch (a statistic) if one is given.

    ``outputs`` says whether the clients' transformed rows are wanted, too, as by ``fit_transform``.
    """

    quantiles: Statistic[Any, Any] | None = None
    frequent: Statistic[Any, Any] | None = None
    outputs: bool = False


@dataclass
class Pooled:
    """What is known of all clients' tables together; nothing before round 1 is over.

    ``table`` and ``target`` describe the rows of all clients, in the first client's column order;
    ``dummy_row`` is a made-up row of such a table. ``freeze`` takes a fitted estimator apart, for
    plans that have to send one. ``clients`` is the number of clients, known from the start. With
    ``split="columns"``, ``widths`` is the number of columns of each client, and ``target_at`` the
    position of the client that holds the target.
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
        """Return this view for an estimator whose output during its fit is used, or not.

        ``fit_transform`` of a TargetEncoder gives different rows than ``fit`` and ``transform``:
        cross-fitted ones. They take another round, which is spent only if a later step or the user
        needs them.
        """
        return self if used == self.used else replace(self, used=used)

    def select(self, columns: Selection) -> View:
        """Return a view of some columns."""
        return tell(Select(columns), parent=self)

    def at(self, positions: Iterable[int]) -> View:
        """Return a view of the columns at some positions, by name if names are known.

        Names mean the same at all clients, whatever the order of their columns.
        """
        if self.names is None:
            return self.select(At(tuple(positions)))
        return self.select(Named(tuple(self.names[position] for position in positions)))

    def apply(self, learned: Learned) -> View:
        """Return this view, transformed by a fitted transformer."""
        return tell(Apply(learned.told), parent=self)

    def route(self, positions: Iterable[int]) -> View:
        """Return a view of some columns with ``split="columns"``; positions count over all clients."""
        wanted, parts, places = [int(i) for i in positions], [], []
        for own in self.places:
            at = {place: k for k, place in enumerate(own)}
            here = [i for i, place in enumerate(wanted) if place in at]
            parts.append(tuple(at[wanted[i]] for i in here))
            places.append(tuple(here))
        return replace(tell(Route(tuple(parts)), parent=self), routed=tuple(places))

    def fit(self, learned: Learned) -> View:
        """Return this view, transformed by an estimator that each client fits on its own columns."""
        return tell(Fit(learned.told), parent=self)

    def keep(self, learned: Learned, fit: str, *, outputs: bool) -> View:
        """Return a view by which each client fits its part of an estimator and keeps it under a name."""
        return tell(Keep(fit, learned.told, outputs), parent=self)

    def use_fit(self, fit: str) -> View:
        """Return this view as the input of the model that each client kept under a name."""
        return tell(UseFit(fit), parent=self)

    def give(self, arrays: PerClient[Array]) -> View:
        """Return this view with an array for a statistic to use: each client gets its own array."""
        return tell(Give(arrays.values), parent=self)

    def draw(self, times: Array) -> View:
        """Return a view of some rows: ``times`` says how often each pooled row is taken."""
        return tell(Draw(times), parent=self)

    def fold(self, folds: Array, *, grouped: bool) -> View:
        """Return this view with a fold for each row: ``folds`` has an item for each pooled row.

        If ``grouped``, they are for each client's rows sorted by label, labels in the order in which
        they first appear there.
        """
        return tell(Folds(folds, grouped), parent=self)

    @property
    def target(self) -> View:
        """The target that belongs to these rows."""
        return View(self.pooled, is_target=True)

    @property
    def queries(self) -> View:
        """Rows to predict, of which each client holds its own columns."""
        return View(self.pooled, is_queries=True)

    @property
    def rows(self) -> int:
        """The number of rows of all clients; known once an answer has come."""
        assert self.pooled.table is not None
        return self.pooled.table.rows

    @property
    def names(self) -> tuple[str, ...] | None:
        """The column names, if they are known without asking."""
        if isinstance(self.change, Select):
            return self.change.columns.names if isinstance(self.change.columns, Named) else None
        if self.parent is None and self.pooled.table is not None:
            return self.pooled.table.names
        return None

    @property
    def widths(self) -> tuple[int, ...]:
        """How many columns of each client this view is made of, with ``split="columns"``."""
        if isinstance(self.change, Route):
            return tuple(len(own) for own in self.change.positions)
        return self.pooled.widths if self.parent is None else self.parent.widths

    @property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """The positions of each client's columns in this view, in the order they were selected."""
        if self.routed is not None:
            return self.routed
        return side_by_side(self.widths)

    @property
    def dummy_row(self) -> Any:
        """A made-up row, if this is the clients' own table and its schema is known."""
        return self.pooled.dummy_row if self.parent is None and not self.is_target else None

    @property
    def is_transformed(self) -> bool:
        """Whether this view is more than a selection of the clients' own columns."""
        if self.parent is None:
            return False
        return not isinstance(self.change, Select | Route) or self.parent.is_transformed

    @property
    def base(self) -> View:
        """The view of the clients' own columns that this one was made from."""
        return self.parent.base if self.parent is not None and self.is_transformed else self


def side_by_side(widths: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the positions of each client's columns, one client after the other.

    >>> side_by_side([2, 0, 1])
    ((0, 1), (), (2,))
    """
    ends = accumulate(widths)
    return tuple(tuple(range(e - width, e)) for e, width in zip(ends, widths, strict=True))


@dataclass(frozen=True, eq=False)
class Query:
    """A statistic that a plan asks of a view; None if clients are only told of the view.

    ``further`` says what may have to be asked next, for readers of ``explain``.
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
