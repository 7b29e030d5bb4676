"""The rows that scikit-learn's ``subsample`` would draw from the rows of all clients."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

Array = np.ndarray[Any, Any]
SEEDS = (int, np.integer)


def state_to_tell(random_state: Any) -> np.random.RandomState | None:
    """Return the state that a draw begins with, as it is told to clients; None if they have a seed."""
    if isinstance(random_state, SEEDS):
        return None
    if isinstance(random_state, np.random.RandomState):
        return deepcopy(random_state)
    now = np.random.RandomState()
    now.set_state(np.random.get_state())  # noqa: NPY002 - what scikit-learn draws from without a seed
    return now


def rows_drawn(rows: int, size: int, random_state: Any, *, replace: bool) -> Array:
    """Return the numbers of the rows that scikit-learn's ``resample`` would take, in no order.

    The given generator stays as it was. With ``replace``, memory is that of the sample alone; without,
    scikit-learn shuffles all rows, which takes 4 bytes for each.

    >>> rows_drawn(10**15, 2, 0, replace=True)
    array([856161327032879, 745975020899520])
    """
    state = check_random_state(deepcopy(random_state))
    if replace:
        return np.asarray(state.choice(rows, size=size, replace=True))
    order = np.arange(rows, dtype=np.int32 if rows < 2**31 else np.int64)
    state.shuffle(order)
    return order[:size].copy()


def times_drawn(drawn: Array, start: int, stop: int) -> Array:
    """Return how often each of the rows from start to stop is among those drawn."""
    own = drawn[(drawn >= start) & (drawn < stop)].astype(np.int64) - start
    times = np.bincount(own, minlength=stop - start)
    if (
        times.max(initial=0) > 255
    ):  # fewer rows are drawn than there are: only a made-up state does so
        raise ValueError("a row is drawn more than 255 times")
    return times.astype(np.uint8)
