"""Group: the rows of all clients that have one category in the column of ``by=``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fedps.looks.column_facts import ColumnFacts
from fedps.looks.without import as_marked


@dataclass(frozen=True)
class Group:
    """The rows that have one category in the column of ``by=``.

    ``mark`` is what to show instead of ``rows``, such as "< 5", where clients kept their number back.
    """

    value: Any
    rows: int
    columns: tuple[ColumnFacts, ...]
    notes: tuple[str, ...] = ()
    mark: str = ""


def group_size(columns: Sequence[ColumnFacts]) -> tuple[int, str]:
    """Return how many rows a group has, and what to show instead where no column tells that of all clients.

    >>> group_size([ColumnFacts("age", "numbers", "float64", 8, 1, marks={"count": "8, without oslo"})])
    (9, '9, without oslo')
    """
    every = sorted(columns, key=lambda facts: "count" in facts.marks)  # one that all clients show
    if not every:
        return 0, ""
    rows = every[0].count + every[0].missing
    mark = every[0].marks.get("count", "")
    return rows, as_marked(f"{rows:,}", mark) if mark else ""
