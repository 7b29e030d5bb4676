"""Numbers, shares and dates as people read them, in a terminal and on a page."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

NOT_DEFINED = "–"
DAY = 86_400.0


def number_text(value: float | None) -> str:
    """Return a number with four digits that say something, thousands apart.

    >>> [number_text(v) for v in (48842, 38.58165, -0.0123456, 189664.13, 1e-7, float("nan"))]
    ['48,842', '38.58', '-0.01235', '189,664', '1.000e-07', '–']
    """
    if value is None or math.isnan(value):
        return NOT_DEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value)
    if size >= 1e15 or 0 < size < 1e-4:
        return f"{value:.3e}"
    if value == int(value):
        return f"{int(value):,}"
    if size >= 1:
        return f"{value:,.{max(0, 3 - math.floor(math.log10(size)))}f}"
    return f"{value:.4g}"


def correlation_text(value: float) -> str:
    """Return a correlation with two decimals, so that many of them stand under one another.

    >>> correlation_text(0.5), correlation_text(-0.001), correlation_text(float("nan"))
    ('0.50', '0.00', '–')
    """
    return NOT_DEFINED if math.isnan(value) else f"{round(value, 2) + 0.0:.2f}"


def share_text(part: float, whole: float) -> str:
    """Return a part as percents; what is not all, and what is not none, never looks so.

    >>> share_text(1, 3), share_text(1, 10_000), share_text(9_999, 10_000), share_text(0, 5)
    ('33.3%', '< 0.1%', '> 99.9%', '0%')
    """
    if not whole:
        return NOT_DEFINED
    if part in (0, whole):
        return "0%" if part == 0 else "100%"
    percents = 100 * part / whole
    if percents < 0.05:
        return "< 0.1%"
    return "> 99.9%" if percents >= 99.95 else f"{percents:.1f}%"


def date_text(seconds: float | None, zone: str | None = None, *, time: bool = False) -> str:
    """Return seconds since 1970 as a date, with the time of day if that is asked for.

    >>> date_text(1_600_000_000.0), date_text(1_600_000_000.0, "Europe/Oslo", time=True)
    ('2020-09-13', '2020-09-13 14:26')
    """
    if seconds is None or math.isnan(seconds):
        return NOT_DEFINED
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
        local = moment.astimezone(ZoneInfo(zone)) if zone else moment
    except (OverflowError, ValueError, KeyError, OSError):
        return number_text(seconds)
    return f"{local:%Y-%m-%d %H:%M}" if time else f"{local:%Y-%m-%d}"


def span_text(seconds: float | None) -> str:
    """Return a span of time in its largest unit.

    >>> span_text(90.0), span_text(3 * 86_400.0)
    ('1.500 min', '3 days')
    """
    if seconds is None or math.isnan(seconds):
        return NOT_DEFINED
    for unit, size in (("days", DAY), ("h", 3600.0), ("min", 60.0)):
        if abs(seconds) >= size:
            return f"{number_text(seconds / size)} {unit}"
    return f"{number_text(seconds)} s"


def value_text(value: Any) -> str:
    """Return a category as text: a date without its empty time of day, an empty text in quotes.

    >>> value_text("Private"), value_text(""), value_text(2.0)
    ('Private', "''", '2')
    """
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, str):
        return value if value.strip() else repr(value)
    return str(value)
