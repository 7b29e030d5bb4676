"""RowGroups: which of a client's rows have which category of a column, and which groups it may show.

A group of too few rows is not shown. Nor are groups from which it would follow: all rows minus the groups that
are shown must be no rows, or enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fedps.client.block import TableBlock
from fedps.client.places.derived_table import DerivedTable
from fedps.client.places.sampled_rows import Samples
from fedps.client.policy import Policy
from fedps.client.tables import Chunk, Table, names_of, shape, take, take_rows
from fedps.statistics import BadCells
from fedps.statistics.base import Array


class RowGroups:
    """The groups of a client's rows by the categories of its columns.

    Parameters
    ----------
    table : Table
        The client's own table.
    policy : Policy
        Which columns may be asked about.
    """

    def __init__(self, table: Table, policy: Policy) -> None:
        table.keep_order()  # each row's group is known by its place
        self._table = table
        self._policy = policy
        self._known: dict[Any, tuple[dict[Any, int], Array]] = {}

    def rows_of(self, column: Any, value: Any, least: int) -> tuple[Array, bool]:
        """Return for each row whether it is in a group, as 0 and 1; and whether the group is hidden.

        ``least`` is the fewest rows of a group that is shown.
        """
        numbers, codes = self._groups(column)
        if value not in numbers:
            return np.zeros(len(codes), dtype=np.uint8), False
        *groups, rest = np.bincount(codes, minlength=len(numbers) + 1).tolist()
        hidden = hidden_groups(dict(enumerate(groups)), rest, least)
        if numbers[value] in hidden:
            return np.zeros(len(codes), dtype=np.uint8), True
        return (codes == numbers[value]).astype(np.uint8), False

    def _groups(self, column: Any) -> tuple[dict[Any, int], Array]:
        """Return the categories of a column, numbered, and the number of each row's; missing ones are last."""
        if column not in self._known:
            parts = [self._codes(chunk, column) for chunk in self._table.chunks()]
            numbers: dict[Any, int] = {}
            for values, _ in parts:
                for value in values:
                    numbers.setdefault(value, len(numbers))
            gone = [len(numbers)] * 2  # None and NaN
            every = [np.array([*map(numbers.get, values), *gone])[codes] for values, codes in parts]
            whole = np.concatenate(every) if every else np.zeros(0, dtype=np.int64)
            self._known[column] = numbers, whole.astype(np.int32)
        return self._known[column]

    def _codes(self, chunk: Chunk, column: Any) -> tuple[list[Any], Array]:
        names = names_of(chunk.X)
        if column == self._table.target_name and column not in (names or ()):
            block = TableBlock(chunk.y, chunk, is_target=True)
        else:
            at = {name: i for i, name in enumerate(names or range(chunk.X.shape[1]))}
            if column not in at or not self._policy.offers(column):
                raise BadCells("no column", what=str(column))
            block = TableBlock(take(chunk.X, [at[column]]), chunk)
        found, codes = block.codes(0)
        return found.values.tolist(), codes


def hidden_groups(sizes: Mapping[Any, int], rest: int, least: int) -> set[Any]:
    """Return the groups that are not shown; ``rest`` is how many rows are in no group.

    >>> sorted(hidden_groups({"a": 50, "b": 20, "c": 3}, rest=0, least=10))
    ['b', 'c']
    >>> hidden_groups({"a": 50, "b": 20}, rest=0, least=10)
    set()
    """
    hidden = {group for group, size in sizes.items() if 0 < size < least}
    unseen = rest + sum(sizes[group] for group in hidden)
    for group in sorted(sizes, key=lambda each: sizes[each]):
        if not 0 < unseen < least:
            break
        if group not in hidden and sizes[group]:
            hidden.add(group)
            unseen += sizes[group]
    return hidden


def rows_where(
    table: DerivedTable, where: Any, groups: RowGroups, samples: Samples, least: int
) -> DerivedTable:
    """Return only the rows of a table that have a category in some column; none if these are too few."""
    try:
        column, value = where
        times, hides = groups.rows_of(column, value, least)
    except (TypeError, ValueError):
        raise BadCells("selection") from None

    def choose(rows: Any, chunk: Chunk) -> Any:
        here = times[chunk.start : chunk.start + shape(chunk.X)[0]]
        return take_rows(table.change(rows, chunk), np.flatnonzero(here))

    return replace(
        table,
        change=choose,
        picked=samples.draw(times, table.picked),
        made=table.made_by(times),
        grouped=str(column),
        hides=hides,
    )
