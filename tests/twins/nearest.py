"""Nearest neighbours by brute force and by the documented rule for ties: what ours is tested against.

Neighbours are in the order of (distance, client, row); pooled, that is (distance, row).
"""

from __future__ import annotations

import numpy as np

from tests.twins import tables

ROWS = 60


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


def numbers(seed=0, rows=ROWS, width=4, share=0.2):
    """Numbers without ties on correlated columns, some of them missing."""
    rng = np.random.default_rng(seed)
    cells = rng.normal(size=(rows, width)) @ rng.normal(size=(width, width)) + 3
    return tables.with_holes(cells, share)


def with_empty_column():
    """Return numbers, and a column of nothing."""
    return tables.with_holes(np.column_stack([numbers(2), np.full(ROWS, np.nan)]), 0)


def close(found, expected, estimator=None):
    """Compare; scikit-learn's distances are rounded sums of products, which weights amplify."""
    found, expected = np.asarray(found), np.asarray(expected)
    weighted = estimator is not None and getattr(estimator, "weights", "uniform") != "uniform"
    rtol = 1e-5 if expected.dtype == np.float32 else 1e-8 if weighted else 1e-12
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)


def rows_of(outputs):
    """Return the rows of all clients as one array."""
    parts = outputs.values() if isinstance(outputs, dict) else outputs
    return np.concatenate([np.asarray(part) for part in parts])
