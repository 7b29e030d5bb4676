"""LongInteger: an integer beyond 64 bits among the categories that a statistic is given."""

from __future__ import annotations

from typing import Any


class LongInteger(int):
    """An integer that messages write as bytes: MessagePack would refuse a plain one of that length."""


def is_long(cell: Any) -> bool:
    """Whether a cell is an integer that does not fit into 64 bits.

    >>> is_long(2**64), is_long(2**64 - 1), is_long(1e300)
    (True, False, False)
    """
    return isinstance(cell, int) and not -(2**63) <= cell < 2**64
