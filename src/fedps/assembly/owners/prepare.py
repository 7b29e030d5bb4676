"""Unfitted estimators for a client that has some of the columns: it fits them on its own rows.

Most need nothing from elsewhere. What does is learned already, and stands in as an object that
knows the answer for this client's rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from fedps.assembly.owners.stand_ins import STAND_INS
from fedps.compounds import REMAINDER, Part, is_compound, is_estimator, parts_of, set_parts
from fedps.learned import Learned, own
from fedps.learned.owners import OwnColumnsNumbers, PartNumbers, RoutedColumnsNumbers


def prepared(estimator: Any, learned: Learned, names: Sequence[str] | None = None) -> Any:
    """Return an unfitted estimator for the columns of one client; ``names`` are theirs."""
    fresh = clone(estimator)
    if is_compound(fresh):
        set_parts(fresh, list(_prepared_parts(fresh, learned, names)))
        return fresh
    if isinstance(learned.numbers, OwnColumnsNumbers):
        _keep_own(fresh, learned.numbers.listed, own(learned.numbers.own).tolist())
    if isinstance(learned.numbers, PartNumbers):
        return STAND_INS[learned.estimator](fresh, learned.numbers)
    return fresh


def _prepared_parts(compound: Any, learned: Learned, names: Sequence[str] | None) -> Iterator[Part]:
    """Yield the parts of a compound with those of their columns that are here."""
    parts, steps = parts_of(compound), iter(learned.steps)
    here: list[Any] = [None] * len(parts)
    if isinstance(compound, ColumnTransformer):  # the remainder has no columns of its own
        here = [*own(learned.numbers_as(RoutedColumnsNumbers).columns), None]
    known = names
    for part, positions in zip(parts, here, strict=True):
        if positions is not None:
            chosen = positions.tolist()
            known = None if names is None else [names[j] for j in chosen]
            part = part._replace(columns=chosen if names is None else known)  # noqa: PLW2901
        elif part.name == REMAINDER:
            known = None
        if not is_estimator(part.estimator):
            yield part
            continue
        yield part._replace(estimator=prepared(part.estimator, next(steps), known))
        if isinstance(compound, Pipeline):
            known = None  # only the first step sees the client's own columns


def _keep_own(estimator: Any, listed: Sequence[str], here: list[int]) -> None:
    """Cut parameters with an item for each column, ``listed``, down to the columns that are here."""
    for name in listed:
        value = getattr(estimator, name)
        if name == "knots":
            estimator.set_params(knots=np.asarray(value)[:, here])
        else:
            kept = [value[i] for i in here]
            estimator.set_params(**{name: kept if name == "categories" else np.asarray(kept)})
