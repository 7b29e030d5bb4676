"""Hostile ways to spread one table over clients, and the table that the clients pool to.

Each partition is a function from a pooled table to a list of clients' tables. Some change cells
on the way (a column goes missing at one client), so the pooled fit is always that of ``pool``.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

# Any kind of table ----------------------------------------------------------------------------


def height(table):
    return len(table) if isinstance(table, list) else table.shape[0]


def take(table, rows):
    """Return the given rows of a table of any kind (a list is a table of one column)."""
    rows = np.asarray(rows, dtype=int)
    if isinstance(table, list):
        return [table[i] for i in rows]
    if isinstance(table, pd.DataFrame | pd.Series):
        return table.iloc[rows]
    return table[rows]


def column(table, j):
    """Return a column as strings, good for sorting and grouping whatever its kind."""
    if isinstance(table, list):
        values = [sorted(row, key=str) if isinstance(row, set) else row for row in table]
    elif isinstance(table, pd.DataFrame):
        values = table.iloc[:, j]
    elif isinstance(table, pd.Series):
        values = table
    elif isinstance(table, pl.DataFrame):
        values = table[:, j].to_list()
    else:
        values = (
            table.toarray()[:, j] if sp.issparse(table) else table.reshape(len(table), -1)[:, j]
        )
    return np.array([str(v) for v in values])


def rearrange(table, order):
    if isinstance(table, pd.DataFrame):
        return table.iloc[:, order]
    return table[:, order] if isinstance(table, pl.DataFrame) else table


def pool(parts):
    """Return the rows of all clients, in their order, with the first client's columns."""
    first = parts[0]
    rows = [part for part in parts if height(part)] or [first]
    if isinstance(first, list):
        return [row for part in rows for row in part]
    if isinstance(first, pd.DataFrame):
        pooled = [part[first.columns] for part in rows]
        return pooled[0] if len(pooled) == 1 else pd.concat(pooled, ignore_index=True)
    if isinstance(first, pd.Series):
        return pd.concat(rows, ignore_index=True)
    if isinstance(first, pl.DataFrame):
        return pl.concat([part.select(first.columns) for part in rows], how="vertical_relaxed")
    if sp.issparse(first):
        return sp.vstack(rows, format=first.format)
    return np.concatenate(rows)


def _cuts(table, cuts):
    edges = [0, *cuts, height(table)]
    return [take(table, np.arange(a, b)) for a, b in pairwise(edges)]


# Partitions -----------------------------------------------------------------------------------


def thirds(table):
    n = height(table)
    return _cuts(table, [n // 3, 2 * n // 3])


def alone(table):
    return [table]


def empty_first(table):
    return [take(table, []), *_cuts(table, [height(table) // 2])]


def empty_last(table):
    return [*_cuts(table, [height(table) // 4]), take(table, [])]


def single_rows(table):
    return _cuts(table, [1, 2, 3, 4, height(table) - 1])


def sorted_rows(table):
    """Cut after sorting by the first column: no two clients have the same range."""
    return thirds(take(table, np.argsort(column(table, 0), kind="stable")))


def ten_unequal(table):
    n = height(table)
    return _cuts(table, [n * k * (k + 1) // 110 for k in range(1, 10)])


def interleaved(table):
    n = height(table)
    return [take(table, np.arange(k, n, 4)) for k in range(4)]


def category_at_one(table):
    """All rows that hold the rarest value of the first column are at the last client."""
    values = column(table, 0)
    names, counts = np.unique(values, return_counts=True)
    rare = np.flatnonzero(values == names[counts.argmin()])
    rest = np.setdiff1d(np.arange(height(table)), rare)
    return [take(table, part) for part in [*np.array_split(rest, 2), rare]]


def shuffled_columns(table):
    """Every client has its columns in another order; the first has the table's."""
    parts = interleaved(table)
    width = table.shape[1]
    orders = [np.arange(width), np.arange(width)[::-1], np.roll(np.arange(width), 1)]
    return [rearrange(part, orders[k % 3].tolist()) for k, part in enumerate(parts)]


def missing_at_one(table):
    """The first column has no observed value at the middle client."""
    parts = thirds(table)
    parts[1] = _blank(parts[1])
    return parts


def missing_at_all_but_one(table):
    """Only the last client has observed values in the first column."""
    parts = thirds(table)
    return [_blank(parts[0]), _blank(parts[1]), parts[2]]


def _blank(part):
    if isinstance(part, pd.DataFrame):
        part = part.copy()
        name, kind = part.columns[0], part.dtypes.iloc[0]
        numbers = not pd.api.types.is_object_dtype(kind)
        hole = np.nan if numbers or part[name].map(type).eq(float).any() else None
        if isinstance(kind, np.dtype) and kind.kind in "iu":
            kind = np.dtype(float)
        part[name] = pd.Series([hole] * len(part), index=part.index, dtype=kind)
        return part
    if isinstance(part, pl.DataFrame):
        name = part.columns[0]
        return part.with_columns(pl.lit(None, dtype=part.schema[name]).alias(name))
    if sp.issparse(part):
        dense = part.toarray()
        dense[:, 0] = np.nan
        return type(part)(dense)
    part = part.copy()
    part[:, 0] = None if part.dtype == object else np.nan
    return part


HOLES = [missing_at_one, missing_at_all_but_one]
EVERY = [
    thirds,
    alone,
    empty_first,
    empty_last,
    single_rows,
    sorted_rows,
    ten_unequal,
    interleaved,
    category_at_one,
    shuffled_columns,
    *HOLES,
]
FEW = [empty_first, single_rows, sorted_rows, category_at_one, shuffled_columns]


def suits(partition, table):
    """Tell whether a partition makes sense for a table."""
    if partition is shuffled_columns:
        return isinstance(table, pd.DataFrame | pl.DataFrame) and table.shape[1] > 1
    if partition in HOLES and isinstance(table, np.ndarray | sp.spmatrix | sp.sparray):
        return table.dtype.kind in "fO"
    if partition in HOLES and isinstance(table, pd.DataFrame):
        return not pd.api.types.is_bool_dtype(table.dtypes.iloc[0])
    return True
