"""Compare KBinsDiscretizer(strategy="kmeans") with the pooled fit.

Where two values are exactly as far from a centre, or from two, the order of rows decides what
scikit-learn does. Only where it differs from itself, with the same rows in another order, may ours
differ from it.
"""

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.preprocessing import KBinsDiscretizer

import fedps
from tests.twins.compare import KMEANS, assert_same_fit, assert_same_transform
from tests.twins.partitions import pool, rearrange
from tests.twins.quiet import quiet
from tests.twins.rows.no_tables import without_tables
from tests.twins.twin import RAISED, fit_pooled

PATHS = {"table": nullcontext, "steps": without_tables}
SHUFFLES = 12


def kmeans(n_bins=5, **params):
    return KBinsDiscretizer(n_bins, strategy="kmeans", **{"subsample": None, **params})


def check_kmeans(estimator, clients, path="table"):
    """Compare the fit across clients with the pooled one; where that raises, ours must too."""
    table = pool(clients)
    federation = fedps.Federation(clients)
    pooled = fit_pooled(estimator, table)
    if isinstance(pooled, Exception):
        with quiet(), PATHS[path](), pytest.raises((*RAISED, type(pooled))):
            federation.fit(estimator)
        return None
    with quiet(), PATHS[path]():
        ours = federation.fit(estimator)
    try:
        assert_same_fit(ours, pooled)
        assert_same_transform(ours, pooled, table)
    except AssertionError:
        assert_only_ties_differ(ours, pooled, estimator, table)
    return federation.run


def assert_only_ties_differ(ours, pooled, estimator, table):
    """Assert that each column's edges are scikit-learn's, or that it cannot decide itself."""
    assert estimator.subsample is None, "another draw is no excuse"
    for j, (mine, theirs) in enumerate(zip(ours.bin_edges_, pooled.bin_edges_, strict=True)):
        column = np.asarray(rearrange(table, [j]), dtype=float).reshape(len(table), -1)
        if column.shape[1] > 1:
            column = column[:, [j]]
        if not same_edges(mine, theirs):
            assert mine[0] == theirs[0]
            assert mine[-1] == theirs[-1]
            bins = np.broadcast_to(estimator.n_bins, len(ours.bin_edges_))[j]
            assert is_undecided(column, int(bins), theirs), f"column {j}: {mine}, pooled {theirs}"


def same_edges(mine, theirs):
    if mine.shape != theirs.shape:
        return False
    inner = np.isfinite(theirs)
    size = np.ptp(theirs[inner]) if inner.any() else 0.0
    return bool((np.abs(mine[inner] - theirs[inner]) <= KMEANS * size).all())


def is_undecided(column, bins, expected):
    """Whether scikit-learn finds other edges for the same rows in another order."""
    for seed in range(SHUFFLES):
        shuffled = np.random.default_rng(seed).permutation(column)
        other = fit_pooled(kmeans(bins, encode="ordinal"), shuffled)
        if not same_edges(other.bin_edges_[0], expected):
            return True
    return False
