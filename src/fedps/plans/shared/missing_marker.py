"""Markers of missing values, as ``missing_values`` of an imputer names them."""

from __future__ import annotations

from typing import Any

NAN_MARKER = float("nan")


def marks_nan(value: Any) -> bool:
    """Whether a marker of missing values is NaN or pandas' NA.

    >>> marks_nan(float("nan")), marks_nan(None), marks_nan("?")
    (True, False, False)
    """
    if type(value).__name__ == "NAType":
        return True
    return isinstance(value, float) and value != value  # noqa: PLR0124 - only NaN differs from itself
