"""What clients pool to where their missing values differ: one value, since a column has one."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.twins.partitions import height


def unified(table, parts):
    """Return pooled rows with NaN for all missing cells of columns in which the parts hold different ones.

    A column of text with pandas' NA, which scikit-learn does not take, gets NaN, too.
    """
    parts = [part for part in parts if height(part)]
    if isinstance(table, pd.DataFrame):
        changed = {}
        for name in table.columns:
            if _differs([part[name] for part in parts]) or _needs_reading(table[name]):
                cells = table[name].astype(object)
                changed[name] = cells.mask(cells.isna(), np.nan).astype(object)
        return table.assign(**changed) if changed else table  # a copy could not be written to
    if isinstance(table, np.ndarray) and table.dtype == object:
        changed = table.copy()
        for j in range(table.shape[1]):
            if _differs([pd.Series(part[:, j], dtype=object) for part in parts]):
                changed[pd.isna(table[:, j]), j] = np.nan
        return changed
    return table


def _differs(columns):
    held = {frozenset(cell is None for cell in c[c.isna()].astype(object)) for c in columns}
    return len(held - {frozenset()}) > 1


def _needs_reading(column):
    kind = getattr(column.dtype, "kind", "O")
    return kind not in "biufcmM" and any(cell is pd.NA for cell in column.astype(object))
