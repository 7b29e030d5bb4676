"""Checks of summaries that a client sent, and of cells that a statistic cannot use.

A summary is checked field by field at the server (``demand_*``, ValueError with the name of the field);
cells are refused at the client (``refuse_columns``, BadCells with the column).
"""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array, BadCells, Summary

# Squares of larger numbers, added up over many rows, could exceed the largest double (1.8e308): they
# are refused at the client, where the column can be named.
LARGEST_TO_SQUARE = 1e150


def refuse_columns(bad: Array, rule: str) -> None:
    """Raise BadCells that names the first column with a bad cell, if there is one.

    ``bad`` has an item per column, or rows of such items.
    """
    columns = np.flatnonzero(bad if bad.ndim == 1 else bad.any(axis=0))
    if columns.size:
        raise BadCells(rule, int(columns[0]))


def demand(holds: bool | np.bool_, field: str, rule: str) -> None:
    """Raise ValueError that names a field unless a rule about it holds."""
    if not holds:
        raise ValueError(f"{field} {rule}")


def demand_array(
    value: Array, field: str, dtype: str | None, shape: tuple[int | None, ...]
) -> None:
    """Check the dtype and the shape of an array; None is any dtype, or any length."""
    if dtype is not None and value.dtype != dtype:
        raise ValueError(f"{field} has dtype {value.dtype}, not {dtype}")
    fits = value.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, value.shape, strict=True)
    )
    if not fits:
        wanted = str(shape).replace("None", "any")
        raise ValueError(f"{field} has shape {value.shape}, not {wanted}")


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
