"""KMeans from its centres."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.assembly.recipes.scalers import rows_of
from fedps.learned.models import KMeansNumbers


def assemble_k_means(kmeans: Any, numbers: KMeansNumbers, table: Any) -> Any:
    """Fit on any rows that differ, since centres may be equal, in one step; then put the numbers in.

    There are no ``labels_``: they belong to the clients' rows. ``predict`` gives them there.
    """
    centres = numbers.centres
    apart = np.zeros_like(centres) + np.arange(len(centres), dtype=centres.dtype)[:, None]
    rows = rows_of(table, apart)
    asked = {name: getattr(kmeans, name) for name in ("init", "n_init", "max_iter")}
    kmeans.set_params(init=apart, n_init=1, max_iter=1).fit(rows)
    kmeans.set_params(**asked)
    kmeans.cluster_centers_ = centres
    kmeans.inertia_ = float(numbers.inertia)
    kmeans.n_iter_ = int(numbers.steps)
    kmeans._tol = numbers.tolerance
    kmeans._n_init = numbers.runs
    del kmeans.labels_
    return rows
