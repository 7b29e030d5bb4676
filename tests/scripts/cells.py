"""Arrays for hand-made summaries."""

from __future__ import annotations

import numpy as np

NAN, INF = float("nan"), float("inf")


def ints(*cells):
    return np.array(cells, dtype=np.int64)


def floats(*cells):
    return np.array(cells, dtype=np.float64)


def words(*cells):
    return np.array(cells, dtype=object)
