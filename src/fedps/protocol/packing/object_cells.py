"""Cells that MessagePack has no type for, as bytes: long integers, dates, decimals and the like.

A byte says which type it is; what follows is a whole number (days, microseconds, the bits of a UUID) or,
for a decimal, its text. No type is looked up by a name, and no code of a peer is run.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal, DecimalException
from typing import Any
from uuid import UUID

from fedps.protocol.limits import MAX_INTEGER
from fedps.statistics.categories.cell_sorts import LONGEST_DECIMAL, is_plain

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - only times without a zone are sent
_TICK = timedelta(microseconds=1)


def as_bytes(number: int) -> bytes:
    """Return an integer as bytes.

    >>> from_bytes(as_bytes(-(2**70))) == -(2**70)
    True
    """
    return number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True)


def from_bytes(data: bytes | memoryview) -> int:
    """Return an integer that was written; ValueError if it is too long."""
    if len(data) > MAX_INTEGER:
        raise ValueError(f"has an integer of {len(data)} bytes; the cap is {MAX_INTEGER}")
    return int.from_bytes(data, "big", signed=True)


def _time_of(microseconds: int) -> time:
    if not 0 <= microseconds < timedelta(days=1) // _TICK:
        raise ValueError("is not a time of day")
    return (_EPOCH + microseconds * _TICK).time()


def _microseconds(cell: time) -> int:
    return (datetime.combine(_EPOCH, cell) - _EPOCH) // _TICK


def _decimal(data: bytes | memoryview) -> Decimal:
    if len(data) > LONGEST_DECIMAL:
        raise ValueError(f"has a decimal of {len(data)} bytes; the cap is {LONGEST_DECIMAL}")
    return Decimal(bytes(data).decode("ascii"))


_Ways = tuple[type, Callable[[Any], bytes], Callable[[bytes | memoryview], Any]]
_WAYS: tuple[_Ways, ...] = (
    (date, lambda x: as_bytes(x.toordinal()), lambda b: date.fromordinal(from_bytes(b))),
    (datetime, lambda x: as_bytes((x - _EPOCH) // _TICK), lambda b: _EPOCH + from_bytes(b) * _TICK),
    (time, lambda x: as_bytes(_microseconds(x)), lambda b: _time_of(from_bytes(b))),
    (timedelta, lambda x: as_bytes(x // _TICK), lambda b: from_bytes(b) * _TICK),
    (Decimal, lambda x: str(x).encode(), _decimal),
    (UUID, lambda x: as_bytes(x.int), lambda b: UUID(int=from_bytes(b))),
)
_CODES = {kind: code for code, (kind, _, _) in enumerate(_WAYS)}


def object_as_bytes(cell: Any) -> bytes:
    """Return an object as bytes; TypeError if it is of no type that travels.

    >>> object_from_bytes(object_as_bytes(Decimal("1.50")))
    Decimal('1.50')
    """
    code = _CODES.get(type(cell))
    if code is None or not is_plain(cell):
        raise TypeError(f"a {type(cell).__name__} does not travel")
    return bytes([code]) + _WAYS[code][1](cell)


def object_from_bytes(data: bytes | memoryview) -> Any:
    """Return an object that was written; ValueError if the bytes are not one."""
    if not len(data) or data[0] >= len(_WAYS):
        raise ValueError("has an object of an unknown type")
    kind, _, read = _WAYS[data[0]]
    try:
        cell = read(data[1:])
    except (ValueError, OverflowError, DecimalException):
        raise ValueError(f"has a {kind.__name__} that is not one") from None
    if not is_plain(cell):
        raise ValueError(f"has a {kind.__name__} that is not finite")
    return cell
