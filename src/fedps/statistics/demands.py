"""What the server demands of summaries: sizes, counts, columns. Each says which field is wrong."""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array, Summary, demand, demand_array


def demand_sizes(value: Array, field: str, shape: tuple[int | None, ...]) -> None:
    """Check that an array of doubles has a shape, and no number that is negative or not finite."""
    demand_array(value, field, "float64", shape)
    demand(np.isfinite(value).all(), field, "must be finite")
    demand((value >= 0).all(), field, "must not be negative")


def demand_counts(value: Array, field: str, shape: tuple[int | None, ...], rows: int) -> None:
    """Check that an array has counts of cells or rows: integers from 0 to the number of rows."""
    demand_array(value, field, "int64", shape)
    demand(((value >= 0) & (value <= rows)).all(), field, f"is not in 0..{rows}")


def demand_columns(summary: Summary, width: int, *fields: str) -> None:
    """Check that each of the given fields has an item per column."""
    for field in fields:
        have = len(getattr(summary, field))
        demand(have == width, field, f"has {have} columns, not {width}")


def exact_total(counts: Array) -> int:
    """Add up counts that a client sent, in Python's integers: a sum of hostile int64 could wrap.

    >>> exact_total(np.full(4, 2**62))
    18446744073709551616
    """
    return sum(counts.tolist())
