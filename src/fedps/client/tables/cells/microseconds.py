"""Dates as numbers: microseconds since 1970, in UTC where they have a time zone."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.client.tables.cells.native_table import column_at, shape
from fedps.statistics import BadCells
from fedps.statistics.base import Array


def microseconds(rows: Any) -> Array:
    """Return a table of dates as float64, NaN where a date is missing. Exact for years 1685 to 2255.

    >>> microseconds(np.array([["1970-01-02", "NaT"]], dtype="datetime64[s]"))
    array([[8.64e+10,      nan]])
    """
    height, width = shape(rows)
    found = np.empty((height, width))
    for j in range(width):
        try:
            found[:, j] = _as_floats(column_at(rows, j))
        except (AttributeError, TypeError, ValueError):
            raise BadCells("not numbers", j) from None
    return found


def _as_floats(column: Any) -> Array:
    if hasattr(column, "to_frame") and not hasattr(column, "iloc"):  # polars
        return np.asarray(column.dt.timestamp("us").cast(float).fill_null(np.nan).to_numpy())
    if not isinstance(column, np.ndarray):
        zone = getattr(column.dtype, "tz", None)
        plain = column.dt.tz_convert("UTC").dt.tz_localize(None) if zone is not None else column
        column = plain.to_numpy(dtype="datetime64[us]")
    whole = column.astype("datetime64[us]").astype(np.int64).astype(np.float64)
    return np.where(np.isnat(column), np.nan, whole)
