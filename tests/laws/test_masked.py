"""Products of columns under masks: exact, whatever the cells, and as good a factor as that of the rows."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedps.client.block import TableBlock
from fedps.client.owner.masking import SodiumMasking
from fedps.client.owner.own_side import OwnSide
from fedps.client.tables import Chunk
from fedps.plans.columns.masked_products import _beside, _factor, _keys, _Masked, _unmasked
from fedps.plans.shared.double_double import pair_of, triangle_of
from fedps.statistics import MaskedColumns, MaskedProducts, MaskKeys, MaskSeeds
from fedps.statistics.masked.own_columns import as_whole_numbers, bits_for
from fedps.statistics.masked.ring import (
    doubles_in_ring,
    doubles_of_ring,
    in_ring,
    ring_difference,
    ring_products,
    ring_sum,
)
from tests.laws.examples import FEWER

RING = 2**128


def whole(ring):
    """Return numbers of the ring as Python's own."""
    return (ring[..., 1].astype(object) << 64) + ring[..., 0].astype(object)


def signed(ring):
    found = whole(ring)
    return np.where(found >= RING // 2, found - RING, found)


limbs = st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 2**64 - 1, 2**63, 2**48, 2**16 - 1])


@st.composite
def two_tables(draw):
    rows, sizes = draw(st.integers(0, 5)), draw(st.tuples(*[st.integers(0, 3)] * 2))
    cells = st.lists(limbs, min_size=rows * 6, max_size=rows * 6)
    tables = [np.array(draw(cells), dtype=np.uint64).reshape(rows, 3, 2)[:, :w] for w in sizes]
    return [
        t if draw(st.booleans()) else np.ascontiguousarray(t[..., 0]).view(np.int64) for t in tables
    ]


def plain(table):
    return whole(table) if table.ndim == 3 else table.astype(object)


@FEWER
@given(two_tables())
def test_products_in_the_ring(tables):
    left, right = tables
    expected = plain(left).T.dot(plain(right)) % RING if len(left) else 0
    assert (whole(ring_products(left, right)) == expected).all()


@FEWER
@given(st.lists(st.tuples(limbs, limbs, limbs, limbs), max_size=9))
def test_sums_and_differences_in_the_ring(numbers):
    table = np.array(numbers, dtype=np.uint64).reshape(-1, 2, 2)
    one, two = table[:, 0], table[:, 1]
    assert (whole(ring_sum(one, two)) == (whole(one) + whole(two)) % RING).all()
    assert (whole(ring_difference(one, two)) == (whole(one) - whole(two)) % RING).all()


@FEWER
@given(st.lists(st.floats(-(2.0**126), 2.0**126), max_size=9))
def test_doubles_in_the_ring_and_back(numbers):
    numbers = np.rint(np.array(numbers, dtype=float))
    ring = doubles_in_ring(numbers)
    assert signed(ring).tolist() == [int(number) for number in numbers]
    assert doubles_of_ring(ring).tolist() == numbers.tolist()


def test_many_rows_at_once_are_not_rounded():
    table = np.full((70_000, 2), -(2**53))
    assert (signed(ring_products(table, table)) == 70_000 * 2**106).all()
    largest = np.full((70_000, 1, 2), 2**64 - 1, dtype=np.uint64)
    assert (whole(ring_products(largest, largest)) == 70_000).all()


def asked(statistic, blocks, given=None):
    """Return what the clients answer, merged."""
    summaries = []
    for i, block in enumerate(blocks):
        block._given = None if given is None else given.values[i]
        summaries.append(statistic.update(statistic.empty(block.width), block))
    return statistic.result(statistic.merge_all(summaries))


def blocks_of(tables, target_at=0, y=None, salt=b""):
    found = []
    for i, table in enumerate(tables):
        secret = bytes([i + 1]) * 32
        own = OwnSide(partial(bytes, secret), partial(SodiumMasking, secret, salt))
        found.append(TableBlock(table, Chunk(table, y if i == target_at else None), own=own))
    return found


