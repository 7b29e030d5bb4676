"""A few cells of an array, looked at one by one: for so few, that is faster than NumPy."""

from __future__ import annotations

from math import copysign, isfinite
from struct import Struct
from typing import Any

import numpy as np

EXACT_WHOLE = np.float64(2**53)  # typed: float16 must be widened to be compared
_LARGEST_NARROW = 3e38  # below the largest 32-bit float
_SINGLE = Struct("<f")


def _narrow(item: float) -> float:
    """Return the nearest 32-bit float."""
    found: float = _SINGLE.unpack(_SINGLE.pack(item))[0]
    return found


def _is_whole(item: float) -> bool:
    """Whether a number is whole, and can be written as an integer: -0.0 cannot."""
    return item.is_integer() and bool(item or copysign(1, item) > 0)


def few_whole(items: list[Any]) -> list[int] | None:
    """Return a few cells as integers, or None where some are not whole or very large."""
    if isinstance(items[0], float) and not all(map(_is_whole, items)):
        return None
    return [int(x) for x in items] if max(map(abs, items)) < EXACT_WHOLE else None


def none_shorter(items: list[float]) -> bool:
    """Whether a few doubles are shortest as they are: none is whole, and one has more than 32 bits."""
    if any(map(_is_whole, items)):
        return False
    return any(isfinite(x) and abs(x) < _LARGEST_NARROW and _narrow(x) != x for x in items)
