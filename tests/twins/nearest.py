"""Nearest neighbours by brute force and by the documented rule for ties: what ours is tested against.

Neighbours are in the order of (distance, client, row); pooled, that is (distance, row).
"""

from __future__ import annotations

import numpy as np


def distances(cells, query):
    """Return the nan-euclidean distances of a query to rows, from differences; NaN is none."""
    apart = np.asarray(cells, dtype=float) - np.asarray(query, dtype=float)
    common = ~np.isnan(apart)
    count = common.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = np.where(common, apart, 0.0) ** 2
        return np.where(count > 0, np.sqrt(squares.sum(axis=1) / count * apart.shape[1]), np.nan)


def filled(cells, queries, k=5, weights="uniform"):
    """Return the queries with their gaps filled; a column of gaps is left out."""
    cells, queries = np.asarray(cells, dtype=float), np.asarray(queries, dtype=float)
    found = queries.copy()
    for i, j in np.argwhere(np.isnan(queries)):
        donors = np.flatnonzero(~np.isnan(cells[:, j]))
        if not len(donors):
            continue
        far = distances(cells[donors], queries[i])
        known = np.flatnonzero(~np.isnan(far))
        nearest = known[np.argsort(far[known], kind="stable")][:k]
        values = cells[donors[nearest], j]
        found[i, j] = (
            mean(values, far[nearest], weights) if len(nearest) else cells[donors, j].mean()
        )
    return found[:, ~np.isnan(cells).all(axis=0)]


def mean(values, far, weights):
    """Return the weighted mean of some neighbours."""
    if weights == "uniform":
        return values.mean()
    with np.errstate(divide="ignore"):
        weight = np.where((far == 0).any(), far == 0, 1 / far)
    return (values * weight).sum() / weight.sum()
