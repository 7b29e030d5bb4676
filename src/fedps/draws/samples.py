"""The rows that scikit-learn's ``subsample`` would draw from the rows of all clients."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.utils import resample

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


def times_drawn(rows: int, size: int, random_state: Any, *, replace: bool) -> Array:
    """Return how often scikit-learn would take each row; the given generator stays as it was."""
    state = deepcopy(random_state)
    chosen = resample(np.arange(rows), replace=replace, n_samples=size, random_state=state)
    times = np.bincount(chosen, minlength=rows)
    if times.max() > 255:  # fewer rows are drawn than there are: only a made-up state does so
        raise ValueError("a row is drawn more than 255 times")
    return times.astype(np.uint8)
