"""Encoders of categories: one round each."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.learned import Learned
from fedps.plans.parameters import learned
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import Categories, Distinct, Known
from fedps.statistics.base import Array


def encoder(encoder: Any, view: View) -> Plan[Learned]:
    """Learn the categories of each column, and their counts where the parameters need them."""
    automatic = isinstance(encoder.categories, str)
    if not automatic:
        return (yield from _with_given_categories(encoder, view))
    counted = _needs_counts(encoder) or _drops(encoder)
    found = yield from ask(Categories(counts=counted), view)
    arrays: dict[str, Any] = {"categories": [listed(column) for column in found]}
    if counted:
        arrays["counts"] = [_counts(column) for column in found]
    return learned(encoder, rows=view.rows, **arrays)


def _with_given_categories(encoder: Any, view: View) -> Plan[Learned]:
    """Ask only how often the given categories occur, if even that is needed."""
    given = [[_plain(value) for value in column] for column in encoder.categories]
    arrays: dict[str, Any] = {"categories": [_as_objects(column) for column in given]}
    strict = encoder.handle_unknown == "error"
    if strict or _needs_counts(encoder) or getattr(encoder, "sparse_output", False):
        known = Known(tuple(map(tuple, given)), strict=strict)
        found = yield from ask(known, view)
        arrays |= {"counts": found.counts, "unknown": found.unknown}
    rows = view.pooled.table.rows if view.pooled.table else 0
    return learned(encoder, rows=rows, **arrays)


def _needs_counts(encoder: Any) -> bool:
    return encoder.min_frequency is not None or encoder.max_categories is not None


def _drops(encoder: Any) -> bool:
    """Whether the number of ones depends on counts: a ColumnTransformer wants to know it."""
    return getattr(encoder, "drop", None) is not None and encoder.sparse_output


def listed(column: Distinct) -> Array:
    """Return the values as scikit-learn lists them: None and NaN last."""
    missing = [None] * (column.none > 0) + [float("nan")] * (column.nan > 0)
    return _as_objects(column.values.tolist() + missing)


def _counts(column: Distinct) -> Array:
    missing = [n for n in (column.none, column.nan) if n > 0]
    known = np.zeros(0, dtype=np.int64) if column.counts is None else column.counts
    return np.concatenate([known, np.array(missing, dtype=np.int64)])


def _as_objects(values: list[Any]) -> Array:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
