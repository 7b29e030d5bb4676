"""A description in a terminal: a table for each kind of column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fedps.looks.column_facts import ColumnFacts, Kind
from fedps.looks.formats import DAY, date_text, number_text, span_text, value_text
from fedps.looks.groups import Group
from fedps.looks.named_facts import NamedFact, named_facts
from fedps.report.rendering import Section

MOST_ROWS = 60  # as many as pandas shows before it leaves some out

_TITLES: dict[Kind, str] = {"numbers": "Numbers", "categories": "Categories", "dates": "Dates"}


def kind_sections(columns: Sequence[ColumnFacts], labels: Sequence[str]) -> list[Section]:
    """Return a table for each kind of column that there is."""
    sections = []
    for kind, title in _TITLES.items():
        these = [facts for facts in columns if facts.kind == kind]
        if these:
            sections.append(_section(title, these, labels))
    return sections


def _section(title: str, columns: Sequence[ColumnFacts], labels: Sequence[str]) -> Section:
    names = [name for name in named_facts(columns[0], labels) if name != "skewness"]
    rows = [_row(facts, labels, names) for facts in columns[:MOST_ROWS]]
    if len(rows) < len(columns):
        title += f", the first {len(rows)} of {len(columns)}: to_pandas() has all"
    return Section(title, ("column", *names), rows, frozenset(names) - {"top"})


def _row(facts: ColumnFacts, labels: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    named = named_facts(facts, labels)
    return (str(facts.name), *(fact_text(named[name], facts) for name in names))


def fact_text(fact: NamedFact, facts: ColumnFacts) -> str:
    """Return one number of a column as text; the mark of one that is kept back.

    >>> fact_text(NamedFact("freq", None, "< 5"), ColumnFacts("sex", "categories", "str", 9, 0))
    '< 5'
    """
    if fact.mark:
        return fact.mark
    if fact.name == "top":
        return value_text(fact.value)
    if facts.kind == "dates" and fact.name not in ("count", "missing", "unique"):
        if fact.name == "std":
            return span_text(fact.value)
        return date_text(fact.value, facts.zone, time=needs_time(facts))
    return number_text(fact.value)


def needs_time(facts: ColumnFacts) -> bool:
    """Return whether dates are so close that their time of day matters."""
    ends = facts.minimum, facts.maximum
    return ends[0] is not None and ends[1] is not None and ends[1] - ends[0] < 3 * DAY


def group_section(by: Any, groups: Sequence[Group]) -> Section:
    """Return the sizes of the groups."""
    rows = [(value_text(group.value), group.mark or number_text(group.rows)) for group in groups]
    return Section(f"Groups of {by}", (str(by), "rows"), rows, frozenset({"rows"}))


def note_section(notes: Sequence[str]) -> list[Section]:
    """Return sentences as a table, or nothing if there are none."""
    return [Section("To note", ("note",), [(note,) for note in notes])] if notes else []
