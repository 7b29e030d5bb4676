"""Distances by scipy's metrics, measured at the client."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from fedps.statistics.base import Array


def distances(queries: Array, cells: Array, metric: str, p: float, weights: Array) -> Array:
    """Return the distance of each query to each row of ``cells``.

    >>> distances(np.zeros((1, 2)), np.array([[3.0, 4.0]]), "cityblock", 2.0, np.empty(0))
    array([[7.]])
    """
    options: dict[str, Any] = {}
    if metric == "minkowski":
        options = {"p": p, "w": weights} if weights.size else {"p": p}
    with np.errstate(over="ignore", invalid="ignore"):  # the statistic refuses what is not finite
        return np.asarray(cdist(queries, cells, metric, **options))
