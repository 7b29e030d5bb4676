"""The rows that scikit-learn's ``subsample`` would draw from the rows of all clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from fedps.draws.pooled_rows import check_pooled
from fedps.draws.samples import rows_drawn, state_to_tell
from fedps.protocol.messages import Among
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import Statistic

_R = TypeVar("_R")
DrawRows = Callable[[View], View]


def sampling(size: int | None, random_state: Any, *, replace: bool) -> DrawRows:
    """Return what gives a view of the rows that scikit-learn would draw, or of all it would take.

    The rows are drawn by scikit-learn itself, so that any ``random_state`` gives the same rows as it
    does with the rows pooled: here, and by each client, which is told where its own rows begin.
    """

    def draw(view: View) -> View:
        if size is None or view.rows <= size:
            return view
        if view.pooled.remote and not replace:
            check_pooled(view.pooled.heights, "Set subsample=None, or use quantiles=fedps.KLL()")
        state = state_to_tell(random_state)
        chosen = rows_drawn(view.rows, size, random_state, replace=replace)
        starts = np.cumsum([0, *view.pooled.heights])
        owners = np.searchsorted(starts[1:], chosen, side="right")
        drawn = np.bincount(owners, minlength=len(starts) - 1).tolist()
        among = [Among(0, int(start), view.rows, state) for start in starts[:-1]]
        return view.sample(among, drawn)

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
