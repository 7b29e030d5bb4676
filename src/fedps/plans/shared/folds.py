"""Folds of all clients' rows, drawn on the server as scikit-learn would draw them on pooled rows.

No splitter here sees a row. ``KFold`` needs their number only. ``StratifiedKFold`` needs the classes
in the order in which they first appear and how many rows of each there are: the j-th row of a class
gets the j-th of its folds. So it is run on a target in which each client's rows stand class by class,
in the order in which the classes first appear there, and each client puts its folds into the order of
its own rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from copy import deepcopy
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    StratifiedKFold,
    check_cv,
)
from sklearn.preprocessing import TargetEncoder
from sklearn.utils.multiclass import type_of_target

from fedps.errors import NotFederated, UsageError
from fedps.statistics.base import Array
from fedps.statistics.target.labels import coded

DEPRECATED = "deprecated"  # what scikit-learn 1.9 has for parameters that cv= replaces
BY_POSITION = (KFold, LeaveOneOut, PredefinedSplit)
# scikit-learn 1.9 takes splitters, and falls back to KFold where labels look like numbers
TAKES_SPLITTERS = inspect.signature(TargetEncoder).parameters["shuffle"].default == DEPRECATED


class Folded(NamedTuple):
    """The fold of each row of all clients; ``grouped``: of each client's rows class by class."""

    folds: Array
    number: int
    grouped: bool


# a client's labels in the order of their first rows, and how many rows each has
LabelTurns = tuple[Array, Array]


def classes_of(turns: Sequence[LabelTurns]) -> Array:
    """Return the labels of all clients, sorted."""
    return coded(np.concatenate([labels for labels, _ in turns] or [np.arange(2)]))[0]


def draw_folds(encoder: Any, turns: Sequence[LabelTurns] | None, rows: int) -> Folded:
    """Return the folds that ``encoder.fit_transform`` would use on the rows of all clients.

    ``turns`` are each client's labels in the order of their first rows, and how many there are;
    None for a target of numbers.
    """
    y = _surrogate(turns, rows) if turns is not None else np.arange(rows) + 0.5
    try:
        splitter = _splitter(encoder, y, is_labels=turns is not None)
    except ValueError as error:
        raise UsageError(f"TargetEncoder(cv=...): {error}") from None
    grouped = type(splitter) is StratifiedKFold
    if not grouped and type(splitter) not in BY_POSITION and not _is_listed(splitter):
        name = type(splitter).__name__
        raise NotFederated(
            f"TargetEncoder(cv={name}(...)) cannot be federated: what {name} does may depend on more "
            "than the number of rows and the order of the classes. Use KFold, StratifiedKFold, "
            "PredefinedSplit, a number of folds, or a list of splits."
        )
    try:
        found = list(splitter.split(np.zeros((rows, 1)), y))
    except ValueError as error:
        raise UsageError(f"TargetEncoder(cv=...): {error}") from None
    return Folded(_folds(found, rows), len(found), grouped)


def _splitter(encoder: Any, y: Array, *, is_labels: bool) -> Any:
    """Return the splitter that scikit-learn makes of ``cv``, ``shuffle`` and ``random_state``."""
    cv = encoder.cv
    if cv is not None and not isinstance(cv, Integral):
        return check_cv(deepcopy(cv))
    shuffle = True if encoder.shuffle == DEPRECATED else encoder.shuffle
    state = encoder.random_state
    state = None if isinstance(state, str) and state == DEPRECATED else deepcopy(state)
    stratified = is_labels and (
        not TAKES_SPLITTERS or type_of_target(y) in ("binary", "multiclass")
    )
    kind = StratifiedKFold if stratified else KFold
    return kind(5 if cv is None else int(cv), shuffle=shuffle, random_state=state)


def _is_listed(splitter: Any) -> bool:
    """Whether ``cv`` was a list of splits."""
    return type(splitter).__name__ == "_CVIterableWrapper"


def _surrogate(turns: Sequence[LabelTurns], rows: int) -> Array:
    """Return a target with each client's rows class by class."""
    blocks = [np.repeat(labels, counts) for labels, counts in turns]
    if not blocks:  # a rehearsal: any class will do
        return np.zeros(rows, dtype=np.int64)
    return np.concatenate(blocks)


def _folds(splits: Sequence[tuple[Array, Array]], rows: int) -> Array:
    """Return the fold of each row; every row must be in one, and trained on in all others."""
    folds = np.full(rows, -1, dtype=np.int64)
    seen = np.zeros(rows, dtype=np.int64)
    for fold, (train, test) in enumerate(splits):
        folds[test] = fold
        np.add.at(seen, test, 1)
        outside = np.ones(rows, dtype=bool)
        outside[test] = False
        if not np.array_equal(np.sort(np.arange(rows)[train]), np.flatnonzero(outside)):
            raise NotFederated(
                "TargetEncoder(cv=...) has a split whose training rows are not all the rows "
                "outside of its test rows. Give splits that leave out nothing else."
            )
    if (seen != 1).any():
        raise UsageError(
            "TargetEncoder(cv=...): the test rows of all splits must cover each row exactly once."
        )
    return folds
