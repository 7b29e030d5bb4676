"""How a ColumnTransformer's columns are chosen, as data that clients can resolve."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import make_column_selector

from fedps.errors import UsageError
from fedps.protocol.plan import NeedsSchema, View
from fedps.protocol.schemas.columns_of_kind import ColumnsOfKind

ABSTRACT = (np.number, np.integer, np.signedinteger, np.unsignedinteger, np.inexact, np.floating)


NO_ROW = object()  # of a derived table, which the server never sees


def row_of(view: View) -> Any:
    """Return a made-up row of a view's table; None before that is known."""
    return view.dummy_row if view.is_table else NO_ROW


def written_columns(columns: Any, row: Any, part: str, *, by_name: bool = False) -> Any:
    """Return the columns of a branch as they travel; ``row`` is a made-up row of the table.

    With ``by_name``, what a rule chooses in the pooled table, where that is known.
    Names and positions are a list, others a dict: ``{"slice": [...]}``,
    ``{"make_column_selector": {...}}`` or ``{"kind": [...]}``.
    """
    known = row is not None and row is not NO_ROW
    if isinstance(columns, make_column_selector) and not (by_name and known):
        where = _where(columns)
        if where is not None:
            return {"make_column_selector": where}
    if isinstance(columns, ColumnsOfKind) and not (by_name and known):
        return columns.written
    if callable(columns):
        if row is NO_ROW:
            raise UsageError(
                f"the columns of {part!r} are chosen by a function of a derived table, which "
                "the server never sees. Name them, or use make_column_selector."
            )
        if row is None:
            raise NeedsSchema
        columns = columns(row)
    if isinstance(columns, slice):
        return {"slice": [_plain(columns.start), _plain(columns.stop), _plain(columns.step)]}
    if isinstance(columns, str | int | np.integer):
        raise UsageError(
            f"the columns of {part!r} are given as {columns!r}, which scikit-learn passes on as one "
            f"dimension. Give a list: [{columns!r}]."
        )
    return _listed(columns, part)


def _listed(columns: Any, part: str) -> list[str] | list[int]:
    """Return a list of names, or of positions; truth values say which positions."""
    items = [_plain(item) for item in columns]
    if all(isinstance(item, str) for item in items) and items:
        return items
    if all(isinstance(item, bool) for item in items):
        items = [i for i, wanted in enumerate(items) if wanted]
    if not all(isinstance(item, int) for item in items):
        raise UsageError(
            f"the columns of {part!r} must be all names, all positions or all truth values."
        )
    return items


def _where(selector: Any) -> dict[str, Any] | None:
    """Return a dtype selector as data, or None where a dtype has no name that travels."""
    sides = []
    for dtypes in (selector.dtype_include, selector.dtype_exclude):
        names = [_dtype_name(d) for d in _as_list(dtypes)]
        if any(name is None for name in names):
            return None
        sides.append(names or None)
    return {"pattern": selector.pattern, "dtype_include": sides[0], "dtype_exclude": sides[1]}


def _as_list(dtypes: Any) -> list[Any]:
    if dtypes is None:
        return []
    return list(dtypes) if isinstance(dtypes, list | tuple | set | frozenset) else [dtypes]


def _dtype_name(dtype: Any) -> str | None:
    """Return the name under which pandas' select_dtypes knows a dtype."""
    if isinstance(dtype, str):
        return dtype
    if isinstance(dtype, type) and issubclass(dtype, np.generic):
        # abstract ones such as np.number are known by their own names
        return dtype.__name__ if dtype in ABSTRACT else str(np.dtype(dtype).name)
    names = {bool: "bool", int: "int64", float: "float64", object: "object", str: "str"}
    return names.get(dtype, str(dtype) if isinstance(dtype, np.dtype) else None)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
