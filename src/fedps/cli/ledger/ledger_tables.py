"""The tables of ``fedps ledger show``: by peer, by question, and by column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from fedps.cli.ledger.answer_totals import AnswerGroup, AnswerTotals, GroupSum
from fedps.cli.ledger.remaining_budget import ColumnLimits
from fedps.client.ledger.ledger_table import asked_in_words
from fedps.report.rendering import Names, Section, count, size

_MOST_ROWS = 100
_Groups = Sequence[tuple[AnswerGroup, GroupSum]]


def by_peer(totals: AnswerTotals, name: str) -> Section:
    """Return who asked, when, and what became of it."""
    groups = list(totals.groups.items())
    outcomes = _outcomes(groups)
    own = defaultdict(list)
    for group, each in groups:
        own[group.peer].append((group, each))
    rows = [
        (
            peer,
            min(each.first for _, each in some)[:10],
            max(each.last for _, each in some)[:10],
            *_counts(some, outcomes),
        )
        for peer, some in own.items()
    ]
    answers = sum(each.times for _, each in groups)
    title = f"{name}: {count(answers, 'answer')}, days in UTC"
    return _section(title, ("peer", "first", "last"), (*outcomes, "bytes"), rows)


def by_question(totals: AnswerTotals) -> Section:
    """Return what was asked about which columns, and what became of it."""
    groups = list(totals.groups.items())
    outcomes = _outcomes(groups)
    own = defaultdict(list)
    for group, each in groups:
        asked = asked_in_words(group.statistic, group.question)
        own[asked, group.level].append((group, each))
    rows = []
    for (asked, level), some in sorted(own.items()):
        names = list(dict.fromkeys(column for group, _ in some for column in group.columns))
        rows.append((asked, Names(names) or "-", level, *_counts(some, outcomes)))
    header = ("what it showed", "columns", "level")
    return _section("What was asked", header, (*outcomes, "bytes"), rows)


def by_column(totals: AnswerTotals, limits: ColumnLimits | None) -> Section:
    """Return what was told about each column, and how much more may be told, if that is known."""
    title = "What was told about each column since the ledger began"
    numbers = ["single values", "numbers"]
    if limits is not None:
        numbers += ["values left", "numbers left"]
        title += f", of {count(limits.rows, 'row')}"
    rows = []
    for column, spent in sorted(totals.spent.items(), key=lambda both: (-sum(both[1]), both[0])):
        left = () if limits is None else limits.left(spent)
        rows.append((column, f"{spent.values:,}", f"{spent.numbers:,}", *left))
    return _section(title, ("column",), tuple(numbers), rows)


def _outcomes(groups: _Groups) -> tuple[str, ...]:
    has_kept = any(group.outcome == "kept" for group, _ in groups)
    return ("sent", "refused", "failed", *(("kept",) if has_kept else ()))


def _counts(groups: _Groups, outcomes: Sequence[str]) -> list[str]:
    """Return how many answers had each outcome, and the bytes that were sent."""
    times = dict.fromkeys(outcomes, 0)
    sent = 0
    for group, each in groups:
        times[group.outcome] = times.get(group.outcome, 0) + each.times
        sent += each.bytes if group.outcome == "sent" else 0
    return [*(str(times[outcome]) for outcome in outcomes), size(sent)]


def _section(
    title: str, texts: Sequence[str], numbers: Sequence[str], rows: Sequence[Sequence[str]]
) -> Section:
    """Return a table that shows a hundred rows at first."""
    return Section(title, (*texts, *numbers), rows, frozenset(numbers), most=_MOST_ROWS)
