"""ColumnTransformer with ``split="columns"``: each branch at the owners of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils._indexing import _get_column_indices

from fedps.compounds import parts_of
from fedps.errors import NotFederated, UsageError, did_you_mean
from fedps.learned import Learned, PerClient
from fedps.learned.owners import RoutedColumnsNumbers
from fedps.plans.compose import Setting, kept, learned_compound
from fedps.protocol.messages import Route
from fedps.protocol.plan import Plan, View, gather
from fedps.statistics.base import Array


def column_transformer_across_owners(
    setting: Setting, transformer: Any, view: View
) -> Plan[Learned]:
    """Learn all branches side by side, each on its columns at their owners."""
    if view.is_transformed:
        raise NotFederated(
            "with split='columns', a ColumnTransformer must be the first step: after another step, only "
            "the owners know which columns there are."
        )
    row = _row(view)
    *given, rest = parts_of(transformer)
    chosen = [positions(part.columns, row, part.name) for part in given]
    taken = {i for own in chosen for i in own}
    chosen.append([i for i in range(sum(view.widths)) if i not in taken])
    routes = [view.route(own) for own in chosen]
    steps = yield from gather(
        setting.plan_for(part.estimator, route)
        for part, route in zip([*given, rest], routes, strict=True)
        if kept(part.estimator) is None
    )
    return learned_compound(
        setting,
        transformer,
        steps,
        without=["transformers", "remainder"],
        numbers=RoutedColumnsNumbers(columns=_routed_columns(routes[:-1], view.pooled.clients)),
        parts=[(part.name, kept(part.estimator), []) for part in given],
        remainder=kept(rest.estimator),
    )


def _routed_columns(routes: Sequence[View], clients: int) -> PerClient[list[Array]]:
    """Return the positions of each client's own columns in each branch."""
    chosen = [route.change.positions for route in routes if isinstance(route.change, Route)]
    return PerClient(
        tuple([np.array(own[i], dtype=np.int64) for own in chosen] for i in range(clients))
    )


def _row(view: View) -> Any:
    """Return a made-up row of a view, with the columns of all owners."""
    if view.parent is None:
        return view.dummy_row
    assert isinstance(view.change, Route)
    before = [
        (place, there[position])
        for own, positions_, there in zip(
            view.places, view.change.positions, view.parent.places, strict=True
        )
        for place, position in zip(own, positions_, strict=True)
    ]
    return _safe_indexing(_row(view.parent), [there for _, there in sorted(before)], axis=1)


def positions(columns: Any, row: Any, part: str) -> list[int]:
    """Return the positions of a branch's columns among the columns of all owners."""
    if callable(columns):
        try:
            columns = columns(row)
        except ValueError:
            raise UsageError(
                f"the columns of {part!r}: a selector needs pandas data frames at all clients. Name the "
                "columns instead."
            ) from None
    if isinstance(columns, str | int | np.integer):
        raise UsageError(
            f"the columns of {part!r} are given as {columns!r}, which scikit-learn passes on as a "
            f"1-D array. Give a list: [{columns!r}]."
        )
    try:
        found = _get_column_indices(row, columns)
    except (ValueError, KeyError, IndexError):
        names = list(getattr(row, "columns", ()))
        lost = [c for c in columns if isinstance(c, str) and c not in names]
        what = f"some are not among the {row.shape[1]} columns of all clients."
        if lost:
            what = f"no client has a column {lost[0]!r}.{did_you_mean(lost[0], names)}"
        raise UsageError(f"the columns of {part!r}: {what}") from None
    return [int(i) for i in found]
