"""Doubles as integers in the same order, for cutting the number line.

Halving these keys ends after 64 bits, whatever the range of the values, and no float has to be halved.
"""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array

SIGN = np.uint64(1 << 63)


def keys_of(values: Array) -> Array:
    """Return doubles as integers in the same order: the key of the next double is one more.

    -0.0 has the key of 0.0.

    >>> np.diff(keys_of(np.array([-5e-324, -0.0, 5e-324]))).tolist()
    [1, 1]
    """
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)
    # the bits of a negative double rise as it falls: they are mirrored, below those of 0.0
    return np.where(bits >= SIGN, ~bits + np.uint64(1), bits | SIGN)


def values_of(keys: Array) -> Array:
    """Return the doubles of some keys: the inverse of :func:`keys_of`."""
    keys = np.asarray(keys, dtype=np.uint64)
    return np.where(keys >= SIGN, keys ^ SIGN, ~(keys - np.uint64(1))).view(np.float64)


# of minus infinity, which no cell is, and of the largest double
LEAST_KEY, LARGEST_KEY = keys_of(np.array([-np.inf, np.finfo(np.float64).max])).tolist()
