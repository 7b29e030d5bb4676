"""Lists of numbers of different lengths as one array: a header for each would cost more bytes."""

from __future__ import annotations

import numpy as np

from fedps.protocol.arrays import Budget, pack, unpack
from fedps.protocol.limits import MAX_WIDTH
from fedps.protocol.varints import read_few, write_few
from fedps.statistics.base import Array, Ragged


def pack_ragged(lists: Ragged) -> bytes:
    """Return the lengths of the lists, and then all their numbers.

    >>> len(pack_ragged(Ragged([np.arange(3), np.arange(2)])))
    16
    """
    sizes = pack(np.array([part.size for part in lists], dtype=np.int64))
    numbers = np.concatenate([np.asarray(part) for part in lists]) if len(lists) else np.empty(0)
    return write_few([len(sizes)]) + sizes + pack(numbers)


def unpack_ragged(data: bytes | memoryview, budget: Budget) -> Ragged:
    """Return the lists that were packed; ValueError if the bytes are not such lists."""
    (length,), start = read_few(data, 0, 1)
    if length > len(data) - start:
        raise ValueError("is cut short")
    view = memoryview(data)[start:]
    sizes, numbers = unpack(view[:length], budget), unpack(view[length:], budget)
    if sizes.ndim != 1 or sizes.dtype != np.int64 or len(sizes) > MAX_WIDTH:
        raise ValueError("has bad lengths of lists")
    if (sizes < 0).any() or (sizes > numbers.size).any() or numbers.ndim != 1:
        raise ValueError("has bad lengths of lists")
    ends: Array = sizes.cumsum()
    if (ends[-1] if len(ends) else 0) != numbers.size:
        raise ValueError("has lists of another length than announced")
    budget.spend(16 * len(sizes))
    return Ragged(np.split(numbers, ends[:-1]) if len(ends) else ())
