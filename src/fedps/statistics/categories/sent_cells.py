"""Cells among the categories that a statistic is given, which MessagePack has no type for."""

from __future__ import annotations

from typing import Any

from fedps.statistics.categories.cell_sorts import OBJECT_TYPES


class LongInteger(int):
    """An integer that messages write as bytes: MessagePack would refuse a plain one of that length."""


class SentObject:
    """A date, a decimal or another object that messages write as bytes, and not as the text that it shows.

    It equals the object, and has its hash, so that a dictionary finds one by the other.
    """

    __slots__ = ("cell",)

    def __init__(self, cell: Any) -> None:
        self.cell = cell

    def __eq__(self, other: object) -> bool:
        return bool(self.cell == (other.cell if isinstance(other, SentObject) else other))

    def __hash__(self) -> int:
        return hash(self.cell)


def is_long(cell: Any) -> bool:
    """Whether a cell is an integer that does not fit into 64 bits.

    >>> is_long(2**64), is_long(2**64 - 1), is_long(1e300)
    (True, False, False)
    """
    return isinstance(cell, int) and not -(2**63) <= cell < 2**64


def as_sent(cell: Any) -> Any:
    """Return a cell as one that travels inside of a statistic.

    >>> as_sent(7), type(as_sent(2**64)).__name__
    (7, 'LongInteger')
    """
    if type(cell) in OBJECT_TYPES:
        return SentObject(cell)
    return LongInteger(cell) if is_long(cell) else cell


def as_found(cell: Any) -> Any:
    """Return a cell as a table has it."""
    return cell.cell if isinstance(cell, SentObject) else cell
