"""Numbers that are objects once the rows of all clients stand in one table, and are not at a client.

scikit-learn reads a polars frame as one array, of objects if some column is text. A client with a pandas frame
has an array of numbers for each column, in which scikit-learn does not look for categories that are objects.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def number_objects(fitted: Any) -> list[int]:
    """Return which columns of a fitted encoder have numbers as categories, in an array of objects."""
    found = []
    for j, known in enumerate(getattr(fitted, "categories_", ())):
        kind = getattr(getattr(known, "dtype", None), "kind", "")
        if kind == "O" and len(known) and isinstance(known[0], int | float):
            found.append(j)
    return found


def with_number_objects(rows: Any, columns: list[int]) -> Any:
    """Return a table with numbers as objects in some columns.

    >>> with_number_objects(np.array([[1.5]]), [0])
    array([[1.5]], dtype=object)
    """
    if not columns:
        return rows
    if isinstance(rows, np.ndarray):
        return rows.astype(object) if rows.dtype.kind in "biuf" else rows
    if not hasattr(rows, "iloc"):
        return rows
    changed = None
    for j in columns:
        column = rows.iloc[:, j]
        if getattr(column.dtype, "kind", "O") in "biuf":
            changed = rows.copy(deep=False) if changed is None else changed
            changed.isetitem(j, column.astype(object))
    return rows if changed is None else changed
