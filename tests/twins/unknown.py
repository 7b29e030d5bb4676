"""Rows with categories that no client has seen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

from tests.twins.partitions import take


def with_unknown(table):
    """Return the first rows of a table, with an unknown category in each column of the first."""
    table = take(table, np.arange(6))
    if isinstance(table, pd.DataFrame):
        return pd.DataFrame({name: _replace(table[name]) for name in table})
    if isinstance(table, pl.DataFrame):
        return pl.DataFrame({name: _replace_list(table[name].to_list()) for name in table.columns})
    if sp.issparse(table):
        return table
    if table.dtype.kind == "U":
        table = table.astype("<U20")
    table = table.copy()
    table[0] = [_other(value) for value in table[1]]
    return table


def _replace(series):
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iufb":
        return pd.Series(_replace_list(series.tolist()), dtype=series.dtype)
    return pd.Series(_replace_list(series.tolist()), dtype=object)


def _replace_list(values):
    known = [value for value in values if isinstance(value, str | int | float)]
    return [_other(known[0]) if known else None, *values[1:]]


def _other(value):
    """Return a value of the same type that is in no table."""
    if isinstance(value, str):
        return "never seen before"
    if isinstance(value, bool | np.bool_):
        return value
    return type(value)(77)
