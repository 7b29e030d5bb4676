"""What left each site, and at which level: the end of every page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fedps.looks.page.markup import opened, scrolled, text

MOST_NAMES = 6

LEVELS = {
    "AGGREGATE": "numbers about many rows at once",
    "SUMMARY": "values that occur, such as categories or extremes",
    "ROWS": "single cells or rows",
}


def disclosures(left: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of what left the sites, with the levels explained."""
    if not left:
        return ""
    names = ("round", "statistic", "level", "columns", "what it shows")
    head = "".join(f'<th scope="col" class="name">{name}</th>' for name in names)
    rows = "".join(_row(ask) for ask in left)
    used = {str(ask.get("level", "")) for ask in left}
    legend = "".join(
        f"<li>{level_badge(level)} {words}</li>" for level, words in LEVELS.items() if level in used
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return (
        '<footer id="left"><h2>What left each site</h2>'
        f'{scrolled(table, "What left each site")}<ul class="legend">{legend}</ul></footer>'
    )


def _row(ask: Mapping[str, Any]) -> str:
    cells = (
        text(ask.get("round", "")) if "round" in ask else "–",
        text(ask.get("statistic", "")),
        level_badge(str(ask.get("level", ""))),
        _names(ask.get("columns", ())),
        text(ask.get("shows", ask.get("what it shows", ""))),
    )
    return "<tr>" + "".join(f'<td class="name">{cell}</td>' for cell in cells) + "</tr>"


def level_badge(level: str) -> str:
    """Return a level as its word, with a colour and a number of dots of its own.

    >>> level_badge("SUMMARY")
    '<span class="level summary">SUMMARY</span>'
    """
    kind = level.lower() if level in LEVELS else "other"
    return f'<span class="level {kind}">{text(level)}</span>' if level else "–"


def _names(columns: Any) -> str:
    if isinstance(columns, str):
        return text(columns)
    names = [text(name) for name in columns]
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    first, rest = ", ".join(names[:MOST_NAMES]), ", ".join(names[MOST_NAMES:])
    return f"{first} {opened(f'and {len(names) - MOST_NAMES} more', rest)}"
