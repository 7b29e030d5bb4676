"""AskRow: a statistic that was asked of some columns, as a row of a report."""

from __future__ import annotations

from dataclasses import dataclass, field

from fedps.report.section import Names

# what an answer shows comes first: who reads it need not know our statistics by name
ASK_HEADER = ("round", "what it shows", "columns", "level", "statistic")
SCHEMA_CELLS = ("1", "names, dtypes, rows, empty columns", "all", "-", "Schema")


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
    return str(ask.round), ask.shows, Names(ask.columns), ask.level, ask.statistic
