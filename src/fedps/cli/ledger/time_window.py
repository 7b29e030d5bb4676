"""--since and --until: real dates and times, or an error."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from fedps.errors import UsageError

_EXAMPLE = "such as 2026-11-16, 2026-11-16T09:30 or 2026-11-16T09:30+01:00"
_FIRST, _LAST = "", "~"  # before and after every time that is written in digits


class TimeWindow(NamedTuple):
    """From when to when, as ledgers write times; the end is not included."""

    begin: str = _FIRST
    end: str = _LAST


def read_window(since: str | None, until: str | None) -> TimeWindow:
    """Return the time from ``since`` to ``until``, both included; a day is all of it, in UTC.

    >>> read_window("2026-11-16", "2026-11-16")
    TimeWindow(begin='2026-11-16T00:00:00.000Z', end='2026-11-17T00:00:00.000Z')
    >>> read_window("2026-11-16T09:30+01:00", None).begin
    '2026-11-16T08:30:00.000Z'
    """
    begin = _FIRST if since is None else _written(_read("--since", since, is_end=False))
    end = _LAST if until is None else _written(_read("--until", until, is_end=True))
    if begin >= end:
        raise UsageError(f"--since {since} is after --until {until}: nothing is between them.")
    return TimeWindow(begin, end)


def _read(option: str, text: str, *, is_end: bool) -> datetime:
    try:
        try:
            day = date.fromisoformat(text)
        except ValueError:
            moment = datetime.fromisoformat(text)
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
            return moment.astimezone(UTC) + timedelta(milliseconds=is_end)
        return datetime.combine(day, time(), UTC) + timedelta(days=is_end)
    except (ValueError, OverflowError):
        raise UsageError(f"{option} {text!r} is not a date or time, {_EXAMPLE}.") from None


def _written(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
