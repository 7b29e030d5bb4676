"""Bayesian ridge regression with ``split="columns"``: one round, or two.

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

from fedps.errors import UsageError
from fedps.learned import Kept, Learned, PerClient, needed
from fedps.learned.owners import BayesianRidgePartNumbers
from fedps.plans.shared.parameters import learned_for_owners
from fedps.plans.shared.ridge_math import RidgeFit, bayesian_ridge_from
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.statistics import ChangeNorms, Partial, RowFactor, TargetRows
from fedps.statistics.aligned.aligned_base import MOST_CELLS
from fedps.statistics.aligned.row_factor import RowBlock
from fedps.statistics.base import Array
from fedps.statistics.products.triangular_factors import Factor, factor_of, joined, moved

_FURTHER = (
    "perhaps how far the coefficients of the columns at each client moved in the last steps, all "
    "together (level AGGREGATE)"
)


class Steps(NamedTuple):
    """The changes of the rotated coefficients from step to step: which may be the last, and which is."""

    changes: Array  # (steps, r)
    first: int  # before this one nothing is small enough
    last: int  # this one surely is


def bayesian_ridge_across_owners(ridge: Any, view: View) -> Plan[Learned]:
    """Learn the posterior of the coefficients; each client's stay with it."""
    target_owner(view, "BayesianRidge")
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
    return _learned(ridge, blocks, factor, _stopped(ridge, factor, last))


def _asks(ridge: Any, view: View, start: int, stop: int) -> list[Plan[Any]]:
    """Ask for some rows: all, unless there are more than fit in a message."""
    rotated = RowFactor(ridge.fit_intercept, start=start, stop=stop)
    return [ask(rotated, view, further=_FURTHER), ask(TargetRows(start, stop), view)]


def target_owner(view: View, name: str) -> int:
    """Return which client has the target, or say that none has."""
    if view.pooled.target_at is None:
        raise UsageError(
            f"{name} needs a target, and no client has one. Name the column with "
            "Federation(..., target='column'), or give one client as a pair (X, y)."
        )
    return view.pooled.target_at


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


def _learned(ridge: Any, blocks: Sequence[RowBlock], factor: Factor, found: RidgeFit) -> Learned:
    """Return the coefficients for their owners, and for all what belongs to all."""
    ends = _ends(blocks)[:-1]
    coef = np.split(found.coef, ends)
    columns = np.split(moved(factor, np.zeros_like(factor.pivot)).triangle[:, 1:-1], ends, axis=1)
    # the columns were sent less their means
    offset = sum(float(block.means @ own) for block, own in zip(blocks, coef, strict=True))
    middle = float(found.intercept)
    intercept = np.float64(middle - offset if ridge.fit_intercept else 0.0)
    whole: dict[str, Any] = {
        "intercept_": intercept,
        "alpha_": np.float64(found.alpha),
        "lambda_": np.float64(found.lambda_),
        "n_iter_": found.n_iter,
        "scores_": found.scores if ridge.compute_score else [],
    }
    numbers = BayesianRidgePartNumbers(
        rotated=PerClient(tuple(coef)),
        sizes=PerClient(tuple(_size(*both) for both in zip(columns, coef, strict=True))),
        intercept=float(intercept),
        alpha=float(found.alpha),
        lambda_=float(found.lambda_),
        n_iter=found.n_iter,
        scores=found.scores,
        middle=Kept(middle),
        attributes=Kept(whole),
    )
    return learned_for_owners(ridge, numbers)


def _size(columns: Array, coef: Array) -> Array:
    """Return how far a client's part of the predictions reaches, for it to see that all is well."""
    return np.array([np.linalg.norm(columns @ coef)])


def _ends(blocks: Sequence[RowBlock]) -> Array:
    return np.cumsum([block.cells.shape[1] for block in blocks])


def predict_ridge(model: Learned, view: View) -> Plan[Array]:
    """Return predictions: what each client's columns add to them, and what is the same for all."""
    found: list[Array] = []
    while not found or len(found[-1]) == MOST_CELLS:
        start = len(found) * MOST_CELLS
        part = yield from ask(Partial(start, start + MOST_CELLS), view)
        found.append(part[:, :1].ravel())
    middle = needed(model.numbers_as(BayesianRidgePartNumbers).middle)
    return np.asarray(np.concatenate(found) + middle.value)
