"""Transformers that learn nothing but the form of their input."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np
from sklearn.base import clone

from fedps.assembly.dummy_rows.dummy_cells import Flavour
from fedps.assembly.dummy_rows.dummy_row import like
from fedps.assembly.dummy_rows.dummy_tables import dummy_table, first_cells
from fedps.assembly.recipes.inverse_check import warn_unless_inverse
from fedps.learned import Nothing


def assemble_stateless(transformer: Any, numbers: Nothing, table: Any) -> Any:
    """Fit on a row of ones, also where a column of numbers has no numeric dtype."""
    rows = table if hasattr(table, "indptr") else like(table, [[1]] * table.shape[1])
    transformer.fit(rows)
    return rows


def assemble_function_transformer(transformer: Any, numbers: Nothing, table: Any) -> Any:
    """Fit on a made-up row, whose dtypes a function may depend on, and which it can read."""
    rows = _readable(transformer, table)
    checked = transformer.check_inverse and _is_numbers(table)
    if not checked:
        transformer.fit(rows)
        return rows
    try:
        transformer.set_params(check_inverse=False).fit(rows)
    finally:
        transformer.set_params(check_inverse=True)
    if transformer.func is not None and transformer.inverse_func is not None:
        warn_unless_inverse(transformer, table)
    return rows


def _is_numbers(table: Any) -> bool:
    """Whether a table is all numbers: of others scikit-learn says that they cannot be checked."""
    dtypes = [table.dtype] if hasattr(table, "dtype") else list(table.dtypes)
    return all(isinstance(each, np.dtype) and np.issubdtype(each, np.number) for each in dtypes)


def _readable(transformer: Any, table: Any) -> Any:
    """Return a made-up row that a function can read: text may have to be numerals, say."""
    if not any(isinstance(cell, str) for cell in first_cells(table)):
        return table
    own = clone(transformer).set_params(check_inverse=False)
    others = (dummy_table(table, 1, flavour=flavour) for flavour in Flavour)
    for rows in chain([table], others):
        with suppress(Exception):  # whatever a function raises
            own.fit(rows).transform(rows)
            return rows
    return table
