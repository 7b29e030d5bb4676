"""Which cells of a table of counts to hide, so that small ones cannot be computed from the others.

A table with the same totals as another, and the same numbers in all cells that are shown, cannot be told from
it. So each small cell gets such another table, in which it is not small: whatever cells differ are hidden.
To get there, a count goes up in the small cell, down in another cell of its column, up in that cell's row and
so on, until it goes down in the small cell's own row. The cheapest such round is taken, as often as needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array

# What it costs to hide a count, a zero (which may be known to all: no pregnant men) and a total. Small counts
# first, and totals only where nothing else helps.
_COUNT, _ZERO, _TOTAL, _NEVER = 1000, 2000, 10**9, 2**60
_MANY = 2**40  # a total may be moved up or down by this
_MOST_WORK = 5 * 10**7  # small cells times cells: beyond, all are hidden


class Suppression(NamedTuple):
    """What is hidden of a table: cells, and totals of rows, of columns and of all."""

    cells: Array
    rows: Array
    columns: Array
    total: bool


def suppressed(counts: Array, least: int) -> Suppression:
    """Return which cells and totals of a table of counts must be hidden.

    Small are counts from 1 to ``least`` - 1. A row or column with a total below ``least`` is rare: it is hidden
    whole, and not even named. All rare rows together are seen as one row, and so are rare columns.

    What is guaranteed, against one who knows all cells and totals that are not hidden, and that no count is
    negative: in each small cell, and in the sum of small cells of all rare rows or columns in one column or row, if
    that is small, the count may as well be ``least`` or more; and no hidden cell of a row and a column that
    are not rare can be computed. What is known of rare rows or columns are at most sums of at least ``least``
    rows, or of none.

    Totals are shown, so far as possible. One is hidden only where hiding all cells would not be enough: in a
    table of one row, say, where each total of a column is a cell. Which cells are hidden is chosen for each
    small cell in turn, so that there may be a few more than the fewest possible.

    >>> suppressed(np.array([[20, 3, 40], [30, 25, 50], [8, 9, 70]]), 5).cells.astype(int)
    array([[1, 1, 0],
           [0, 0, 0],
           [1, 1, 0]])
    """
    rare = counts.sum(axis=1) < least, counts.sum(axis=0) < least
    table = _rare_as_one(_rare_as_one(counts, rare[0]).T, rare[1]).T
    hidden = np.zeros(np.add(table.shape, 1), dtype=bool)  # the last line and column are totals
    hidden[:-1, :-1] = small = (table > 0) & (table < least)
    if rare[0].any():
        hidden[-2] = True
    if rare[1].any():
        hidden[:, -2] = True
    if np.count_nonzero(small) * table.size > _MOST_WORK:
        hidden[:] = True
    else:
        hidden = _hide_more(table, hidden, small, least)
    at = [
        np.where(mask, size - 1, np.cumsum(~mask) - 1)
        for mask, size in zip(rare, table.shape, strict=True)
    ]
    return Suppression(
        hidden[np.ix_(*at)], hidden[at[0], -1], hidden[-1, at[1]], bool(hidden[-1, -1])
    )


def _rare_as_one(counts: Array, rare: Array) -> Array:
    """Return a table with all rare rows added up in a last one."""
    together = counts[rare].sum(axis=0, keepdims=True)[: int(rare.any())]
    return np.concatenate([counts[~rare], together])


def _hide_more(table: Array, hidden: Array, small: Array, least: int) -> Array:
    """Return what is hidden, with further cells, and totals if need be, so that no cell is known to be small."""
    with_totals = np.full(hidden.shape, _MANY, dtype=np.int64)
    with_totals[:-1, :-1] = table
    price = np.full(hidden.shape, _TOTAL, dtype=np.int64)
    price[:-1, :-1] = np.where(table > 0, _COUNT + np.minimum(table, _COUNT // 2), _ZERO)
    # the smallest first: what hides them is most likely to do for others
    order = np.argsort(np.where(small, table, 0), axis=None, kind="stable")
    for at in order[order.size - np.count_nonzero(small) :].tolist():
        cell = divmod(at, table.shape[1])
        cost = np.where(hidden, 0, price)
        free = np.where(hidden, 0, _NEVER)
        changed = _changed(with_totals, free, cell, least, at_once=False)
        if changed is None:
            ways = [_changed(with_totals, cost, cell, least, at_once=one) for one in (True, False)]
            found = [way for way in ways if way is not None]
            changed = min(found, key=lambda way: int(cost[way].sum()))
        hidden = hidden | changed
    return hidden


def _changed(
    table: Array, cost: Array, cell: tuple[int, int], least: int, *, at_once: bool
) -> Array | None:
    """Return which cells differ in another table with the same totals, where one cell is not small.

    ``at_once`` allows only rounds that do it alone. None if there is no such table.
    """
    other, changed = table.copy(), np.zeros(table.shape, dtype=bool)
    while (lacks := least - int(other[cell])) > 0:
        taken = np.where(other >= (lacks if at_once else 1), cost, _NEVER)
        around = _cheapest_round(taken, np.where(changed, 0, cost), cell)
        if around is None:
            return None
        down, up = around
        step = min(lacks, int(other[down].min()))
        other[down] -= step
        other[up] += step
        other[cell] += step
        changed[down] = changed[up] = changed[cell] = True
        cost = np.where(changed, 0, cost)
    return changed


_Cells = tuple[Array, Array]  # their rows and columns


def _cheapest_round(down: Array, up: Array, cell: tuple[int, int]) -> tuple[_Cells, _Cells] | None:
    """Return the cells that go down and up when one goes up, by the cheapest way; None if there is none.

    ``down`` and ``up`` are what it costs to use a cell. The way goes from the cell's column to its row, and
    lengths of ways are found for all rows, then for all columns, until none is shorter (Bellman and Ford).
    """
    height, width = down.shape
    down, up = down.copy(), up.copy()
    down[cell] = up[cell] = _NEVER
    to_row, to_column = np.full(height, _NEVER), np.full(width, _NEVER)
    before_row, before_column = np.zeros(height, np.intp), np.zeros(width, np.intp)
    to_column[cell[1]] = 0
    shorter = True
    while shorter:
        ways = down + to_column
        best = ways.argmin(axis=1)
        better = ways[np.arange(height), best] < to_row
        to_row[better], before_row[better] = ways[better, best[better]], best[better]
        ways = up + to_row[:, None]
        best = ways.argmin(axis=0)
        new = ways[best, np.arange(width)] < to_column
        to_column[new], before_column[new] = ways[best[new], new], best[new]
        shorter = bool(better.any() or new.any())
    if to_row[cell[0]] >= _NEVER:
        return None
    lower: list[tuple[int, int]] = []
    higher: list[tuple[int, int]] = []
    row = cell[0]
    while True:
        column = int(before_row[row])
        lower.append((row, column))
        if column == cell[1]:
            return _as_index(lower), _as_index(higher)
        row = int(before_column[column])
        higher.append((row, column))


def _as_index(cells: list[tuple[int, int]]) -> _Cells:
    both = np.array(cells, dtype=np.intp).reshape(-1, 2)
    return both[:, 0], both[:, 1]
