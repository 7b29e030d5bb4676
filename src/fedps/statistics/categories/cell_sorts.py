"""Which cells may be categories, and which of them can be sorted together."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

NUMBERS = "numbers"
# Python's own numbers, of which scikit-learn sorts any beside any other
NUMBER_TYPES = frozenset({bool, int, float, Decimal})
# a datetime is a date as well, but the two have no order: each type is sorted by itself
_ALONE = {
    str: "text",
    bytes: "bytes",
    date: "dates",
    datetime: "points in time",
    time: "times of day",
    timedelta: "lengths of time",
    UUID: "UUIDs",
}
LONGEST_DECIMAL = 1000  # characters
OBJECT_TYPES = frozenset({date, datetime, time, timedelta, Decimal, UUID})


def sort_of(types: Collection[type]) -> str | None:
    """Return what cells of these types are together; None if scikit-learn could not sort them.

    >>> sort_of({int, Decimal}), sort_of({time}), sort_of({date, datetime}), sort_of({tuple})
    ('numbers', 'times of day', None, None)
    """
    if NUMBER_TYPES.issuperset(types):
        return NUMBERS
    return _ALONE.get(next(iter(types))) if len(set(types)) == 1 else None


def is_plain(cell: Any) -> bool:
    """Whether a cell of these types is a finite number or a time without a zone, as far as it is one.

    >>> is_plain(Decimal("1.50")), is_plain(Decimal("nan")), is_plain(time(12))
    (True, False, True)
    """
    if type(cell) is Decimal:
        return cell.is_finite() and len(str(cell)) <= LONGEST_DECIMAL
    # fold= tells apart the two hours that a zone has at the end of its summer time
    return getattr(cell, "tzinfo", None) is None and not getattr(cell, "fold", 0)
