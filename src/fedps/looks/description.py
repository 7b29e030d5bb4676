"""Description: what ``federation.describe`` gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fedps.looks.column_facts import ColumnFacts
from fedps.looks.correlation import Correlation


@dataclass(frozen=True)
class Group:
    """The rows that have one category in the column of ``by=``."""

    value: Any
    rows: int
    columns: tuple[ColumnFacts, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Description:
    """What the columns of all clients hold, as if their rows were in one place.

    Attributes
    ----------
    clients : dict of str to int
        How many rows each client has.
    columns : tuple of ColumnFacts
        What is known of each column.
    percentiles : tuple of float
        Which quantiles the columns have, as shares from 0 to 1.
    by : object
        The column whose categories are the groups; None without groups.
    groups : tuple of Group
        The same for the rows of each category of ``by``.
    correlation : Correlation or None
        The correlation of all columns of numbers.
    left : list of dict
        What left the clients: statistic, columns, level, and what it shows.
    notes : tuple of str
        Sentences about clients that kept something back.
    """

    clients: dict[str, int]
    columns: tuple[ColumnFacts, ...]
    percentiles: tuple[float, ...]
    by: Any = None
    groups: tuple[Group, ...] = ()
    correlation: Correlation | None = None
    left: list[dict[str, Any]] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """How many rows all clients have together."""
        return sum(self.clients.values())
