"""k-means of rows and of single columns, beside pooled scikit-learn: cases of ``python -m benchmarks.speed``."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import KBinsDiscretizer

from benchmarks.targets import Case, beside_pooled

STEPS = 22  # of k-means: with the means and the last clusters, 24 rounds


def rows_around_nothing() -> tuple[Any, Any]:
    """Return k-means from given centres, and rows without clusters: it would go on for long."""
    X = np.random.default_rng(0).normal(size=(100_000, 10))
    return KMeans(8, init=X[:8], n_init=1, max_iter=STEPS), X


def skewed_columns() -> tuple[Any, Any]:
    """Return bins by k-means, and skewed columns without ties: about a hundred steps."""
    X = np.random.default_rng(0).lognormal(size=(400_000, 10))
    return KBinsDiscretizer(strategy="kmeans", subsample=None), X


def columns() -> tuple[Any, Any]:
    """Return bins by k-means, and normal columns."""
    X = np.random.default_rng(0).normal(size=(400_000, 10))
    return KBinsDiscretizer(strategy="kmeans", subsample=None), X


ROWS, COLUMNS = "100,000 x 10 doubles, 10 clients", "400,000 x 10 doubles, 10 clients"
CASES = [
    Case(ROWS, "KMeans(8), given centres", 2.0, partial(beside_pooled, rows_around_nothing)),
    Case(COLUMNS, "KBinsDiscretizer kmeans, normal", 0.5, partial(beside_pooled, columns)),
    Case(COLUMNS, "KBinsDiscretizer kmeans, skewed", 0.5, partial(beside_pooled, skewed_columns)),
]
