"""Unfitted estimators for a client that has some of the columns: it fits them on its own rows.

Most need nothing from elsewhere. What does is learned already, and stands in as an object that
knows the answer for this client's rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from fedps.assembly.owners.stand_ins import STAND_INS
from fedps.learned import Learned, own
from fedps.learned.owners import OwnColumnsNumbers, PartNumbers, RoutedColumnsNumbers


def prepared(estimator: Any, learned: Learned, names: Sequence[str] | None = None) -> Any:
    """Return an unfitted estimator for the columns of one client; ``names`` are theirs."""
    fresh = clone(estimator)
    if learned.estimator == "Pipeline":
        # only the first step sees the client's own columns
        steps = iter(learned.steps)
        first = True
        for i, (name, step) in enumerate(fresh.steps):
            if _is_estimator(step):
                known = names if first else None
                fresh.steps[i] = (name, prepared(step, next(steps), known))
                first = False
        return fresh
    if learned.estimator == "FeatureUnion":
        steps = iter(learned.steps)
        fresh.transformer_list = [
            (name, prepared(part, next(steps), names) if _is_estimator(part) else part)
            for name, part in fresh.transformer_list
        ]
        return fresh
    if learned.estimator == "ColumnTransformer":
        return _routed(fresh, learned, names)
    if isinstance(learned.numbers, OwnColumnsNumbers):
        _keep_own(fresh, learned.numbers.listed, own(learned.numbers.own).tolist())
    if isinstance(learned.numbers, PartNumbers):
        return STAND_INS[learned.estimator](fresh, learned.numbers)
    return fresh


def _routed(fresh: Any, learned: Learned, names: Sequence[str] | None) -> Any:
    """Give each part those of its columns that are here."""
    steps = iter(learned.steps)
    chosen = own(learned.numbers_as(RoutedColumnsNumbers).columns)
    parts = []
    for (name, part, _), positions in zip(fresh.transformers, chosen, strict=True):
        here = positions.tolist()
        columns = here if names is None else [names[j] for j in here]
        if _is_estimator(part):
            part = prepared(part, next(steps), columns if names is not None else None)  # noqa: PLW2901
        parts.append((name, part, columns))
    fresh.transformers = parts
    if _is_estimator(fresh.remainder):
        fresh.remainder = prepared(fresh.remainder, next(steps))
    return fresh


def _keep_own(estimator: Any, listed: Sequence[str], here: list[int]) -> None:
    """Cut parameters with an item for each column, ``listed``, down to the columns that are here."""
    for name in listed:
        value = getattr(estimator, name)
        if name == "knots":
            estimator.set_params(knots=np.asarray(value)[:, here])
        else:
            kept = [value[i] for i in here]
            estimator.set_params(**{name: kept if name == "categories" else np.asarray(kept)})


def _is_estimator(part: Any) -> bool:
    return part is not None and not isinstance(part, str)
