"""Group: the rows of all clients that have one category in the column of ``by=``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fedps.looks.column_facts import ColumnFacts


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
