"""How many bytes a table of values takes in memory once it is decoded: messages are limited by it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fedps.statistics.base import Array

MOST_UNFOLDED = 16 * 2**20  # half of what a reply may unfold to
OBJECT, CELL = 72, 16  # bytes of a Python string object; of a reference or a number, and its count
_WIDE = 4  # Python stores text with a character beyond ASCII in up to 4 bytes per character


def unfolded(values: Array) -> Array:
    """Return how many bytes each value and its count take at most.

    >>> unfolded(np.array([1.5, 2.5])).tolist(), unfolded(np.array(["ab"], object)).tolist()
    ([16, 16], [90])
    """
    if values.dtype.kind != "O":
        return np.full(len(values), CELL, dtype=np.int64)
    items = values.tolist()
    if not items or not isinstance(items[0], str | bytes):
        return np.full(len(items), CELL + OBJECT, dtype=np.int64)
    lengths = np.fromiter(map(len, items), np.int64, len(items))
    if isinstance(items[0], bytes):
        return CELL + OBJECT + lengths
    plain = np.fromiter(map(str.isascii, items), np.bool_, len(items))
    for i in np.flatnonzero(~plain).tolist():
        lengths[i] = _WIDE * len(items[i].encode(errors="surrogatepass"))
    return CELL + OBJECT + lengths


def water_level(sizes: Sequence[float], total: float) -> float:
    """Return the size up to which columns stay whole, so that all fit into a total.

    Larger columns get that much each. It does not depend on the order of the columns, and is infinite
    if everything fits.

    >>> water_level([10, 500, 30], 140), water_level([10, 20], 30)
    (100.0, inf)
    """
    left = float(total)
    ordered = sorted(sizes)
    for i, size in enumerate(ordered):
        share = left / (len(ordered) - i)
        if size > share:
            return share
        left -= size
    return float("inf")
