"""Pooled: what is known of all clients' tables together while a plan runs, and what the user chose for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fedps.learned import Learned
from fedps.questions.question import Of
from fedps.statistics import Schema, Statistic

Path = tuple[int, ...]
MORE_PIECES = 4  # times as many, whenever an answer is too large


@dataclass(frozen=True)
class Options:
    """How the user wants a fit done: exactly, or by a sketch (a statistic) if one is given.

    ``outputs`` says whether the clients' transformed rows are wanted, too, as by ``fit_transform``. ``match``
    names the rows that owners of columns have matched, if it is about these.
    """

    quantiles: Statistic[Any, Any] | None = None
    frequent: Statistic[Any, Any] | None = None
    outputs: bool = False
    match: str | None = None


@dataclass(frozen=True)
class Limited:
    """That a client showed less of a column than a plan asked: where, by which rule, and what instead.

    ``column`` is the position among the columns of the table at ``path``, and ``name`` what it is called.
    """

    client: str
    path: Path
    of: Of
    column: int
    name: str
    statistic: str
    rule: str
    shown: str


@dataclass(frozen=True)
class ResultBound:
    """How far a column's result may be from the exact one, because clients showed less: in words."""

    path: Path
    column: int
    text: str


@dataclass(frozen=True)
class Unified:
    """That missing cells of a column count as one value at all clients: as which, and in words.

    ``kind`` is one of ``statistics/missing_kinds``; see :class:`Limited` for the rest.
    """

    path: Path
    of: Of
    column: int
    kind: int
    text: str


@dataclass
class Pooled:
    """What is known of all clients' tables together; nothing before round 1 is over.

    ``table`` and ``target`` describe the rows of all clients, in the first client's column order;
    ``dummy_row`` is a made-up row of such a table. ``freeze`` takes a fitted estimator apart, for
    plans that have to send one. ``clients`` is the number of clients, known from the start, ``heights`` how
    many rows each has, and ``names`` what they are called. ``names_at`` gives the names of the columns at a place, where they are known. With
    ``split="columns"``, ``widths`` is the number of columns of each client, and ``target_at`` the
    position of the client that holds the target. ``limited`` is where clients showed less than was
    asked, and ``bounds`` what plans say about that. ``unified`` is where missing cells count as one value.
    ``remote``: clients are elsewhere, so that the numbers of their rows may be made up, and they draw from
    so many rows only. ``by_name``: columns that a rule chooses are told by their names, since the rule
    chooses others at some clients. ``pieces``: in how many rounds quantiles of a wide table are asked, each about
    some of its columns, since an answer about more did not fit in a message.
    """

    table: Schema | None = None
    target: Schema | None = None
    dummy_row: Any = None
    freeze: Callable[[Any], Learned] | None = None
    options: Options = field(default_factory=Options)
    clients: int = 1
    heights: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    names_at: Callable[[Path], tuple[str, ...] | None] = lambda _: None
    widths: tuple[int, ...] = ()
    target_at: int | None = None
    limited: list[Limited] = field(default_factory=list)
    bounds: list[ResultBound] = field(default_factory=list)
    unified: list[Unified] = field(default_factory=list)
    remote: bool = False
    by_name: bool = False
    pieces: int = 1

    def note(self, limited: Iterable[Limited], unified: Iterable[Unified]) -> None:
        """Note what is special about the answers of a round, for plans and the user's run."""
        self.limited += limited
        self.unified += unified

    def split_more(self) -> None:
        """Ask in more pieces: the plan starts again."""
        self.pieces *= MORE_PIECES
        self.forget()

    def forget(self) -> None:
        """Forget what was noted: the plan starts again."""
        for noted in (self.limited, self.bounds, self.unified):
            noted.clear()
