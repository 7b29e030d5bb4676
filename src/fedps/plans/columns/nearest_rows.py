"""The nearest rows, from distances that several clients' columns add up to."""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array


def k_nearest_rows(distances: Array, k: int) -> Array:
    """Return the positions of the k smallest numbers of each line; the first of equals come first.

    >>> k_nearest_rows(np.array([[3.0, 1.0, 2.0, 1.0], [5.0, 5.0, 5.0, 5.0]]), 2)
    array([[1, 3],
           [0, 1]])
    """
    lines, width = distances.shape
    if k < width:
        found = np.argpartition(distances, k - 1, axis=1)[:, :k]
        last = np.take_along_axis(distances, found[:, k - 1 : k], axis=1)
        # partitioning takes any of equals: where there are more than fit, take the first ones
        tied = np.flatnonzero(np.count_nonzero(distances <= last, axis=1) > k)
        if tied.size:
            found[tied] = _first_of_equals(distances[tied], last[tied], k)
        found.sort(axis=1)
    else:
        found = np.broadcast_to(np.arange(width), (lines, width)).copy()
    order = np.argsort(np.take_along_axis(distances, found, axis=1), axis=1, kind="stable")
    return np.asarray(np.take_along_axis(found, order, axis=1))


def _first_of_equals(distances: Array, last: Array, k: int) -> Array:
    """Return the positions of all numbers below the last one, and of as many equal ones as fit."""
    below, equal = distances < last, distances == last
    room = k - np.count_nonzero(below, axis=1, keepdims=True)
    chosen = below | (equal & (np.cumsum(equal, axis=1) <= room))
    return np.nonzero(chosen)[1].reshape(len(distances), k)
