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
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import type_of_target

from fedps.draws.samples import SEEDS, Array, state_to_tell
from fedps.errors import FedPSError, NotFederated, UsageError

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
    y = _surrogate(turns, rows)
    state = _state(encoder)
    try:
        splitter = _splitter(encoder, turns)
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
        folds, number = _folds(splitter, y, rows)
    except FedPSError:
        raise
    except ValueError as error:
        raise UsageError(f"TargetEncoder(cv=...): {error}") from None
    listed = type(splitter) is PredefinedSplit or _is_listed(splitter)
    return Folded(folds, number, grouped, state, listed)


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

    ``state`` is that of the generator, or None where the parameters have a seed. As ``KFold`` and
    ``LeaveOneOut`` give them, without a list of rows for each fold: a client may be told of very many rows.
    """
    cv = _written(params, stratified=False)
    if cv["splitter"] == "LeaveOneOut":
        return np.arange(start, stop)
    number = int(cv["n_splits"])
    sizes = np.full(number, rows // number)
    sizes[: rows % number] += 1
    in_turn = np.repeat(np.arange(number, dtype=np.int32), sizes)
    if not cv["shuffle"]:
        return in_turn[start:stop].astype(np.int64)
    order = np.arange(rows, dtype=np.int32 if rows < 2**31 else np.int64)
    _generator(cv, state).shuffle(order)
    folds = np.empty(rows, dtype=np.int32)
    folds[order] = in_turn
    return folds[start:stop].astype(np.int64)


def own_folds_by_class(
    params: Any, state: Any, classes: Array, own: Array, before: Array, counts: Array
) -> Array:
    """Return the folds of a client's rows, class by class; see ``Among`` for the arguments.

    ``counts`` are the client's rows of each of its classes. As ``StratifiedKFold`` gives them, which deals out
    folds to rows that are sorted by class, and shuffles those of each class.
    """
    cv = _written(params, stratified=True)
    number, generator = int(cv["n_splits"]), _generator(cv, state)
    ends = np.cumsum(classes)
    place = {int(one): i for i, one in enumerate(own)}
    found: list[Array] = [np.empty(0, dtype=np.int64)] * len(own)
    for one, (end, size) in enumerate(zip(ends.tolist(), classes.tolist(), strict=True)):
        folds = np.sort(np.arange(end - size, end) % number)
        if cv["shuffle"]:
            generator.shuffle(folds)
        if (i := place.get(one)) is not None:
            found[i] = folds[before[i] : before[i] + counts[i]]
    return np.concatenate([np.empty(0, dtype=np.int64), *found])


def number_of_folds(params: Any, rows: int) -> int:
    """Return how many folds an encoder makes of so many rows, at most; ``params`` as they travel."""
    cv = params["cv"]
    number = cv.get("n_splits", rows) if isinstance(cv, dict) else 5 if cv is None else cv
    return int(number)


def _written(params: Any, *, stratified: bool) -> dict[str, Any]:
    """Return the splitter that ``draw_folds`` uses, as it travels; ValueError if it is another kind."""
    cv = params["cv"]
    if not isinstance(cv, dict):
        seed, shuffle = params.get("random_state"), params.get("shuffle")
        cv = {
            "splitter": "StratifiedKFold" if stratified else "KFold",
            "n_splits": 5 if cv is None else cv,
            "shuffle": True if shuffle in (None, DEPRECATED) else shuffle,
            "random_state": None if seed == DEPRECATED else seed,
        }
    kinds = ("StratifiedKFold",) if stratified else ("KFold", "LeaveOneOut")
    if cv["splitter"] not in kinds:
        raise ValueError("these are other folds than the encoder draws")
    return cv


def warn_of_deprecated(encoder: Any) -> None:
    """Let scikit-learn say what it says about ``shuffle`` and ``random_state``, where cv= replaces them."""
    given = [v for v in (encoder.shuffle, encoder.random_state) if not isinstance(v, str)]
    if TAKES_SPLITTERS and given:
        TargetEncoder(cv=2, shuffle=False).fit_transform([[0], [0], [1], [1]], [0.5, 1.0, 1.5, 2.0])


def _generator(cv: dict[str, Any], state: Any) -> np.random.RandomState:
    seed = cv["random_state"] if state is None else deepcopy(state)
    generator: np.random.RandomState = check_random_state(seed)
    return generator


def _splitter(encoder: Any, turns: Sequence[LabelTurns] | None) -> Any:
    """Return the splitter that scikit-learn makes of ``cv``, ``shuffle`` and ``random_state``."""
    cv = encoder.cv
    if cv is not None and not isinstance(cv, Integral):
        return check_cv(deepcopy(cv))
    shuffle = True if encoder.shuffle == DEPRECATED else encoder.shuffle
    state = encoder.random_state
    state = None if isinstance(state, str) and state == DEPRECATED else deepcopy(state)
    stratified = turns is not None and (
        not TAKES_SPLITTERS or _kind(turns) in ("binary", "multiclass")
    )
    kind = StratifiedKFold if stratified else KFold
    return kind(5 if cv is None else int(cv), shuffle=shuffle, random_state=state)


def _is_listed(splitter: Any) -> bool:
    """Whether ``cv`` was a list of splits."""
    return type(splitter).__name__ == "_CVIterableWrapper"


def _distinct(turns: Sequence[LabelTurns]) -> dict[Any, int]:
    """Return the labels of all clients in the order of their first rows, numbered."""
    every = dict.fromkeys(label for labels, _ in turns for label in labels.tolist())
    return {label: number for number, label in enumerate(every)}


def _kind(turns: Sequence[LabelTurns]) -> str:
    """Return what scikit-learn calls a target of these labels."""
    distinct = np.concatenate([labels for labels, _ in turns] or [np.zeros(1)])
    # three times: it warns of many classes for so few rows
    return str(type_of_target(np.tile(distinct, 3)))


def _surrogate(turns: Sequence[LabelTurns] | None, rows: int) -> Array:
    """Return a target with each client's rows class by class, its labels numbered: texts may be long."""
    if turns is None:
        return np.arange(rows) + 0.5
    if not turns:  # a rehearsal: any class will do
        return np.zeros(rows, dtype=np.int32)
    number = _distinct(turns)
    parts = [
        np.repeat(np.array([number[label] for label in labels.tolist()], dtype=np.int32), counts)
        for labels, counts in turns
    ]
    codes = np.concatenate(parts)
    # splitters by class refuse labels such as 0.5, which scikit-learn takes for numbers
    return codes + 0.5 if _kind(turns) == "continuous" else codes


def _folds(splitter: Any, y: Array, rows: int) -> tuple[Array, int]:
    """Return the fold of each row, and how many there are.

    Every row must be in one, and trained on in all others.
    """
    splits = splitter.split(np.empty((rows, 0)), y)
    if type(splitter) is LeaveOneOut:
        next(splits)  # which fails where there are too few rows
        return np.arange(rows), rows
    folds, number = np.full(rows, -1, dtype=np.int64), 0
    seen = np.zeros(rows, dtype=np.int32)
    for train, test in splits:
        folds[test] = number
        number += 1
        np.add.at(seen, test, 1)
        trained = np.zeros(rows, dtype=np.int32)
        np.add.at(trained, train, 1)
        trained[test] += 1
        if (trained != 1).any():
            raise NotFederated(
                "TargetEncoder(cv=...) has a split whose training rows are not all the rows "
                "outside of its test rows. Give splits that leave out nothing else."
            )
    if (seen != 1).any():
        raise UsageError(
            "TargetEncoder(cv=...): the test rows of all splits must cover each row exactly once."
        )
    return folds, number
