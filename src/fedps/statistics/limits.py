"""Limits: what a client's policy allows an answer to show, for statistics that can show less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

_Array = np.ndarray[Any, Any]


class Disclosure(IntEnum):
    """How much of a table a statistic shows: its disclosure level.

    AGGREGATE: numbers to which every row contributes, such as sums. SUMMARY: also values of single
    cells, such as extremes and categories. ROWS: also something about single rows.
    """

    AGGREGATE = 1
    SUMMARY = 2
    ROWS = 3


class Less(NamedTuple):
    """That an answer shows less of a column than was asked: by which rule, and what it shows instead."""

    position: int
    rule: str
    shown: str


class Pairs(NamedTuple):
    """Which values of a column which units have: equally long, each pair once, sorted by value."""

    values: _Array
    units: _Array


@dataclass(eq=False)
class Limits:
    """What a client's policy allows an answer to show, for statistics that can show less.

    ``level`` is the highest disclosure level; ``share`` is how many single values of a column may be
    shown, as a share of its cells; ``rows`` is the fewest rows that a number may be computed from, and
    ``count`` the fewest cells that a category, a label or a pattern may stand for. ``values`` and ``numbers``
    are how many more single values may be shown of each column, and how many more numbers told about it,
    over the life of the ledger. ``pairs`` gives the units of a column's values, where cells are counted by
    units; ``sure_rows`` and ``sure_count`` are then so many rows that any so many have enough units. A
    statistic that shows less because of these says so by :meth:`show_less`.
    """

    level: Disclosure
    share: float
    rows: int = 0
    count: int = 0
    values: _Array | None = None
    numbers: _Array | None = None
    pairs: Callable[[int], Pairs] | None = None
    sure_rows: int = 0
    sure_count: int = 0
    less: list[Less] = field(default_factory=list)
    refused: list[Less] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sure_rows = self.sure_rows or self.rows
        self.sure_count = self.sure_count or self.count

    def most_values(self, position: int, cells: int) -> int:
        """Return how many single values of a column with so many cells may be shown."""
        most = int(self.share * cells)
        return most if self.values is None else min(most, int(self.values[position]))

    def most_numbers(self, position: int) -> int:
        """Return how many more numbers about a column may be told."""
        return NO_LIMIT if self.numbers is None else int(self.numbers[position])

    def sizes(self, position: int, values: _Array, counts: _Array) -> _Array:
        """Return how many units have each of some values: ``counts``, where each cell counts."""
        if self.pairs is None:
            return counts
        found = Counter(self.pairs(position).values.tolist())
        return np.array([found[value] for value in values.tolist()], dtype=np.int64)

    def refuse(self, rule: str, needed: str) -> None:
        """Note that nothing can be shown, and what would be needed."""
        self.refused.append(Less(0, rule, needed))

    def show_less(self, position: int, rule: str, shown: str) -> None:
        """Note that less is shown of a column than was asked."""
        self.less.append(Less(position, rule, shown))


NO_LIMIT = 2**62
# what a client shows of a column that a look can do without, and of a group of rows
NOTHING_SHOWN = "nothing"
NO_ROWS_SHOWN = "no rows of a group that has few, or that would give one with few away"
OPEN = Limits(Disclosure.ROWS, 1.0)  # no limits
