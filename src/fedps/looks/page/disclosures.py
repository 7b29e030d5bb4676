"""What left each site, and at which level: the end of every page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fedps.looks.page.markup import opened, scrolled, text

NAMES_AT_ONCE = 6

LEVEL_WORDS = {
    "AGGREGATE": "sums and counts over all rows",
    "SUMMARY": "values of single cells, such as the smallest, or all categories",
    "ROWS": "something about single rows, or whole rows",
}


def disclosures(left: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of what left the sites, with the levels explained."""
    if not left:
        return ""
    names = ("round", "statistic", "level", "columns", "what it shows")
    head = "".join(f'<th scope="col" class="name">{name}</th>' for name in names)
    rows = "".join(_row(ask, times) for ask, times in _once_each(left))
    used = {str(ask.get("level", "")) for ask in left}
    legend = "".join(
        f"<li>{level_badge(level)} {words}</li>"
        for level, words in LEVEL_WORDS.items()
        if level in used
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return (
        '<footer id="left"><h2>What left each site</h2>'
        f'{scrolled(table, "What left each site")}<ul class="legend">{legend}</ul></footer>'
    )


def _once_each(left: Sequence[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], int]]:
    """Return each answer once, with how often it was given: groups of rows are asked the same."""
    asks = [(repr(sorted(ask.items())), ask) for ask in left]
    times = Counter(key for key, _ in asks)
    return [(ask, times[key]) for key, ask in dict(asks).items()]


def _row(ask: Mapping[str, Any], times: int) -> str:
    shows = text(ask.get("shows", ask.get("what it shows", "")))
    cells = (
        text(ask.get("round", "")) if "round" in ask else "–",
        text(ask.get("statistic", "")),
        level_badge(str(ask.get("level", ""))),
        _names(ask.get("columns", ())),
        shows if times == 1 else f"{shows}; {times} times, of different rows",
    )
    return "<tr>" + "".join(f'<td class="name">{cell}</td>' for cell in cells) + "</tr>"


def level_badge(level: str) -> str:
    """Return a level as its word, with a colour and a number of dots of its own.

    >>> level_badge("SUMMARY")
    '<span class="level summary">SUMMARY</span>'
    """
    kind = level.lower() if level in LEVEL_WORDS else "other"
    return f'<span class="level {kind}">{text(level)}</span>' if level else "–"


def _names(columns: Any) -> str:
    if isinstance(columns, str):
        return text(columns)
    names = [text(name) for name in columns]
    if len(names) <= NAMES_AT_ONCE:
        return ", ".join(names)
    first, rest = ", ".join(names[:NAMES_AT_ONCE]), ", ".join(names[NAMES_AT_ONCE:])
    return f"{first} {opened(f'and {len(names) - NAMES_AT_ONCE} more', rest)}"
