"""Bayesian ridge regression with ``split="columns"``, for more columns than rows: one round, or two.

Every client sends its columns rotated (:mod:`fedps.statistics.aligned.rotation`), and the one
that has it the target. The prior is the same in all directions, so the posterior of the rotated
coefficients is the rotated posterior, and the server finds it as if it had the rows. It tells each
client its own rotated coefficients, which only that client can rotate back. The rotated columns of all
clients side by side are n x m numbers; nothing is ever n x n.

One thing depends on the directions: scikit-learn stops when the *sum of the absolute changes* of the
coefficients is small. The server knows only their lengths, client by client, which bound that sum
from both sides. Where the bounds leave more than one step to stop at, a second round asks the
clients how far their coefficients moved in those steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fedps.learned import PerClient
from fedps.plans.columns.ridge_parts import OwnersFit
from fedps.plans.shared.ridge_math import RidgeFit, bayesian_ridge_from
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.statistics import ChangeNorms, RowFactor, TargetRows
from fedps.statistics.aligned.aligned_base import MOST_CELLS
from fedps.statistics.aligned.row_factor import RowBlock
from fedps.statistics.base import Array
from fedps.statistics.products.triangular_factors import Factor, factor_of, joined

_FURTHER = (
    "perhaps how far the coefficients of the columns at each client moved in the last steps, all "
    "together (level AGGREGATE)"
)


class Steps(NamedTuple):
    """The changes of the rotated coefficients from step to step: which may be the last, and which is."""

    changes: Array  # (steps, r)
    first: int  # before this one nothing is small enough
    last: int  # this one surely is


def rotated_ridge(ridge: Any, view: View) -> Plan[OwnersFit]:
    """Learn the posterior of the rotated coefficients; only their owners can rotate them back."""
    step = max(1, MOST_CELLS // max(1, *view.widths))
    factors = []
    for start in range(0, view.rows, step):
        blocks, target = yield from gather(_asks(ridge, view, start, start + step))
        factors.append(factor_of(np.column_stack([*(block.cells for block in blocks), target])))
    nothing = RowBlock(0, np.zeros(0), np.zeros((0, 0)))  # there are no rows in a rehearsal
    blocks, factor = blocks or (nothing,) * view.pooled.clients, joined(factors)
    steps = _steps(ridge, factor, blocks)
    last = steps.last
    if steps.first < steps.last:
        last = yield from _last(ridge, view, blocks, steps)
    found = _stopped(ridge, factor, last)
    coef = tuple(np.split(found.coef, _ends(blocks)[:-1]))
    # the columns were sent less their means
    offset = sum(float(block.means @ own) for block, own in zip(blocks, coef, strict=True))
    return OwnersFit(factor, found, coef, float(found.intercept) - offset, is_rotated=True)


def _asks(ridge: Any, view: View, start: int, stop: int) -> list[Plan[Any]]:
    """Ask for some rows: all, unless there are more than fit in a message."""
    rotated = RowFactor(ridge.fit_intercept, start=start, stop=stop)
    return [ask(rotated, view, further=_FURTHER), ask(TargetRows(start, stop), view)]


def _steps(ridge: Any, factor: Factor, blocks: Sequence[RowBlock]) -> Steps:
    """Run until the changes are surely small enough, and note where they may be."""
    changes: list[Array] = []
    lower, upper = [], []

    def settled(change: Array) -> bool:
        parts = np.split(change, _ends(blocks)[:-1])
        lengths = np.array([np.linalg.norm(part) for part in parts])
        widths = np.array([block.width for block in blocks])
        changes.append(change)
        lower.append(lengths.sum())
        upper.append(np.sqrt(widths) @ lengths)
        return bool(upper[-1] < ridge.tol)

    with np.errstate(all="ignore"):  # there are no rows in a rehearsal
        bayesian_ridge_from(ridge, factor, settled)
    last = len(changes)  # or there is none: then all steps are taken
    if upper and upper[-1] < ridge.tol:
        last -= 1
    small = np.flatnonzero(np.array(lower) < ridge.tol)
    first = int(small[0]) if small.size else last
    return Steps(np.array(changes).reshape(len(changes), _ends(blocks)[-1]), first, last)


def _last(ridge: Any, view: View, blocks: Sequence[RowBlock], steps: Steps) -> Plan[int]:
    """Ask which step is the last: how far all coefficients moved in those that may be."""
    open_ = steps.changes[steps.first : steps.last]
    parts = np.split(open_, _ends(blocks)[:-1], axis=1)
    given = view.give(PerClient(tuple(map(np.ascontiguousarray, parts))))
    norms = yield from ask(ChangeNorms(ridge.fit_intercept, len(open_)), given)
    small = np.flatnonzero(norms < ridge.tol)
    return steps.first + int(small[0]) if small.size else steps.last


def _stopped(ridge: Any, factor: Factor, last: int) -> RidgeFit:
    """Run once more, up to the step that is the last."""
    taken = 0

    def settled(_: Array) -> bool:
        nonlocal taken
        taken += 1
        return taken > last

    with np.errstate(all="ignore"):
        return bayesian_ridge_from(ridge, factor, settled)


def _ends(blocks: Sequence[RowBlock]) -> Array:
    return np.cumsum([block.cells.shape[1] for block in blocks])
