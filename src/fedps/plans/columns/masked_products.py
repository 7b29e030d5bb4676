"""Products of the columns of all clients, under masks: three rounds, and more where a table is large.

Round 1: each client's public key. Round 2: the seeds of its masks, sealed for the others, and the first of its
masked columns. Round 3: what the masks add to the products. The server relays what is sealed, and opens none
of it. What it then has is exact, and no more than the sums of products over all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fedps.learned import PerClient
from fedps.plans.shared.double_double import Pair, pair_of, triangle_of
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.statistics import MaskedColumns, MaskedProducts, MaskSeeds
from fedps.statistics.base import Array
from fedps.statistics.masked.drawn_masks import BOX, SEED
from fedps.statistics.masked.mask_keys import OwnerKey
from fedps.statistics.masked.masked_columns import MOST_MASKED
from fedps.statistics.masked.masked_products import OwnerProducts
from fedps.statistics.masked.own_columns import bits_for
from fedps.statistics.masked.ring import (
    LIMBS,
    ring_difference,
    ring_products,
    ring_sum,
    turned,
)
from fedps.statistics.products.triangular_factors import Factor


def masked_factor(owners: Sequence[OwnerKey], view: View) -> Plan[Factor]:
    """Return the factor of the columns of all clients side by side, the target last."""
    step = max(1, MOST_MASKED // max(1, *(owner.width for owner in owners)))
    pieces = [MaskedColumns(start, start + step) for start in range(0, view.rows, step)]
    keys = _keys(owners)
    masked = _Masked([owner.width for owner in owners])
    given = view.give(PerClient((keys,) * len(owners)))
    first: list[Plan[Any]] = [ask(MaskSeeds(), given), ask(pieces[0], view)]
    boxes, some = yield from gather(first)
    masked.add(some)
    second: list[Plan[Any]] = [ask(MaskedProducts(), view.give(_beside(keys, boxes)))]
    second += [ask(piece, view) for piece in pieces[1:2]]
    found = yield from gather(second)
    for some in found[1:]:
        masked.add(some)
    for piece in pieces[2:]:
        masked.add((yield from ask(piece, view)))
    return _factor(owners, masked, found[0], view.rows)


def _keys(owners: Sequence[OwnerKey]) -> Array:
    every = b"".join(owner.public for owner in owners)
    return np.frombuffer(every, dtype=np.uint8).reshape(len(owners), SEED)


def _beside(keys: Array, boxes: Sequence[Array]) -> PerClient[Array]:
    """Return for each client all public keys, each with what its owner sealed for that client."""
    count = len(keys)
    boxes = boxes or (np.zeros((count, BOX), dtype=np.uint8),) * count  # in a rehearsal
    assert all(len(own) == count for own in boxes)
    every = np.stack(boxes)
    return PerClient(tuple(np.hstack([keys, every[:, i]]) for i in range(count)))


class _Masked:
    """The products of masked columns of different clients, of all rows so far."""

    def __init__(self, widths: Sequence[int]) -> None:
        self.ends = np.cumsum([0, *widths])
        width = int(self.ends[-1])
        self.total = np.zeros((width, width, LIMBS), dtype=np.uint64)

    def add(self, cells: Sequence[Array]) -> None:
        """Add the products of some rows; of each pair of clients once."""
        widths = np.diff(self.ends).tolist()
        assert not cells or [table.shape[1] for table in cells] == widths
        for i, own in enumerate(cells[:-1]):
            others = np.concatenate(cells[i + 1 :], axis=1)
            here = slice(self.ends[i], self.ends[i + 1]), slice(self.ends[i + 1], None)
            self.total[here] = ring_sum(self.total[here], ring_products(own, others))


def _factor(
    owners: Sequence[OwnerKey], masked: _Masked, sent: Sequence[OwnerProducts], rows: int
) -> Factor:
    """Take the masks off the products, and return their factor."""
    order = _target_last(owners)
    if not sent:  # in a rehearsal
        return Factor(0.0, np.zeros(len(order)), np.empty((0, len(order) + 1)))
    products = _unmasked(masked, sent)
    sums, exponents, pivot = (
        np.concatenate([getattr(one, name) for one in sent])
        for name in ("sums", "exponents", "pivot")
    )
    gram = _with_ones(pair_of(products[np.ix_(order, order)]), pair_of(sums[order]), rows)
    triangle = triangle_of(gram)
    triangle[:, 1:] = np.ldexp(triangle[:, 1:], exponents[order] - bits_for(rows))
    return Factor(float(rows), pivot[order], triangle)


def _unmasked(masked: _Masked, sent: Sequence[OwnerProducts]) -> Array:
    """Return the products of all columns with each other: exact, since masks cancel."""
    ends, width = masked.ends, masked.ends[-1]
    widths = np.diff(ends).tolist()
    assert [one.products.shape[:2] for one in sent] == [(own, width) for own in widths]
    added = np.concatenate([one.products for one in sent])
    whose = np.repeat(np.arange(len(sent)), widths)
    across = whose[:, None] < whose[None]
    # of two clients, each sent a part of what the masks add
    apart = ring_difference(masked.total, ring_sum(added, turned(added)))
    found = np.where(across[..., None], apart, added)
    return np.where((whose[:, None] > whose[None])[..., None], turned(found), found)


def _with_ones(products: Pair, sums: Pair, rows: int) -> Pair:
    """Return the Gram matrix of a column of ones and the others."""

    def around(corner: float, side: Array, rest: Array) -> Array:
        return np.block([[np.full((1, 1), corner), side[None]], [side[:, None], rest]])

    return Pair(around(rows, sums.high, products.high), around(0.0, sums.low, products.low))


def _target_last(owners: Sequence[OwnerKey]) -> Array:
    """Return the positions of the columns of all clients, and then that of the target."""
    is_target: list[Any] = []
    for owner in owners:
        is_target += [False] * owner.columns + [True] * owner.has_target
    return np.argsort(np.array(is_target, dtype=bool), kind="stable")
