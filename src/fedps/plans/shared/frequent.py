"""Frequent items: the one place that chooses how they are found.

Round 1: each client sends the table of a column, or its heaviest values where that is too large for a
message. Where all tables are there, that is all. Otherwise, for a goal of T cells (``least``, or what
the ``top`` values are known to have at least) no value that can reach it is unknown once what clients
left out adds up to less than T:

- with ``least`` that is so after round 1, as clients send what has T / C cells there, or the same
  share of their rows; round 2 counts the candidates;
- with ``top`` alone the heaviest values of each client are usually enough, too; otherwise round 2
  asks for those with T / C cells, and round 3 counts the candidates.

Values that tie at the goal are all among the candidates, so ties fall as in scikit-learn. Where so
many values have T / C cells that they do not fit into a message there is no exact way that is
shorter than sending all (to tell whether two clients share a value takes that much), and the error
says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from fedps.errors import NotFederated
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.questions.frequent import LIMIT, WHOLE, first_of, gap_of, part_of
from fedps.questions.markers import marks_nan
from fedps.statistics import Distinct, Heaviest, Known, Missing
from fedps.statistics.base import Array
from fedps.statistics.categories.frequent_items import Frequent
from fedps.statistics.categories.table_sizes import unfolded, water_level

_MORE_FREQUENT = "a value may be up to {} cells more frequent than it is taken for"
_FURTHER = "for columns of many values: one or two rounds for the counts of the most frequent"


@dataclass(frozen=True)
class WantedValues:
    """Which values matter, and what to do where there are too many.

    ``least`` is a number of cells, or as a float a share of them; ``top`` how many values at most.
    ``marker`` is a value that is always counted, and is not one of the top ones. ``exact``
    says that counts matter, not only which values are the most frequent.
    """

    least: float | None = None
    top: int | None = None
    marker: Any = None
    exact: bool = True
    advice: str = "Leave the column out."

    def first(self, clients: int) -> Heaviest:
        """Return what to ask first; a large column always shows one value, which tells its type."""
        return first_of(self.least, self.top, clients, self.gap)

    def goal(self, found: Distinct, rows: int) -> float:
        """Return a number of cells that every value that matters is known to have."""
        least = 1.0 if self.least is None else float(self.least)
        if self.least is not None and not isinstance(self.least, Integral):
            least = rows * self.least
        if self.top is None:
            return least
        if self.top == 0:
            return float("inf")
        assert found.counts is not None
        counts = found.counts
        for value in self.also:
            counts = np.where(found.values == value, 0, counts)
        if len(counts) < self.top:
            return least
        return max(least, float(np.partition(counts, -self.top)[-self.top]))

    @property
    def gap(self) -> int | float | None:
        """The marker, if it is a number: in columns of text it is counted as None."""
        return gap_of(self.marker)

    @property
    def also(self) -> tuple[Any, ...]:
        """The marker, unless it is None or NaN: these are counted anyway."""
        return () if self.marker is None or marks_nan(self.marker) else (self.marker,)


class Items(NamedTuple):
    """What was found of a column: all of its values, or those that matter.

    ``whole`` says that these are all, and few enough for a message. ``rest`` is the number of cells
    that hold other values.
    """

    found: Distinct
    whole: bool
    rest: int
    text: bool


def frequent(view: View, wanted: WantedValues) -> Plan[list[Items]]:
    """Find the values of each column that matter, exactly or by the sketch that the user chose."""
    sketch = view.pooled.options.frequent
    if sketch is not None:
        return (yield from _sketched(view, wanted, sketch))
    first = wanted.first(view.pooled.clients)
    columns: list[Frequent] = yield from ask(first, view, further=_FURTHER)
    cut = [j for j, column in enumerate(columns) if not column.complete]
    parts = [_exact(view, j, columns[j], wanted) for j in cut]
    exact = dict(zip(cut, (yield from gather(parts)) if parts else (), strict=True))
    return _items(columns, [exact.get(j, column.found) for j, column in enumerate(columns)], view)


def _sketched(view: View, wanted: WantedValues, sketch: Any) -> Plan[list[Items]]:
    """Find them in one round, with counts that are too low by what the sketch says."""
    plans: list[Plan[Any]] = [ask(sketch, view)]
    plans += [ask(Missing(marker), view) for marker in wanted.also]
    columns, *gaps = yield from gather(plans)
    tables = [column.found for column in columns]
    for position in view.limited("min_count", "max_share"):
        view.bound(position, _MORE_FREQUENT.format(columns[position].bound))
    for marked in gaps:
        exact = marked[:, None]
        tables = [_counted(t, wanted.also, exact[j]) for j, t in enumerate(tables)]
    return _items(columns, tables, view)


def _items(columns: list[Frequent], tables: list[Distinct], view: View) -> list[Items]:
    """Return what was found, and whether it is whole: as if one client had held all rows."""
    infinite = float("inf")
    sizes = [float(unfolded(c.found.values).sum()) if c.complete else infinite for c in columns]
    level = water_level(sizes, WHOLE)
    items = []
    for size, column, table in zip(sizes, columns, tables, strict=True):
        assert table.counts is not None
        rest = view.rows - int(table.counts.sum()) - table.none - table.nan
        text = any(isinstance(value, str) for value in column.found.values[:1])
        items.append(Items(table, column.complete and size <= level, rest, text))
    return items


def _exact(view: View, position: int, known: Frequent, wanted: WantedValues) -> Plan[Distinct]:
    """Find the values that matter in a column of which not all were sent."""
    column = view.at((position,))
    also = wanted.also
    if wanted.gap is not None and _is_text(known.found):
        also = ()
    goal = wanted.goal(known.found, view.rows)
    if view.limited("min_count", "max_share").get(position):
        return _as_shown(view, position, known, goal)
    if goal == float("inf"):
        return _none_of(known.found)
    if known.bound >= goal:
        part = part_of(goal, view.pooled.clients)
        more = Heaviest(at_least=part, whole=0, limit=LIMIT, gap=wanted.gap)
        (known,) = yield from ask(more, column)
        goal = max(goal, wanted.goal(known.found, view.rows))
    assert known.found.counts is not None
    candidates = known.found.values[known.found.counts + known.bound >= goal]
    if known.bound >= goal or unfolded(candidates).sum() > LIMIT:
        raise NotFederated(
            f"column {shown_name(view, position)} has more values than fit into a message, or than a "
            f"client's policy lets it send, and too many of them are too frequent. {wanted.advice}"
        )
    if not wanted.exact and len(candidates) == 1 and not also and not known.found.none:
        return known.found
    asked = tuple(dict.fromkeys((*candidates.tolist(), *also)))
    return _counted(_none_of(known.found), asked, (yield from _count(column, asked, wanted.gap)))


def _as_shown(view: View, position: int, known: Frequent, goal: float) -> Distinct:
    """Return the values that clients show, where their policies show no more; and say how far they are off."""
    counts = known.found.counts
    assert counts is not None
    unsure = counts[(counts < goal) & (counts + known.bound >= goal)]
    text = _MORE_FREQUENT.format(known.bound)
    if not unsure.size and known.bound < goal:
        text = "none: which values are the most frequent is known all the same"
    view.bound(position, text)
    return known.found


def _is_text(found: Distinct) -> bool:
    return any(isinstance(value, str | bytes) for value in found.values[:1])


def _count(column: View, values: tuple[Any, ...], gap: float | None) -> Plan[Array]:
    if not values:
        return np.zeros(0, dtype=np.int64)
    found = yield from ask(Known((values,), gap=gap), column)
    return found.counts[0]


def _counted(table: Distinct, values: tuple[Any, ...], counts: Array) -> Distinct:
    """Return a table with the exact counts of some values put in."""
    assert table.counts is not None
    tally = dict(zip(table.values.tolist(), table.counts.tolist(), strict=True))
    tally |= dict(zip(values, np.asarray(counts).tolist(), strict=True))
    items = sorted(value for value, count in tally.items() if count)
    objects = np.empty(len(items), dtype=object)
    objects[:] = items
    found = np.array([tally[value] for value in items], dtype=np.int64)
    return Distinct(objects, found, table.none, table.nan)


def _none_of(table: Distinct) -> Distinct:
    """Return a table without its values; what is missing stays."""
    assert table.counts is not None
    return Distinct(table.values[:0], table.counts[:0], table.none, table.nan)


def shown_name(view: View, position: int) -> str:
    """Return a column's name for an error, or its number where names are not known."""
    names = view.names
    return repr(names[position]) if names else f"number {position}"
