"""What scikit-learn and SciPy warn of where they see all rows, which no client does."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import type_of_target

from fedps.statistics.base import Array


def warn_not_reached() -> None:
    """Say that the last sweep of an IterativeImputer still changed much."""
    text = "[IterativeImputer] Early stopping criterion not reached."
    warnings.warn(text, ConvergenceWarning, stacklevel=2)


def warn_of_few(counts: Array) -> None:
    """Say that some clusters are empty, if they are; ``counts`` are the cells of each."""
    found = int(np.count_nonzero(counts))
    if 0 < found < counts.size:
        warnings.warn(
            f"Number of distinct clusters ({found}) found smaller than n_clusters ({counts.size}). "
            "Possibly due to duplicate points in X.",
            ConvergenceWarning,
            stacklevel=2,
        )


def warn_of_overflow(best: float, dtype: Any) -> None:
    """Say that a lambda of Box-Cox is not the best, since that would be too much for floats."""
    warnings.warn(
        f"The optimal lambda is {best}, but the returned lambda is the constrained optimum to ensure "
        "that the maximum or the minimum of the transformed data does not overflow in "
        f"{np.dtype(dtype)}.",
        UserWarning,
        stacklevel=2,
    )


def warn_of_many(classes: int, rows: int) -> None:
    """Have scikit-learn say that a target has nearly as many classes as rows, if it would."""
    if rows < 3 * classes:
        type_of_target(np.arange(rows) % max(classes, 1))
