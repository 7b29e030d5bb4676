"""AskRow: what was asked of which columns, as a row of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_COLUMNS = 4  # more names would push the columns of a table off a terminal
ASK_HEADER = ("round", "statistic", "columns", "level", "what it shows")
SCHEMA_CELLS = ("1", "Schema", "all", "-", "names, dtypes, rows, empty columns")


@dataclass(frozen=True)
class AskRow:
    """One ask of one round.

    Attributes
    ----------
    round : int
        When it was asked.
    statistic : str
        What was asked.
    columns : tuple of str
        The clients' own columns that it is about.
    level : str
        How much a full answer discloses.
    shows : str
        What an answer shows, in words.
    bytes : dict of str to int
        How many bytes each client answered with.
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
    """Return some names in a line that stays readable."""
    shown = ", ".join(columns[:MOST_COLUMNS])
    more = len(columns) - MOST_COLUMNS
    return shown if more <= 0 else f"{shown} and {more} more"
