"""Ledgers: what left each client, as its own ledger has it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fedps.client import Ledger
from fedps.report.levels import LEVELS
from fedps.report.rendering import Rendered, Section, count, size

_MOST_CLIENTS = 20  # that are shown at first
_OUTCOMES = ("sent", "refused", "failed")


class Ledgers(Rendered, dict[Any, Ledger]):
    """The clients' ledgers by name. Shown, they are a table with a row for each client."""

    def sections(self) -> list[Section]:
        """Return how many answers each client gave or refused, and the highest level among them."""
        numbers = ("asked", *_OUTCOMES, "bytes")
        rows = [(str(name), _highest(ledger), *_counts(ledger)) for name, ledger in self.items()]
        title = f"Ledgers of {count(len(self), 'client')}: what left each, up to which level"
        header = ("client", "level", *numbers)
        return [
            Section(title, header, rows, frozenset(numbers), most=_MOST_CLIENTS, explained=True)
        ]


def _counts(ledger: Ledger) -> list[str]:
    """Return how many answers there are, how many had each outcome, and the bytes that were sent."""
    times: Counter[str] = Counter()
    sent = 0
    for entry in ledger.entries:
        times[entry.outcome] += entry.times
        sent += entry.bytes * entry.times if entry.outcome == "sent" else 0
    return [str(times.total()), *(str(times[outcome]) for outcome in _OUTCOMES), size(sent)]


def _highest(ledger: Ledger) -> str:
    """Return the highest level of what was sent."""
    sent = {entry.level for entry in ledger.entries if entry.outcome == "sent"}
    return next((level for level in reversed(LEVELS) if level in sent), "-")
