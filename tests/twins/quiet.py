"""Silence for the warnings that scikit-learn and NumPy give on purpose on hostile tables."""

from __future__ import annotations

import warnings
from contextlib import contextmanager

EXPECTED = [
    (UserWarning, "Skipping features without any observed values"),
    (UserWarning, "Found unknown categories"),
    (UserWarning, r"unknown class\(es\)"),
    (UserWarning, "The number of unique classes is greater than 50%"),
    (UserWarning, "The provided functions are not strictly inverse"),
    (UserWarning, "When `set_output` is configured"),
    (UserWarning, "X does not have valid feature names"),
    (UserWarning, "A column-vector y was passed"),
    (UserWarning, r"n_quantiles.* is greater than the"),
    (UserWarning, "'ignore_implicit_zeros' takes effect only"),
    (UserWarning, "Feature [0-9]+ is constant"),
    (UserWarning, "Bins whose width are too small"),
    (UserWarning, "Number of distinct clusters"),
    (UserWarning, "The optimal lambda is"),
    (UserWarning, r"\[IterativeImputer\] Early stopping criterion not reached"),
    # of a constant column, by older scikit-learn
    (UserWarning, r"Objective did not converge.* Duality gap: 0\.000e\+00, tolerance: 0\.000e\+00"),
    (FutureWarning, "The current default behavior, quantile_method='linear'"),
    (FutureWarning, "Currently, when `keep_empty_feature=False`"),
    (RuntimeWarning, "invalid value encountered in"),
    (RuntimeWarning, "divide by zero encountered in"),
    (RuntimeWarning, "overflow encountered in"),
    (RuntimeWarning, "All-NaN (slice|axis) encountered"),
    (RuntimeWarning, "Mean of empty slice"),
]


@contextmanager
def quiet():
    """Ignore the expected warnings and no others."""
    with warnings.catch_warnings():
        for category, message in EXPECTED:
            warnings.filterwarnings("ignore", message=message, category=category)
        yield
