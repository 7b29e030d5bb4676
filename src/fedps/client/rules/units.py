"""Units: whose each row is, where a policy counts people and not rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.client.block import TableBlock
from fedps.client.tables import Chunk, Table, names_of, take
from fedps.errors import UsageError
from fedps.statistics import BadCells
from fedps.statistics.base import Array
from fedps.statistics.limits import Pairs


class Units:
    """The units of a table's rows, numbered in the order in which they come.

    Rows whose unit is missing are all one unit: nobody knows that they are different people.

    Parameters
    ----------
    table : Table
        The client's own table.
    name : str
        The column that says whose a row is.
    """

    def __init__(self, table: Table, name: str) -> None:
        if name not in (table.schema().names or ()):
            raise UsageError(
                f"the policy counts by unit = {name!r}, and the table has no such column."
            )
        self._table = table
        self._name = name
        self._numbers: dict[Any, int] = {}
        self._rows: Array | None = None

    def of(self, chunk: Chunk) -> Array:
        """Return the unit of each row of a chunk."""
        names = names_of(chunk.X) or ()
        column = take(chunk.X, [list(names).index(self._name)])
        found, codes = TableBlock(column, chunk).codes(0)
        items = [*found.values.tolist(), None, None]  # codes of None and NaN come last
        numbers = [self._numbers.setdefault(item, len(self._numbers)) for item in items]
        return np.array(numbers, dtype=np.int64)[codes]

    @property
    def rows(self) -> Array:
        """How many rows each unit has, the largest first."""
        if self._rows is None:
            every = [self.of(chunk) for chunk in self._table.chunks()]
            counts = np.bincount(np.concatenate([np.empty(0, dtype=np.int64), *every]))
            self._rows = -np.sort(-counts[counts > 0])
        return self._rows

    def sure(self, units: int) -> int:
        """Return how many rows surely have so many units: more than the largest units have."""
        return int(self.rows[: max(units - 1, 0)].sum()) + 1 if units > 0 else 0


def whose(places: Any, key: Any, chunk: Chunk) -> Array | None:
    """Return whose each row of a table at a place is, which may be a sample; None where each row counts."""
    if places.units is None:
        return None
    table = places[key]
    up = table.parent
    units = places.units.of(chunk) if up is None else whose(places, up, chunk)
    return np.asarray(units if table.draws is None else table.draws(units, chunk))


class UnitCells:
    """The units of the cells of one table, gathered in the same pass as the statistics."""

    def __init__(self) -> None:
        self._present: list[set[int]] = []
        self._pairs: list[list[tuple[Array, Array]]] = []

    def add(self, block: TableBlock, units: Array, *, values: bool) -> None:
        """Take in a block; with ``values``, also which unit has which value."""
        while len(self._present) < block.width:
            self._present.append(set())
            self._pairs.append([])
        for j in range(block.width):
            found, codes = _codes(block, j)
            known = codes < len(found)
            self._present[j].update(np.unique(units[known]).tolist())
            if values:
                both = np.unique(np.stack([codes[known], units[known]]), axis=1)
                self._pairs[j].append((found[both[0]], both[1]))

    def present(self) -> Array:
        """Return how many units have a cell in each column that is not missing."""
        return np.array([len(units) for units in self._present], dtype=np.int64)

    def pairs(self, position: int) -> Pairs:
        """Return which units have which values of a column."""
        values = np.concatenate([value for value, _ in self._pairs[position]] or [np.empty(0)])
        units = np.concatenate([unit for _, unit in self._pairs[position]] or [np.empty(0)])
        found, codes = np.unique(values, return_inverse=True)
        both = np.unique(np.stack([codes, units.astype(np.int64)]), axis=1)
        return Pairs(found[both[0]], both[1])


def _codes(block: TableBlock, position: int) -> tuple[Array, Array]:
    """Return the values of a column, and each row's position among them; missing ones come after."""
    try:
        found, codes = block.codes(position)
    except BadCells:  # not categories: numbers of several types, for instance
        column = np.asarray(block.numbers()[:, position])
        values = np.unique(column[~np.isnan(column)])
        return values, np.where(np.isnan(column), len(values), np.searchsorted(values, column))
    return np.asarray(found.values), np.asarray(codes)
