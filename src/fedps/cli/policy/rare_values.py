"""How many distinct values the columns of a table have, and how rare they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fedps.client.block import TableBlock
from fedps.client.rules.units import Units
from fedps.client.tables import Table, take
from fedps.statistics import BadCells, Categories
from fedps.statistics.base import Array


class ColumnValues(NamedTuple):
    """How often each value of a column occurs; no counts for cells that are not categories."""

    name: str
    counts: Array | None
    is_text: bool

    @property
    def distinct(self) -> str:
        """How many distinct values there are, as text."""
        return "mixed types" if self.counts is None else f"{len(self.counts):,}"

    def rarer_than(self, least: int) -> int:
        """Return how many values occur less often than given."""
        return 0 if self.counts is None else int((self.counts < least).sum())


def column_values(table: Table, units: Units | None = None) -> Iterator[ColumnValues]:
    """Yield the values of each column, the target last; with units, how many of these have each text."""
    for column in _by_cells(table):
        if units is None or not column.is_text:
            yield column
        else:
            yield column._replace(counts=_by_units(table, units, column.name))


def _by_cells(table: Table) -> Iterator[ColumnValues]:
    """Yield how many cells have each value, in one pass over the rows."""
    names = list(table.schema().names or ())
    statistic = Categories(counts=True)
    found: list[Any] = [statistic.empty(1) for _ in names]
    target: Any = None if table.target_schema() is None else statistic.empty(1)
    for chunk in table.chunks():
        for j, summary in enumerate(found):
            found[j] = _folded(statistic, summary, TableBlock(take(chunk.X, [j]), chunk))
        if target is not None:
            target = _folded(statistic, target, TableBlock(chunk.y, chunk, is_target=True))
    for name, summary in zip(names, found, strict=True):
        yield _values_of(name, summary)
    if target is not None:
        yield _values_of(table.target_name or "target", target)


def _by_units(table: Table, units: Units, name: str) -> Array:
    """Return how many units have each value of a column."""
    names = list(table.schema().names or ())
    found: set[tuple[Any, int]] = set()
    for chunk in table.chunks():
        if name in names:
            block = TableBlock(take(chunk.X, [names.index(name)]), chunk)
        else:
            block = TableBlock(chunk.y, chunk, is_target=True)
        distinct, codes = block.codes(0)
        known = codes < len(distinct.values)
        values = distinct.values[codes[known]].tolist()
        found.update(zip(values, units.of(chunk)[known].tolist(), strict=True))
    return np.array(list(Counter(value for value, _ in found).values()), dtype=np.int64)


def _folded(statistic: Categories, summary: Any, cells: TableBlock) -> Any:
    try:
        return None if summary is None else statistic.fold(summary, cells)
    except BadCells:
        return None


def _values_of(name: str, summary: Any) -> ColumnValues:
    if summary is None:
        return ColumnValues(name, None, is_text=False)
    counts = np.asarray(summary.counts[0])
    return ColumnValues(
        name, counts, is_text=summary.values[0].dtype.kind in "OU" and len(counts) > 0
    )
