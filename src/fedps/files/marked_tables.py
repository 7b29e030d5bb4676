"""The table of a look as a file has it: where clients kept a number back, it says so.

``to_pandas()`` has NA there, which a CSV file would leave empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from fedps.looks import Correlation, Crosstab, Description
from fedps.looks.column_facts import ColumnFacts
from fedps.looks.named_facts import named_facts
from fedps.looks.percentile_labels import percentile_labels

if TYPE_CHECKING:
    import pandas as pd


def marked_table(found: Description | Correlation | Crosstab) -> pd.DataFrame:
    """Return ``to_pandas()``, with a mark such as "< 5" where a number is kept back."""
    table = found.to_pandas().astype(object)
    for i, j, mark in _marks(found, table):
        if mark:
            table.iat[i, j] = mark
    return table


@singledispatch
def _marks(found: Any, table: pd.DataFrame) -> Iterator[tuple[int, int, str]]:
    """Yield row, column and mark of what is kept back."""
    raise NotImplementedError


@_marks.register
def _(found: Crosstab, _table: Any) -> Iterator[tuple[int, int, str]]:
    for i, j in np.argwhere(found.hidden).tolist():
        yield i, j, found.cell_text(i, j)


@_marks.register
def _(found: Correlation, _table: Any) -> Iterator[tuple[int, int, str]]:
    for (i, j), mark in found.marks.items():
        yield i, j, mark
        yield j, i, mark


@_marks.register
def _(found: Description, table: Any) -> Iterator[tuple[int, int, str]]:
    at = {key: j for j, key in enumerate(table.columns)}
    labels = percentile_labels(found.percentiles)

    def named(i: int, facts: ColumnFacts, *above: Any) -> Iterator[tuple[int, int, str]]:
        for name, fact in named_facts(facts, labels).items():
            key = (*above, name) if above else name
            if key in at:
                yield i, at[key], fact.mark

    if found.by is None:
        for i, facts in enumerate(found.columns):
            yield from named(i, facts)
    for i, group in enumerate(found.groups):
        for facts in group.columns:
            yield from named(i, facts, facts.name)
