"""Disclosure levels as people see them: a word, what it means, and a colour that says how much."""

from __future__ import annotations

import os
from collections.abc import Iterable
from html import escape
from typing import NamedTuple, TextIO


class Level(NamedTuple):
    """What a level means, the colours of its label in HTML (text, ground), and those of a terminal."""

    means: str
    text: str
    ground: str
    terminal: str


# From pale to dark, so that they differ in print and without seeing hues, too. Each label has a ground of
# its own, so it is as readable in a dark notebook as in a light one: contrasts are 9.1, 8.9 and 7.4 to 1.
LEVELS = {
    "AGGREGATE": Level("sums and counts over all rows", "#0b3a66", "#d5e6f8", "30;46"),
    "SUMMARY": Level(
        "values of single cells, such as the smallest, or all categories",
        "#3a2600",
        "#f5c451",
        "30;43",
    ),
    "ROWS": Level("something about single rows, or whole rows", "#ffffff", "#a3242f", "97;41"),
}
_LABEL = "padding:1px 7px;border-radius:9px;font-size:0.85em;font-weight:600;white-space:nowrap"


def level_label(name: str) -> str:
    """Return a level as a small coloured label in HTML; other texts as they are."""
    level = LEVELS.get(name)
    if level is None:
        return escape(name)
    style = f"{_LABEL};color:{level.text};background:{level.ground}"
    return f'<span style="{style}" title="{escape(level.means)}">{name}</span>'


def level_meanings(names: Iterable[str]) -> dict[str, str]:
    """Return what some levels mean, the least telling first; other names are passed over."""
    some = set(names)
    return {name: level.means for name, level in LEVELS.items() if name in some}


def in_colour(name: str) -> str:
    """Return a level as a terminal shows it in colour; other texts as they are."""
    level = LEVELS.get(name)
    return name if level is None else f"\x1b[{level.terminal}m{name}\x1b[0m"


def has_colours(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal, and its user has not asked for no colours."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream is not None and stream.isatty()
