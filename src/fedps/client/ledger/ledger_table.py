"""The answers in a ledger as a table."""

from __future__ import annotations

from collections.abc import Sequence

from fedps.client.ledger.entry import Entry
from fedps.report.rendering import Names, Section, count, size

_MOST_ANSWERS = 20  # that are shown at first


def answers_table(title: str, entries: Sequence[Entry]) -> Section:
    """Return answers, oldest first: what left, of which columns, at which level, and when."""
    days = {entry.time[:10] for entry in entries}
    on_one_day = len(days) == 1
    header = ("time (UTC)", "round", "what was asked", "columns", "level", "outcome", "bytes")
    rows = [
        (
            entry.time[11:19] if on_one_day else entry.time[:16].replace("T", " "),
            str(entry.round),
            asked_in_words(entry.statistic, entry.question),
            Names(entry.columns),
            entry.level,
            entry.outcome if entry.times == 1 else f"{entry.outcome} {entry.times:,} times",
            size(entry.bytes),
        )
        for entry in entries
    ]
    answers = count(sum(entry.times for entry in entries), "answer")
    numbers = frozenset(["bytes"])
    day = f" on {min(days)}" if on_one_day else ""
    return Section(f"{title}{day}: {answers}", header, rows, numbers, _MOST_ANSWERS, explained=True)


def asked_in_words(statistic: str, question: str) -> str:
    """Return what was asked, in words first, then for which step and by which statistic.

    >>> asked_in_words("Moments", "SimpleImputer 2: count and sum")
    'count and sum (SimpleImputer 2, Moments)'
    >>> asked_in_words("Schema", "names, rows"), asked_in_words("Moments", "")
    ('names, rows (Schema)', 'Moments')
    """
    if not question:
        return statistic
    step, _, words = question.rpartition(": ")
    return f"{words} ({step}, {statistic})" if step else f"{words} ({statistic})"
