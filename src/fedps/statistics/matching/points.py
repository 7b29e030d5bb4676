"""Blinded keys as they travel: points of Curve25519, 32 bytes each."""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array

SIZE = 32  # bytes of a point
MARK_SIZE = 16  # bytes that stand for an owner in a match
# of one owner in one message: 4 MB, which take some four seconds to blind
MOST_POINTS = 1 << 17

NO_POINTS = np.zeros((0, SIZE), dtype=np.uint8)


def what_is_wrong(points: Array) -> str | None:
    """Return why these are not different points; None if they are.

    Two numbers can stand for one point: only the smaller is taken. Points of small order are left to
    the library that multiplies them.

    >>> what_is_wrong(np.arange(64, dtype=np.uint8).reshape(2, 32)) is None
    True
    >>> what_is_wrong(np.full((2, 32), 7, dtype=np.uint8))
    'are not all different'
    """
    if points.dtype != np.uint8 or points.ndim != 2 or points.shape[1] != SIZE:
        return f"are not points of {SIZE} bytes"
    if len(points) > MOST_POINTS:
        return f"are more than {MOST_POINTS} points"
    last, middle, first = points[:, -1], points[:, 1:-1], points[:, 0]
    beyond = (last == 0x7F) & (middle == 0xFF).all(axis=1) & (first >= 0xED)
    if (beyond | (last > 0x7F)).any():
        return "are not written as points are"
    return None if all_different(points) else "are not all different"


def all_different(points: Array) -> bool:
    """Return whether no point comes twice."""
    whole = np.ascontiguousarray(points).view(np.dtype((np.void, SIZE))).ravel()
    return len(np.unique(whole)) == len(points)
