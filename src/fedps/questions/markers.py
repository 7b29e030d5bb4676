"""Markers of missing values, as they are asked about."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.errors import NotFederated, UsageError

NAN_MARKER = float("nan")


def is_na(value: Any) -> bool:
    """Whether a marker is pandas' NA, for which None and NaN are missing, too."""
    return type(value).__name__ == "NAType"


def marks_nan(value: Any) -> bool:
    """Whether a marker of missing values is NaN or pandas' NA.

    >>> marks_nan(float("nan")), marks_nan(None), marks_nan("?")
    (True, False, False)
    """
    return is_na(value) or (isinstance(value, float) and value != value)  # noqa: PLR0124 - only NaN does


def marker_of(imputer: Any) -> Any:
    """Return the marker of an imputer as it is asked about: pandas' NA is NaN there."""
    marker = imputer.missing_values
    if marks_nan(marker):
        return NAN_MARKER
    return marker.item() if isinstance(marker, np.generic) else marker


def number_marker_of(imputer: Any) -> float:
    """Return the marker of missing cells as a number."""
    return NAN_MARKER if marks_nan(imputer.missing_values) else float(imputer.missing_values)


def other_than_nan(marker: Any) -> float | None:
    """Return a marker that is a number, or None: NaN and what is not a number needs no marker."""
    if marks_nan(marker) or not isinstance(marker, int | float | np.number):
        return None
    return float(marker)


def knn_marker_of(imputer: Any) -> float:
    """Return the marker of missing values as a number, as it travels."""
    if callable(getattr(imputer, "metric", None)):
        raise NotFederated(
            "KNNImputer(metric=...) with a function would run it at the clients, which run no function "
            "of a server. Use metric='nan_euclidean'."
        )
    marker = imputer.missing_values
    if is_na(marker) or not isinstance(marker, int | float | np.number):
        raise UsageError(
            f"KNNImputer(missing_values={marker!r}) is not a number. Use np.nan, or a number."
        )
    return float(marker)
