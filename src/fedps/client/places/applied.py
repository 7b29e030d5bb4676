"""A table that an estimator makes of another one, with what was learned for it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from scipy.sparse import issparse

from fedps.assembly import (
    Contradiction,
    assemble_with_row,
    checking,
    collecting,
    hold_to_rows,
    is_row_aware,
    rows_from,
    take_any_gap,
    twin,
    unfitted,
)
from fedps.client.places.asked import Refuse, TableKey
from fedps.client.places.derived_table import DerivedTable
from fedps.client.policy import Policy
from fedps.client.rules.lookups import Lookups, Whose
from fedps.client.rules.sources import sources_after
from fedps.client.tables import Chunk, shape
from fedps.client.work_budget import WorkBudget
from fedps.errors import UsageError
from fedps.learned import Learned, Numbers
from fedps.statistics import BadCells

log = logging.getLogger("fedps.client")


class Watched(NamedTuple):
    """The policy, what gives whose the rows of a chunk are, and whether rows have weights."""

    policy: Policy
    whose: Whose
    weighted: bool = False

    @property
    def rare(self) -> int | None:
        """Categories of fewer cells are not named; None if people are counted instead."""
        least = self.policy.min_count
        return None if self.policy.unit is not None and least else least


class Assembled(NamedTuple):
    """A fitted estimator, a made-up row of its output, and what is inside of it with its numbers."""

    fitted: Any
    example: Any
    leaves: list[tuple[Any, Numbers]]

    def twin(self) -> Assembled:
        """Return the same for a client that watches what its own rows go through."""
        twins: dict[int, Any] = {}
        fitted = twin(self.fitted, twins)
        leaves = [(twins.get(id(leaf), leaf), numbers) for leaf, numbers in self.leaves]
        return Assembled(fitted, self.example, leaves)


Once = Callable[[Callable[[], Assembled]], Assembled]


def applied(
    learned: Learned,
    of: TableKey,
    parent: DerivedTable,
    look_up: Callable[[str], Any],
    work: WorkBudget | None,
    watched: Watched,
    once: Once,
) -> DerivedTable:
    """Return what an estimator makes of a table.

    Parameters
    ----------
    learned : Learned
        The estimator and what was learned for it.
    of, parent : TableKey, DerivedTable
        The table.
    look_up : callable
        Gives functions by name.
    work : WorkBudget or None
        What may still be computed. None: the server is trusted.
    watched : Watched
        What the policy looks at.
    once : callable
        Gives what a function makes, or has made for another client that was told the same.
    """
    aware = is_row_aware(learned)
    make = partial(_assembled, learned, parent, look_up, work)
    # what is fitted with a client's own limits, or for its own rows, is its own
    alone = aware or work is not None
    fitted, example, leaves = make() if alone else once(make).twin()
    if work is not None:
        if not issparse(example):  # what was fitted before may make more than its parameters say
            work.make_columns(shape(example)[1], learned.estimator)
        hold_to_rows(fitted, rare=watched.rare, weighted=watched.weighted)
    lookups = Lookups(fitted, parent.sources, watched.policy.min_count, watched.whose)
    for leaf, numbers in leaves:
        take_any_gap(leaf, numbers)

    def transform(rows: Any, chunk: Chunk) -> Any:
        lookups.begin(chunk)
        told = rows_from(fitted, chunk.start) if aware else fitted
        return _transformed(told, rows, learned.estimator, parent.columns)

    return DerivedTable(
        lambda: example,
        parent.columns,
        of,
        transform,
        transformed=True,
        picked=parent.picked,
        own=sources_after(fitted, parent.sources, shape(example)[1]),
        made=parent.made_by(learned),
        lookups=lookups,
    )


def _assembled(
    learned: Learned,
    parent: DerivedTable,
    look_up: Callable[[str], Any],
    work: WorkBudget | None,
) -> Assembled:
    """Return the fitted estimator for a table like this one."""

    def build() -> tuple[Any, Any]:
        return assemble_with_row(unfitted(learned, look_up), learned, parent.example)

    with collecting() as leaves:
        fitted, example = rebuilt(learned, build, work)
    return Assembled(fitted, example, leaves)


def _transformed(fitted: Any, rows: Any, name: str, columns: tuple[str, ...]) -> Any:
    """Return what a fitted estimator makes of rows; Refuse what contradicts them."""
    try:
        return fitted.transform(rows)
    except Contradiction as lie:
        text = f"has rows that contradict what the server says was learned for {lie}"
        raise Refuse("consent", text, columns) from None
    except Exception:  # no text of an exception may leave: it can quote cells
        log.debug("%s failed on the rows", name, exc_info=True)
        raise BadCells("transform", what=name) from None


def rebuilt(learned: Learned, build: Callable[[], Any], work: WorkBudget | None) -> Any:
    """Return what ``build`` makes of learned numbers; BadCells if it fails, or costs too much."""
    try:
        with checking(None if work is None else work.make):
            return build()
    except (BadCells, UsageError):
        raise
    except Exception:  # no text of an exception may leave: it can quote cells
        log.debug("%s could not be rebuilt", learned.estimator, exc_info=True)
        raise BadCells("estimator", what=learned.estimator) from None
