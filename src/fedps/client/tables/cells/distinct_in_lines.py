"""The distinct numbers of many columns at once, each of which is a line of an array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedps.client.tables.cells.distinct_in_arrays import FEW_CELLS
from fedps.statistics.base import DistinctLists
from fedps.statistics.ragged import Ragged

_LOOKED_AT = 64  # cells: a column of many different numbers nearly always shows it by then


def may_be_few(lines: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which columns may be of two numbers, or of whole ones, which are counted faster than sorted."""
    head = lines[:, :_LOOKED_AT]
    if lines.shape[1] <= FEW_CELLS:
        return np.zeros(len(lines), dtype=bool)
    ends = head.min(axis=1, keepdims=True), head.max(axis=1, keepdims=True)
    two = (head == ends[0]) | (head == ends[1])
    whole = (head == np.rint(head)) | np.isnan(head)
    return np.asarray(two.all(axis=1) | whole.all(axis=1))


def of_sorted_lines(lines: NDArray[Any]) -> DistinctLists:
    """Return the distinct numbers of sorted columns with their counts, and how many cells are NaN.

    >>> of_sorted_lines(np.array([[1.0, 1.0, 2.0], [3.0, 4.0, np.nan]])).counts.flat
    array([2, 1, 1, 1])
    """
    rows = lines.shape[1]
    values = lines.astype(np.float64, copy=False)
    values += 0.0  # turns -0.0 into 0.0: which of the two stays must not depend on the order
    gaps = np.zeros(len(lines), dtype=np.int64)
    first = np.empty(values.shape, dtype=bool)
    first[:, :1] = True
    np.not_equal(values[:, 1:], values[:, :-1], out=first[:, 1:])
    if np.isnan(values[:, -1]).any():  # NaN comes last
        gaps = np.count_nonzero(np.isnan(values), axis=1)
        first &= np.arange(rows) < (rows - gaps)[:, None]
    if first.all():
        each = Ragged.cut(values.ravel(), np.full(len(lines), rows))
        return DistinctLists(each, each.of(np.broadcast_to(np.int64(1), values.size)), gaps)
    places = np.flatnonzero(first)
    sizes = np.count_nonzero(first, axis=1)
    ends = np.append(places[1:], 0)
    some = sizes > 0
    ends[sizes.cumsum()[some] - 1] = (np.arange(1, len(lines) + 1) * rows - gaps)[some]
    each = Ragged.cut(values.ravel()[places], sizes)
    return DistinctLists(each, each.of(ends - places), gaps)
