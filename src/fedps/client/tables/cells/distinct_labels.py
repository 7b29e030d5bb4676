"""The distinct labels of a target, which has one label or a set of labels per row."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from fedps.client.tables.cells.distinct_in_arrays import Unsuited, of_array, of_objects
from fedps.client.tables.cells.distinct_values import NotCategories, of_arrow, of_column
from fedps.client.tables.cells.native_table import is_series
from fedps.statistics.base import Distinct


def distinct_labels(y: Any, *, counts: bool, sets: bool = False) -> Distinct:
    """Return the distinct labels of a target; of sets of labels, the distinct elements.

    With ``sets``, cells are sets even if they are text: sets of letters, as in scikit-learn.

    >>> distinct_labels([("b", "a"), ("a",)], counts=True).counts
    array([2, 1])
    """
    try:
        if sets and not (is_series(y) and _arrow_lists(y) is not None):
            return of_objects(_flat(y), counts=counts)
        return _found(y, counts=counts)
    except Unsuited as reason:
        raise NotCategories(0, reason.rule) from None


def _found(y: Any, *, counts: bool) -> Distinct:
    if sparse.issparse(y):
        y = y.toarray()
    if isinstance(y, np.ndarray):
        y = y.ravel()
        return of_objects(_flat(y), counts=counts) if holds_sets(y) else of_array(y, counts=counts)
    if not is_series(y):
        cells = list(y)
        return of_objects(_flat(cells) if holds_sets(cells) else cells, counts=counts)
    lists = _arrow_lists(y)
    if lists is not None:
        return of_arrow(pc.list_flatten(lists), counts=counts)
    if y.dtype == object and holds_sets(y.to_numpy()):
        return of_objects(_flat(y), counts=counts)
    return of_column(y, counts=counts)


def holds_sets(y: Any) -> bool:
    """Return whether the cells of a target are themselves collections of labels.

    >>> holds_sets([{"a"}, {"b"}]), holds_sets(["ab", "b"])
    (True, False)
    """
    if isinstance(y, np.ndarray) and y.dtype != object:
        return False
    return len(y) > 0 and isinstance(y[0], (list, tuple, set, frozenset, np.ndarray))


def _flat(y: Any) -> list[Any]:
    try:
        return list(chain.from_iterable(y))
    except TypeError:  # a cell that is not a collection
        raise Unsuited from None


def _arrow_lists(y: Any) -> Any:
    """Return a Series of lists as Arrow data, or None for any other Series."""
    if hasattr(y, "to_arrow"):
        data = y.to_arrow() if y.dtype.is_nested() else None
    else:
        data = y.array.__arrow_array__() if hasattr(y.dtype, "pyarrow_dtype") else None
    if data is None:
        return None
    nested = pa.types.is_list(data.type) or pa.types.is_large_list(data.type)
    return data if nested else None
