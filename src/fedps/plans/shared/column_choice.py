"""How a ColumnTransformer's columns are chosen, as selections that clients can resolve."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import make_column_selector

from fedps.errors import UsageError
from fedps.protocol.messages import At, Named, Selection, Span, Where
from fedps.protocol.plan import NeedsSchema, View

ABSTRACT = (np.number, np.integer, np.signedinteger, np.unsignedinteger, np.inexact, np.floating)


def selection(columns: Any, view: View, part: str) -> Selection:
    """Return the selection that some columns of a ColumnTransformer stand for."""
    if isinstance(columns, make_column_selector):
        where = _where(columns)
        if where is not None:
            return where
    if callable(columns):
        if view.dummy_row is None:
            if view.parent is not None:
                raise UsageError(
                    f"the columns of {part!r} are chosen by a function of a derived table, which "
                    "the server never sees. Name them, or use make_column_selector."
                )
            raise NeedsSchema
        columns = columns(view.dummy_row)
    if isinstance(columns, slice):
        return Span(_plain(columns.start), _plain(columns.stop), _plain(columns.step))
    if isinstance(columns, str | int | np.integer):
        raise UsageError(
            f"the columns of {part!r} are given as {columns!r}, which scikit-learn passes on as one "
            f"dimension. Give a list: [{columns!r}]."
        )
    return _listed(columns, view, part)


def _listed(columns: Any, view: View, part: str) -> Selection:
    """Return a selection for a list of names, of positions, or of truth values."""
    items = [_plain(item) for item in columns]
    if all(isinstance(item, str) for item in items) and items:
        return Named(tuple(items))
    if all(isinstance(item, bool) for item in items):
        items = [i for i, wanted in enumerate(items) if wanted]
    if not all(isinstance(item, int) for item in items):
        raise UsageError(
            f"the columns of {part!r} must be all names, all positions or all truth values."
        )
    if view.names is not None:
        try:
            return Named(tuple(view.names[i] for i in items))
        except IndexError:
            pass  # the clients say which position does not exist
    return At(tuple(items))


def _where(selector: Any) -> Where | None:
    """Return a dtype selector as data, or None where a dtype has no name that travels."""
    sides = []
    for dtypes in (selector.dtype_include, selector.dtype_exclude):
        names = [_dtype_name(d) for d in _as_list(dtypes)]
        if any(name is None for name in names):
            return None
        sides.append(tuple(str(name) for name in names))
    return Where(selector.pattern, sides[0], sides[1])


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


def as_written(chosen: Selection) -> Any:
    """Return a selection in the form in which a client's ColumnTransformer takes it."""
    if isinstance(chosen, Named):
        return list(chosen.names)
    if isinstance(chosen, At):
        return list(chosen.positions)
    if isinstance(chosen, Span):
        return {"slice": [chosen.start, chosen.stop, chosen.step]}
    assert isinstance(chosen, Where)
    params = {
        "pattern": chosen.pattern,
        "dtype_include": list(chosen.include) or None,
        "dtype_exclude": list(chosen.exclude) or None,
    }
    return {"make_column_selector": params}
