"""The rows that scikit-learn's ``subsample`` would draw from the rows of all clients."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import resample

from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import Statistic

_R = TypeVar("_R")
DrawRows = Callable[[View], View]


def sampling(size: int | None, random_state: Any, *, replace: bool) -> DrawRows:
    """Return what gives a view of the rows that scikit-learn would draw, or of all it would take.

    The rows are drawn here, by scikit-learn itself, so that any ``random_state`` gives the same rows
    as it does with the rows pooled. Each client is told only which of its own are in.
    """

    def draw(view: View) -> View:
        if size is None or view.rows <= size:
            return view
        everyone, state = np.arange(view.rows), deepcopy(random_state)  # the user's stays as it was
        chosen = resample(everyone, replace=replace, n_samples=size, random_state=state)
        times = np.bincount(chosen, minlength=view.rows)
        assert times.max() < 256  # fewer rows are drawn than there are, so none so often
        return view.draw(times.astype(np.uint8))

    return draw


def ask_of_sample(
    statistic: Statistic[Any, _R], view: View, draw: DrawRows | None, *, further: str = ""
) -> Plan[tuple[View, _R]]:
    """Ask for a statistic of the rows that are drawn; return the view of them, and the answer.

    How many rows there are is known only with the first answer: it is asked of all rows, and again
    of the drawn ones where there are too many.
    """
    if draw is None or view.pooled.table is None:
        answer = yield from ask(statistic, view, further=further)
        if draw is None:
            return view, answer
        drawn = draw(view)
        if drawn is view:
            return view, answer
    else:
        drawn = draw(view)
    return drawn, (yield from ask(statistic, drawn, further=further))
