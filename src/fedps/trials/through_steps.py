"""What a trial needs to take made-up rows through the parts of an estimator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.utils import _safe_indexing
from sklearn.utils._indexing import _get_column_indices

from fedps.compounds import parts_of, walk


def inside(compound: Any, *tables: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the parts of a ColumnTransformer or a FeatureUnion, each with the made-up rows that it gets.

    Of several tables the first says which columns are chosen. A table is None where it is not known.
    """
    parts, first = parts_of(compound), tables[0]
    if not isinstance(compound, ColumnTransformer) or first is None:
        yield from ((part, *tables) for part in parts)
        return
    taken: set[int] = set()
    for part in parts[:-1]:
        try:
            columns = part.columns(first) if callable(part.columns) else part.columns
            own = _get_column_indices(first, columns)
        except Exception:  # noqa: BLE001 - the plan says which columns there are not
            return
        taken.update(own)
        yield part, *(_safe_indexing(rows, own, axis=1) for rows in tables)
    others = [i for i in range(first.shape[1]) if i not in taken]
    yield parts[-1], *(_safe_indexing(rows, others, axis=1) for rows in tables)


def plainer(estimator: Any) -> Any:
    """Return a copy of an estimator that takes any categories, and does not iterate for long."""
    own = clone(estimator)
    for each in walk(own):
        given = each.get_params(deep=False)
        if not isinstance(given.get("categories", ""), str):
            each.set_params(categories="auto")
        if "max_iter" in given:
            each.set_params(max_iter=1)
    return own
