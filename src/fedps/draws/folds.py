"""Folds of all clients' rows, as scikit-learn would draw them on pooled rows.

No splitter here sees a row. ``KFold`` needs their number only. ``StratifiedKFold`` needs the classes
in the order in which they first appear and how many rows of each there are: the j-th row of a class
gets the j-th of its folds. So the server runs it on a target in which each client's rows stand class by
class, in the order in which the classes first appear there. A client that knows how many rows of each
class there are, and how many the clients before have, draws the same folds for its own rows.
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

from fedps.draws.samples import SEEDS, Array, state_to_tell
from fedps.errors import NotFederated, UsageError

DEPRECATED = "deprecated"  # what scikit-learn 1.9 has for parameters that cv= replaces
BY_POSITION = (KFold, LeaveOneOut, PredefinedSplit)
# scikit-learn 1.9 takes splitters, and falls back to KFold where labels look like numbers
TAKES_SPLITTERS = inspect.signature(TargetEncoder).parameters["shuffle"].default == DEPRECATED


LISTED = "listed"  # folds that the user lists row by row


class Folded(NamedTuple):
    """The fold of each row of all clients; ``grouped``: of each client's rows class by class.

    ``state`` is what clients must be told of the generator, and ``listed`` says that the user lists
    the folds.
    """

    folds: Array
    number: int
    grouped: bool
    state: np.random.RandomState | None = None
    listed: bool = False


# a client's labels in the order of their first rows, and how many rows each has
LabelTurns = tuple[Array, Array]


def draw_folds(encoder: Any, turns: Sequence[LabelTurns] | None, rows: int) -> Folded:
    """Return the folds that ``encoder.fit_transform`` would use on the rows of all clients.

    ``turns`` are each client's labels in the order of their first rows, and how many there are;
    None for a target of numbers.
    """
    y = _surrogate(turns, rows) if turns is not None else np.arange(rows) + 0.5
    state = _state(encoder)
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
    listed = type(splitter) is PredefinedSplit or _is_listed(splitter)
    return Folded(_folds(found, rows), len(found), grouped, state, listed)


def _state(encoder: Any) -> np.random.RandomState | None:
    """Return what clients must be told of the generator: nothing if they have a seed, or need none."""
    cv = encoder.cv
    if cv is not None and not isinstance(cv, Integral):
        shuffles = getattr(cv, "shuffle", False)
        return state_to_tell(getattr(cv, "random_state", None)) if shuffles else None
    return state_to_tell(encoder.random_state) if encoder.shuffle is not False else None


def written_cv(cv: Any) -> Any:
    """Return ``cv`` as it travels: a number, or a splitter by its name and parameters."""
    if cv is None or isinstance(cv, Integral):
        return None if cv is None else int(cv)
    if type(cv) not in (KFold, StratifiedKFold, LeaveOneOut):
        return {"splitter": LISTED}
    if type(cv) is LeaveOneOut:
        return {"splitter": "LeaveOneOut"}
    seed = int(cv.random_state) if isinstance(cv.random_state, SEEDS) else None
    name = type(cv).__name__
    return {"splitter": name, "n_splits": cv.n_splits, "shuffle": cv.shuffle, "random_state": seed}


def own_folds(params: Any, state: Any, rows: int, start: int, stop: int) -> Array:
    """Return the folds of the rows from start to stop, of so many; ``params`` are an encoder's.

    ``state`` is that of the generator, or None where the parameters have a seed.
    """
    splitter = _rebuilt(params, state, stratified=False)
    return _folds(list(splitter.split(np.zeros((rows, 1)))), rows)[start:stop]


def own_folds_by_class(
    params: Any, state: Any, classes: Array, own: Array, before: Array, counts: Array
) -> Array:
    """Return the folds of a client's rows, class by class; see ``Among`` for the arguments.

    ``counts`` are the client's rows of each of its classes.
    """
    target = np.repeat(np.arange(len(classes)), classes)
    splitter = _rebuilt(params, state, stratified=True)
    every = _folds(list(splitter.split(np.zeros((len(target), 1)), target)), len(target))
    first = np.cumsum(classes) - classes
    begin = first[own] + before
    parts = [every[i : i + n] for i, n in zip(begin.tolist(), counts.tolist(), strict=True)]
    return np.concatenate([every[:0], *parts])


def _rebuilt(params: Any, state: Any, *, stratified: bool) -> Any:
    """Return the splitter that ``draw_folds`` uses, from parameters as they travel."""
    cv = params["cv"]
    if not isinstance(cv, dict):
        seed, shuffle = params.get("random_state"), params.get("shuffle")
        cv = {
            "splitter": "StratifiedKFold" if stratified else "KFold",
            "n_splits": 5 if cv is None else cv,
            "shuffle": True if shuffle in (None, DEPRECATED) else shuffle,
            "random_state": None if seed == DEPRECATED else seed,
        }
    if cv["splitter"] == "LeaveOneOut":
        return LeaveOneOut()
    kind = {"KFold": KFold, "StratifiedKFold": StratifiedKFold}[cv["splitter"]]
    if stratified != (kind is StratifiedKFold):
        raise ValueError("these are other folds than the encoder draws")
    shuffle = bool(cv["shuffle"])
    seed = cv["random_state"] if state is None else deepcopy(state)
    return kind(int(cv["n_splits"]), shuffle=shuffle, random_state=seed if shuffle else None)


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
