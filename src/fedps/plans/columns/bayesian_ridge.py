"""Bayesian ridge regression with ``split="columns"``.

All that it needs are the products of the columns of all clients, and of the target, over all rows. They are
found under masks (:mod:`fedps.plans.columns.masked_products`), so that the server learns these sums and nothing
about a row. Then it is the regression of one table, stopping rule included, and each client is told its own
coefficients.

Products of as many columns as rows determine the rows up to a rotation, masked or not. Where there are not more rows
than columns, they are asked for what they are (:mod:`fedps.plans.columns.rotated_ridge`), which owners
allow or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fedps.errors import UsageError
from fedps.learned import Learned, PerClient, needed
from fedps.learned.owners import BayesianRidgePartNumbers
from fedps.plans.columns.masked_products import masked_factor
from fedps.plans.columns.ridge_parts import OwnersFit, ridge_part_numbers
from fedps.plans.columns.rotated_ridge import rotated_ridge
from fedps.plans.shared.parameters import learned_for_owners
from fedps.plans.shared.ridge_math import bayesian_ridge_from
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import MaskedPartial, MaskKeys, Partial, PartialKeys
from fedps.statistics.aligned.aligned_base import MOST_CELLS
from fedps.statistics.base import Array
from fedps.statistics.masked.mask_keys import OwnerKey
from fedps.statistics.masked.masked_partial import MOST_MASKED_PARTS

_FURTHER = (
    "if there are not more rows than columns of all clients together, as the steps before make them: all "
    "single rows, rotated, and the target of every row, instead of sums (level ROWS)"
)

_FINER = 80  # bits of a prediction below the reach of the target: more than a double has
_LEAST_EXPONENT = -1100


def bayesian_ridge_across_owners(ridge: Any, view: View) -> Plan[Learned]:
    """Learn the posterior of the coefficients; each client is told its own."""
    target_at = target_owner(view, "BayesianRidge")
    owners = yield from ask(MaskKeys(), view, further=_FURTHER)
    # there are no answers in a rehearsal
    owners = owners or tuple(
        OwnerKey(bytes([i]) * 32, width, i == target_at) for i, width in enumerate(view.widths)
    )
    assert [owner.has_target for owner in owners].count(True) == 1
    if view.rows <= 1 + sum(owner.width for owner in owners):
        found = yield from rotated_ridge(ridge, view)
    else:
        found = yield from _masked_ridge(ridge, owners, view)
    return learned_for_owners(ridge, ridge_part_numbers(ridge, found))


def _masked_ridge(ridge: Any, owners: Sequence[OwnerKey], view: View) -> Plan[OwnersFit]:
    factor = yield from masked_factor(owners, view)
    with np.errstate(all="ignore"):  # there are no rows in a rehearsal
        found = bayesian_ridge_from(ridge, factor)
    ends = np.cumsum([owner.columns for owner in owners])[:-1]
    coef = tuple(np.split(found.coef, ends))
    return OwnersFit(factor, found, coef, float(found.intercept), is_rotated=False)


def target_owner(view: View, name: str) -> int:
    """Return which client has the target, or say that none has."""
    if view.pooled.target_at is None:
        raise UsageError(
            f"{name} needs a target, and no client has one. Name the column with "
            "Federation(..., target='column'), or give one client as a pair (X, y)."
        )
    return view.pooled.target_at


def predict_ridge(model: Learned, view: View) -> Plan[Array]:
    """Return predictions: what all clients' columns add to them, and what is the same for all."""
    numbers = model.numbers_as(BayesianRidgePartNumbers)
    middle, reach = needed(numbers.middle).value, needed(numbers.reach).value
    sums = yield from (_masked_sums(reach, view) if view.pooled.clients > 1 else _sums(view))
    return np.asarray(sums + middle)


def _masked_sums(reach: float, view: View) -> Plan[Array]:
    """Return the sums of the clients' parts, which nobody sees."""
    exponent = max(int(np.frexp(reach)[1]) - _FINER, _LEAST_EXPONENT)
    found = yield from ask(PartialKeys(), view)
    given = view.give(PerClient((found.keys,) * view.pooled.clients))
    sums = [np.zeros(0)]
    for start in range(0, found.rows, MOST_MASKED_PARTS):
        stop = start + MOST_MASKED_PARTS
        sums.append((yield from ask(MaskedPartial(start, stop, exponent), given)))
    return np.concatenate(sums)


def _sums(view: View) -> Plan[Array]:
    """Return the only client's predictions, less what is the same for all rows."""
    found: list[Array] = []
    while not found or len(found[-1]) == MOST_CELLS:
        start = len(found) * MOST_CELLS
        part = yield from ask(Partial(start, start + MOST_CELLS), view)
        found.append(part[:, :1].ravel())
    return np.concatenate(found)
