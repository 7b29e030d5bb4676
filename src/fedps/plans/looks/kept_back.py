"""What to show of columns of which clients keep something back: never 0, and never nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fedps.looks.without import without
from fedps.protocol.plan import View

NOT_SHOWN = "kept back"


def missing_clients(view: View, statistic: str) -> dict[int, list[str]]:
    """Return the clients that answered a question with nothing, by the position of the column."""
    found: dict[int, list[str]] = {}
    for position, every in view.nothing_shown(statistic, rows=True).items():
        found[position] = list(dict.fromkeys(one.client for one in every))
    return found


def shown_instead(
    fields: Mapping[str, Any], left_out: Iterable[str], clients: int
) -> dict[str, str]:
    """Return what to show of numbers that some clients had no part in, by the name of the field.

    >>> shown_instead({"count": 9, "mean": 2.5}, ["oslo"], 3)
    {'count': '9, without oslo', 'mean': '2.5, without oslo'}
    >>> shown_instead({"count": 0}, ["oslo", "bergen"], 2)
    {'count': 'kept back'}
    >>> shown_instead({"max": "kept back", "min": "> 3"}, ["oslo"], 2)
    {'max': 'kept back', 'min': '> 3, without oslo'}
    """
    gone = list(left_out)
    if not gone:
        return {}
    if len(gone) == clients:
        return dict.fromkeys(fields, NOT_SHOWN)
    return {
        name: NOT_SHOWN if value == NOT_SHOWN else without(_text(value), gone)
        for name, value in fields.items()
    }


def _text(value: Any) -> str:
    if value is None:
        return "not known"
    return (
        f"{value:,.6g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )
