"""Rows whose missing cells are as those of all clients pooled: None or NaN, whatever they are here."""

from __future__ import annotations

import sys
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, TargetEncoder

from fedps.assembly.dummy_rows.polars_cells import with_objects
from fedps.assembly.number_objects import number_objects, with_number_objects
from fedps.compounds import walk
from fedps.learned import Array
from fedps.learned.encoders import CategoryEncoderNumbers, TargetEncoderNumbers
from fedps.learned.imputers import MissingIndicatorNumbers, SimpleImputerNumbers

_READ_GAPS = (OneHotEncoder, OrdinalEncoder, TargetEncoder, SimpleImputer, MissingIndicator)
NONE, NAN = 1, 2  # as in learned numbers


def take_any_gap(fitted: Any, numbers: Any) -> None:
    """Have a fitted encoder or imputer take None for NaN, or the other way round, where all clients do."""
    kinds = None
    if isinstance(numbers, SimpleImputerNumbers | MissingIndicatorNumbers):
        kinds = numbers.kinds
    elif isinstance(numbers, CategoryEncoderNumbers | TargetEncoderNumbers):
        kinds = np.array([kind_of_gap(column) for column in numbers.categories], dtype=np.int8)
    if kinds is not None or isinstance(fitted, _READ_GAPS):
        fitted.transform = partial(_as_learned, fitted.transform, kinds)


def taking_na(fitted: Any) -> Any:
    """Return a copy of a fitted estimator in which encoders and imputers take pandas' NA for NaN.

    And truth values of polars, and numbers, for objects where those of all clients together are that.
    """
    fitted = deepcopy(fitted)
    for part in walk(fitted, fitted=True):
        if isinstance(part, _READ_GAPS):
            part.transform = partial(_as_learned, part.transform, None)
    return fitted


def _as_learned(transform: Any, kinds: Array | None, rows: Any) -> Any:
    rows = rows if kinds is None else with_gaps(rows, kinds)
    own = getattr(transform, "__self__", None)
    if isinstance(own, SimpleImputer | MissingIndicator) and _is_all_truths(rows):
        rows = with_objects(rows)
    elif hasattr(own, "categories_"):
        rows = with_number_objects(rows, number_objects(own))
    na = _columns_with_na(rows)
    return transform(with_gaps(rows, NAN * na) if na.any() else rows)


def needs_reading(fitted: Any, rows: Any) -> bool:
    """Return whether a client's rows must be read as :func:`taking_na` does to be like the pooled ones."""
    if _columns_with_na(rows).any() or _is_all_truths(rows):
        return True
    return any(number_objects(part) for part in walk(fitted, fitted=True))


def _is_all_truths(rows: Any) -> bool:
    """Whether a polars frame has truth values only, which are objects once another client has nulls."""
    if not hasattr(rows, "to_series") or not rows.width:
        return False
    return all(str(dtype) == "Boolean" for dtype in rows.dtypes)


def _columns_with_na(rows: Any) -> Array:
    pd = sys.modules.get("pandas")
    frame = hasattr(rows, "iloc")
    if pd is None or not (frame or getattr(rows, "dtype", None) == np.dtype("O")):
        return np.zeros(0, dtype=bool)
    dtypes = rows.dtypes.tolist() if frame else [rows.dtype] * rows.shape[1]
    found = np.zeros(rows.shape[1], dtype=bool)
    for j in (j for j, dtype in enumerate(dtypes) if _may_hold(dtype, np.nan)):
        column = rows.iloc[:, j] if frame else rows[:, j]
        gaps = np.asarray(column[np.asarray(pd.isna(column))])
        found[j] = any(cell is pd.NA for cell in gaps)
    return found


def kind_of_gap(categories: Any) -> int:
    """Return which of None and NaN is a category; 0 if both are, or neither.

    >>> kind_of_gap(["a", None]), kind_of_gap(["a", float("nan")]), kind_of_gap([1, 2])
    (1, 2, 0)
    """
    if getattr(categories, "dtype", np.dtype("O")).kind != "O":
        return 0
    items = list(categories)
    none = any(item is None for item in items)
    nan = any(isinstance(item, float) and item != item for item in items)  # noqa: PLR0124
    return 0 if none == nan else NONE if none else NAN


def with_known_gap(labels: Any, known: Any) -> Any:
    """Return labels in an array of objects with the missing value that known ones have, if they have one."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind != "O" or labels.ndim != 1:
        return labels
    kind = kind_of_gap(known)
    return with_gaps(labels[:, None], np.array([kind]))[:, 0] if kind else labels


def with_gaps(rows: Any, kinds: Array) -> Any:
    """Return a table with the missing cells of each column as None or NaN; numbers and times stay.

    ``kinds`` has 1 for None, 2 for NaN and 0 for columns that stay as they are.

    >>> with_gaps(np.array([["a", None]], dtype=object), np.array([0, 2]))
    array([['a', nan]], dtype=object)
    """
    columns = [(int(j), None if kinds[j] == NONE else np.nan) for j in np.flatnonzero(kinds)]
    if isinstance(rows, np.ndarray):
        return _in_array(rows, columns) if rows.dtype == object else rows
    if hasattr(rows, "iloc"):
        return _in_pandas(rows, columns)
    return _in_polars(rows, columns) if hasattr(rows, "to_series") else rows


def _in_array(rows: Array, columns: list[tuple[int, Any]]) -> Array:
    changed = None
    for j, value in columns:
        others = _others(rows[:, j], value)
        if others.any():
            changed = rows.copy() if changed is None else changed
            changed[others, j] = value
    return rows if changed is None else changed


def _others(cells: Array, value: Any) -> Array:
    """Return which objects are missing, and not by the given value."""
    if value is None:
        found = [cell is not None and _is_missing(cell) for cell in cells.tolist()]
    else:
        found = [_is_missing(cell) and not isinstance(cell, float) for cell in cells.tolist()]
    return np.array(found, dtype=bool)


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float) and cell != cell  # noqa: PLR0124 - only NaN does


def _in_pandas(rows: Any, columns: list[tuple[int, Any]]) -> Any:
    changed = None
    for j, value in columns:
        column = rows.iloc[:, j]
        if not _may_hold(column.dtype, value) or not column.isna().any():
            continue
        cells = column.astype(object).to_numpy(copy=True)
        others = _others(cells, value)
        if others.any():
            changed = rows.copy(deep=False) if changed is None else changed
            cells[others] = value
            changed.isetitem(j, type(column)(cells, index=column.index, dtype=object))
    return rows if changed is None else changed


def _may_hold(dtype: Any, value: Any) -> bool:
    """Whether missing cells of a pandas column may be others than the value for scikit-learn."""
    kind = getattr(dtype, "kind", "O")
    if kind in "iufcmM" or (kind == "b" and value is not None):
        return False  # numbers have NaN, and times NaT
    return (
        value is None
        or isinstance(dtype, np.dtype)
        or not isinstance(getattr(dtype, "na_value", 0.0), float)
    )


def _in_polars(rows: Any, columns: list[tuple[int, Any]]) -> Any:
    import polars as pl

    changed = []
    for j, value in columns:
        column = rows.to_series(j)
        dtype = column.dtype
        plain = (dtype.is_numeric() and not dtype.is_decimal()) or dtype.is_temporal()
        if dtype == pl.Null and value is None:
            changed.append(
                column.cast(pl.String)
            )  # of no type, its nulls would be NaN among numbers
            continue
        if dtype == pl.Null or value is None or plain or not column.null_count():
            continue  # polars has no other missing value than null
        cells = [value if cell is None else cell for cell in column.to_list()]
        changed.append(pl.Series(column.name, cells, dtype=pl.Object))
    return rows.with_columns(changed) if changed else rows
