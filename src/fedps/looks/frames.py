"""A description as a data frame: pandas' names, and NA where a client kept something back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from fedps.looks.column_facts import ColumnFacts
from fedps.looks.groups import Group
from fedps.looks.named_facts import NamedFact, named_facts

if TYPE_CHECKING:
    import pandas as pd

COUNTS = ("count", "missing", "unique", "freq")


def row_per_column(columns: Sequence[ColumnFacts], labels: Sequence[str]) -> pd.DataFrame:
    """Return a row per column and a column per statistic, as ``describe(include="all").T`` has them."""
    import pandas as pd

    statistics = ("count", "missing", "unique", "top", "freq", "mean", "std", "min", *labels, "max")
    rows = [_cells(facts, labels) for facts in columns]
    index = pd.Index([facts.name for facts in columns], tupleize_cols=False)
    return pd.DataFrame(
        {name: _series([row.get(name) for row in rows], name, index) for name in statistics},
        columns=pd.Index(statistics),
        index=index,
    )


def row_per_group(groups: Sequence[Group], by: Any, labels: Sequence[str]) -> pd.DataFrame:
    """Return a row per group and two levels of columns, as ``groupby(by).describe()`` has them."""
    import pandas as pd

    index = pd.Index([group.value for group in groups], name=by, tupleize_cols=False)
    cells = [[_cells(facts, labels) for facts in group.columns] for group in groups]
    found: list[tuple[tuple[Any, str], Any]] = []
    for j, facts in enumerate(groups[0].columns if groups else ()):
        for name in cells[0][j]:
            values = [row[j].get(name) for row in cells]
            found.append(((facts.name, name), _series(values, name, index)))
    if not found:
        return pd.DataFrame(index=index)
    frame: pd.DataFrame = pd.concat([series for _, series in found], axis="columns")
    frame.columns = pd.MultiIndex.from_tuples([key for key, _ in found])
    return frame


def _cells(facts: ColumnFacts, labels: Sequence[str]) -> dict[str, Any]:
    """Return the numbers of a column by name; None where one is kept back."""
    named = {k: v for k, v in named_facts(facts, labels).items() if k != "skewness"}
    if facts.kind != "dates":
        return {name: fact.value for name, fact in named.items()}
    # as in pandas, dates have no standard deviation
    return {name: _date_cell(fact, facts.zone) for name, fact in named.items() if name != "std"}


def _date_cell(fact: NamedFact, zone: str | None) -> Any:
    import pandas as pd

    if fact.name in COUNTS or fact.value is None:
        return fact.value
    if math.isnan(fact.value):
        return pd.NaT
    # a float has microseconds at best
    moment = pd.Timestamp(round(fact.value * 1e6), unit="us")
    return moment if zone is None else moment.tz_localize("UTC").tz_convert(zone)


def _series(values: list[Any], name: str, index: pd.Index[Any]) -> pd.Series[Any]:
    import pandas as pd

    if name in COUNTS:
        known = all(isinstance(value, Integral) for value in values)
        cells = [value if isinstance(value, Integral) else pd.NA for value in values]
        return pd.Series(cells, index=index, dtype="int64" if known else "Int64")
    numbers = all(value is None or isinstance(value, Real) for value in values)
    if numbers and name != "top":
        return pd.Series(values, index=index, dtype="float64")
    filled = [math.nan if value is None else value for value in values]
    return pd.Series(filled, index=index, dtype="object")
