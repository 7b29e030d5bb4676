"""WorkBudget: how much a client computes for a server in one round and in one fit, from shapes alone.

A message of a few bytes can ask for very much. What it would cost is estimated before anything is computed
or allocated, and held against limits that grow with the client's own table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from msgspec import Struct, structs

from fedps.client.made_width import made_width
from fedps.learned import Learned
from fedps.protocol.limits import MAX_WIDTH
from fedps.statistics import BadCells, Statistic

# Work is counted in cells that are read, each as often as a question has numbers to compare it with.
LEAST_WORK = 2**29  # that any table is worth in a round: a second or a few
WORK_PER_ROW = 2**20  # in a round: a chunk of queries of nearest neighbours takes a quarter of it
CHEAPER_PRODUCTS = 16  # times, than to compare: all products of columns are one product of matrices
ROUNDS_WORTH = 64  # of the most work in a round, in one fit
LEAST_MADE = 2**25  # cells of derived tables that are kept, for any table: 256 MB
MADE_PER_CELL = 64  # of the client's own table
MOST_MADE = 2**30  # of any table: 8 GB
LEAST_ASKS = 2**14  # in a round
ASKS_PER_COLUMN = 64


class WorkBudget:
    """What a client may still compute.

    Parameters
    ----------
    rows, width : int
        The size of the client's own table.
    kept : bool
        Whether derived tables are kept for later rounds.
    """

    def __init__(self, rows: int, width: int, *, kept: bool) -> None:
        self._rows = rows
        self._width = width
        self._kept = kept
        self._most = max(LEAST_WORK, WORK_PER_ROW * rows)
        self._most_made = max(LEAST_MADE, min(MADE_PER_CELL * rows * width, MOST_MADE))
        self._in_round = self._in_fit = self._made = 0

    def begin_round(self, asks: int) -> None:
        """Begin a round with so many asks."""
        self._in_round = 0
        if asks > LEAST_ASKS + ASKS_PER_COLUMN * self._width:
            raise BadCells("too much", what=f"{asks} questions in a round")

    def note(self, statistic: Statistic[Any, Any]) -> None:
        """Count a question of the fit, also one that an earlier process answered."""
        self._in_fit += self._rows * (self._width + numbers_in(statistic))
        if self._in_fit > ROUNDS_WORTH * self._most:
            raise BadCells("too much", what=type(statistic).__name__)

    def spend(self, statistic: Statistic[Any, Any], width: int) -> None:
        """Spend what an answer costs in a round; ``width`` is the number of columns that it is about."""
        products = width * width // CHEAPER_PRODUCTS if statistic.multiplies else 0
        self._in_round += self._rows * (width + products + numbers_in(statistic))
        if self._in_round > self._most:
            raise BadCells("too much", what=type(statistic).__name__)

    def make(self, learned: Learned, width: int) -> None:
        """Spend what an estimator makes of ``width`` columns; to be called before it makes anything."""
        self.make_columns(made_width(learned, width), learned.estimator)

    def make_columns(self, width: int, what: str) -> None:
        """Spend a derived table of so many columns; ``what`` makes it."""
        self._made += self._rows * width if self._kept else 0
        if width > MAX_WIDTH or self._made > self._most_made:
            raise BadCells("too much", what=f"{what} that gives {width} columns")


def numbers_in(value: Any) -> int:
    """Return how many numbers and texts a statistic holds.

    >>> numbers_in((1.0, np.zeros((2, 3)), ("a", "b")))
    9
    """
    if isinstance(value, np.ndarray):
        return int(value.size)
    if isinstance(value, Struct):
        return numbers_in(structs.astuple(value))
    if not isinstance(value, Iterable) or isinstance(value, str | bytes):
        return 1
    items = list(value)
    plain = all(type(item) in (str, int, float) for item in items)  # a long list of categories, say
    return len(items) if plain else sum(map(numbers_in, items))
