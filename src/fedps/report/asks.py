"""AskRow: a statistic that was asked of some columns, as a row of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_COLUMNS = 4  # more names would make the table wider than a terminal
ASK_HEADER = ("round", "statistic", "columns", "level", "what it shows")
SCHEMA_CELLS = ("1", "Schema", "all", "-", "names, dtypes, rows, empty columns")


@dataclass(frozen=True)
class AskRow:
    """One ask of one round.

    Attributes
    ----------
    round : int
        The round in which it was asked, from 1.
    statistic : str
        The name of the statistic.
    columns : tuple of str
        The clients' own columns that it was computed from.
    level : {"AGGREGATE", "SUMMARY", "ROWS"}
        How much an answer discloses at most; see ``fedps.Policy``.
    shows : str
        What an answer shows, in words.
    bytes : dict of str to int
        The size of each client's answer.
    """

    round: int
    statistic: str
    columns: tuple[str, ...]
    level: str
    shows: str
    bytes: dict[str, int] = field(default_factory=dict)


def ask_cells(ask: AskRow) -> tuple[str, ...]:
    """Return an ask as the cells of a table with ``ASK_HEADER``."""
    return str(ask.round), ask.statistic, _shortened(ask.columns), ask.level, ask.shows


def _shortened(columns: Sequence[str]) -> str:
    """Return names as a phrase, the first few of many."""
    shown = ", ".join(columns[:MOST_COLUMNS])
    more = len(columns) - MOST_COLUMNS
    return shown if more <= 0 else f"{shown} and {more} more"