def talk(blocks, step=4):
    """Return what the server has of all clients at the end."""
    owners = asked(MaskKeys(), blocks)
    keys = _keys(owners)
    boxes = asked(MaskSeeds(), blocks, type(_beside(keys, ()))((keys,) * len(owners)))
    masked = _Masked([owner.width for owner in owners])
    for start in range(0, blocks[0].rows, step):
        masked.add(asked(MaskedColumns(start, start + step), blocks))
    return owners, masked, asked(MaskedProducts(), blocks, _beside(keys, boxes))


@st.composite
def owned_tables(draw):
    rows = draw(st.integers(1, 9))
    number = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1e-300, 1e150, -1e150, 1 / 3])
    tables = []
    for width in draw(st.lists(st.integers(0, 3), min_size=1, max_size=4)):
        cells = draw(st.lists(number, min_size=rows * width, max_size=rows * width))
        tables.append(np.array(cells, dtype=float).reshape(rows, width))
    y = np.array(draw(st.lists(number, min_size=rows, max_size=rows)), dtype=float)
    return tables, draw(st.integers(0, len(tables) - 1)), y


@FEWER
@given(owned_tables())
def test_masks_cancel_to_the_last_bit(case):
    tables, at, y = case
    _, masked, sent = talk(blocks_of(tables, at, y))
    every = [np.column_stack([t, y]) if i == at else t for i, t in enumerate(tables)]
    numbers = np.hstack([as_whole_numbers(table).whole for table in every]).astype(object)
    assert (signed(_unmasked(masked, sent)) == numbers.T.dot(numbers)).all()
    sums = np.concatenate([one.sums for one in sent])
    assert (signed(sums) == numbers.sum(axis=0)).all()


@pytest.mark.parametrize("near", [1.0, 1e-3, 1e-7, 1e-10])
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_the_factor_is_that_of_the_rows(near, offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    X[:, 4] = X[:, 0] - X[:, 2] + near * X[:, 4]
    X[:, 1] += offset
    y = rng.normal(size=200)
    owners, masked, sent = talk(blocks_of([X[:, :2], X[:, 2:]], 0, y), step=60)
    factor = _factor(owners, masked, sent, 200)
    Z = np.column_stack([np.ones(200), np.column_stack([X, y]) - factor.pivot])
    expected = np.linalg.qr(Z, mode="r")
    expected *= np.sign(np.diagonal(expected))[:, None]
    size = np.linalg.norm(expected, axis=0)
    # what is left of a column that others nearly give is known to that many digits only, by either way
    np.testing.assert_allclose(factor.triangle / size, expected / size, atol=2e-15 + 1e-16 / near)


def test_columns_that_follow_from_others_leave_rows_of_zeros():
    rng = np.random.default_rng(1)
    table = rng.integers(-9, 10, (30, 4))
    table = np.column_stack([table, table[:, 0] + table[:, 3], np.zeros(30, dtype=int)])
    triangle = triangle_of(pair_of(ring_products(table, table)))
    assert (triangle[4:] == 0).all()
    np.testing.assert_allclose(triangle.T @ triangle, table.T @ table, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 2**20 - 1, 2**20, 10**9])
def test_sums_of_products_have_room(rows):
    assert rows * (2 ** bits_for(rows)) ** 2 <= 2**126
    assert bits_for(rows) >= 48


def test_pairs_of_doubles_have_a_hundred_bits():
    rng = np.random.default_rng(2)
    ring = rng.integers(0, 2**64, (200, 2), dtype=np.uint64)
    ring[:100, 1] = 0
    high, low = pair_of(ring)
    for number, a, b in zip(signed(ring), high, low, strict=True):
        assert abs(int(a) + int(b) - number) <= abs(number) >> 100
    assert (
        in_ring(np.array([-5])) == ring_difference(in_ring(np.array([0])), in_ring(np.array([5])))
    ).all()
