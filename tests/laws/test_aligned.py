"""The laws of statistics about rows of which each client holds different columns."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedps.client.block import TableBlock
from fedps.client.owner.masking import SodiumMasking
from fedps.client.owner.own_side import OwnSide
from fedps.client.tables import Chunk
from fedps.protocol.codec import decode_part, encode_part
from fedps.protocol.packing.arrays import Budget
from fedps.statistics import (
    AnyStatistic,
    BlindedAgain,
    BlindedKeys,
    ChangeNorms,
    CoarseDistances,
    DonorMeans,
    GapMask,
    IncompleteColumns,
    MaskedColumns,
    MaskedPartial,
    MaskedProducts,
    MaskKeys,
    MaskSeeds,
    MatchTable,
    PairDistances,
    Partial,
    PartialKeys,
    ProvenKeys,
    RowDistances,
    RowFactor,
    RowKeys,
    RowNorms,
    TargetRows,
)
from fedps.statistics.masked.drawn_masks import BOX, SEED, Seed
from fedps.statistics.masked.partial_keys import mark_of_parts, own_parts
from tests.laws.examples import FEWER, bits

ROWS = 6
ALIGNED = {
    BlindedAgain: [BlindedAgain()],
    BlindedKeys: [BlindedKeys(), BlindedKeys(1, 4), BlindedKeys(9, 12)],
    ChangeNorms: [ChangeNorms(True, 2), ChangeNorms(False, 0)],
    CoarseDistances: [CoarseDistances(np.array([0, 5])), CoarseDistances(np.array([2]), 1.0)],
    DonorMeans: [DonorMeans(0), DonorMeans(3)],
    GapMask: [GapMask(), GapMask(1.0)],
    IncompleteColumns: [IncompleteColumns(), IncompleteColumns(1.0)],
    MatchTable: [MatchTable(), MatchTable(0, 0, 0), MatchTable(0, 2, 5)],
    MaskKeys: [MaskKeys()],
    MaskSeeds: [MaskSeeds()],
    MaskedColumns: [MaskedColumns(), MaskedColumns(2, 5), MaskedColumns(4, 99)],
    MaskedPartial: [MaskedPartial(0, 9, -20), MaskedPartial(2, 4, 0)],
    MaskedProducts: [MaskedProducts()],
    PairDistances: [
        PairDistances(np.array([0, 5, 5]), np.array([1, 2, 5])),
        PairDistances(np.array([0]), np.array([1]), None),
    ],
    Partial: [Partial(0, 4), Partial(2, 99), Partial(99, 100), Partial(1, 3, 1, "max")],
    ProvenKeys: [ProvenKeys()],
    PartialKeys: [PartialKeys()],
    RowDistances: [
        RowDistances(np.array([0, 5, 5])),
        RowDistances(np.array([3]), 1.0),
        RowDistances(np.empty(0, dtype=np.int64), None),
    ],
    RowFactor: [RowFactor(), RowFactor(False), RowFactor(True, 1.0)],
    RowKeys: [RowKeys()],
    RowNorms: [RowNorms("l1"), RowNorms("l2"), RowNorms("max")],
    TargetRows: [TargetRows()],
}
CASES = [
    pytest.param(statistic, id=f"{kind.__name__}-{i}")
    for kind, some in ALIGNED.items()
    for i, statistic in enumerate(some)
]
every_case = pytest.mark.parametrize("statistic", CASES)


def test_every_aligned_statistic_is_here():
    known = {kind for kind in get_args(AnyStatistic) if kind.aligned}
    assert known == set(ALIGNED)


@st.composite
def owners(draw):
    """Return what the owners of some columns would send, and their blocks; the first has a target."""
    whole = st.integers(-50, 50).map(float)  # sums of whole numbers are exact in any grouping
    blocks = []
    for i, width in enumerate(draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))):
        cells = draw(st.lists(whole, min_size=ROWS * width, max_size=ROWS * width))
        table = np.array(cells, dtype=float).reshape(ROWS, width)
        chunk = Chunk(table, np.arange(ROWS) * 0.5 if i == 0 else None)
        blocks.append(TableBlock(table, chunk, keys=np.arange(ROWS).astype(str)))
    return blocks


class Owner:
    """An owner in a match, of keys that all have."""

    mark = bytes(16)
    found = np.arange(ROWS)

    def own_points(self, start, stop):
        return np.repeat(np.arange(ROWS, dtype=np.uint8)[:, None], 32, axis=1)[start:stop]

    def blind(self, points):
        return points

    def agree(self, marks):
        """Agree."""

    def meet(self, start, points):
        """Take what comes."""

    def lines(self, start, stop):
        return 3, np.arange(ROWS * 5, dtype=np.uint64).reshape(ROWS, 5)[start:stop]

    def find(self, proofs):
        """Find all."""


class Sums:
    """A part of a model that adds up its columns."""

    def partial(self, rows):
        return rows.sum(axis=1, keepdims=True)


PEER = SodiumMasking(b"another" * 4)


def beside(statistic, block):
    """Give a block what the server would."""
    block._part = Sums()
    if isinstance(statistic, BlindedAgain | MatchTable | ProvenKeys):
        block._given = Owner().own_points(0, ROWS)
    secret = b"own" * 10
    block._own = OwnSide(lambda: secret, lambda: SodiumMasking(secret), Owner)
    if isinstance(statistic, MaskSeeds | MaskedProducts):
        own = block.masking().public
        box = PEER.seal(own, Seed(b"seed" * 8, ROWS, 2).packed())
        lines = [own + bytes(BOX), PEER.public + box]
        length = SEED + BOX * isinstance(statistic, MaskedProducts)
        block._given = np.array([list(line[:length]) for line in lines], dtype=np.uint8)
    if isinstance(statistic, MaskedPartial):
        mark = block.masking().public + mark_of_parts(block, own_parts(block))
        lines = [mark, PEER.public + bytes(SEED)]
        block._given = np.array([list(line) for line in lines], dtype=np.uint8)
    if isinstance(statistic, ChangeNorms):
        # no change: others are sums of roots, rounded in every grouping
        block._given = np.zeros((statistic.wanted, min(ROWS, block.width)))
    if isinstance(statistic, DonorMeans):
        block._given = np.stack([np.arange(statistic.wanted * 2.0).reshape(-1, 2) % ROWS] * 2) + 1
        block._given[0] -= 1


def sent(statistic, block):
    beside(statistic, block)
    return statistic.compact(statistic.update(statistic.empty(block.width), block))


@every_case
@FEWER
@given(st.data())
def test_nothing_is_the_identity(statistic, data):
    (block, *_) = data.draw(owners())
    summary, nothing = sent(statistic, block), statistic.empty(block.width)
    alone = bits(statistic.result(summary))
    assert bits(statistic.result(statistic.merge(nothing, summary))) == alone
    assert bits(statistic.result(statistic.merge(summary, nothing))) == alone


@every_case
@FEWER
@given(st.data())
def test_grouping_changes_no_bit(statistic, data):
    summaries = [sent(statistic, block) for block in data.draw(owners())]
    expected = bits(statistic.result(statistic.merge_all(summaries)))
    items = list(summaries)
    while len(items) > 1:
        i = data.draw(st.integers(0, len(items) - 2))
        items[i : i + 2] = [statistic.merge(items[i], items[i + 1])]
    assert bits(statistic.result(items[0])) == expected


@every_case
@FEWER
@given(st.data())
def test_what_is_sent_passes_its_check_and_comes_back(statistic, data):
    for block in data.draw(owners()):
        summary = sent(statistic, block)
        back = decode_part(encode_part(summary), statistic.summary, "oslo", Budget())
        assert bits(back) == bits(summary)
        statistic.check(back, block.width, ROWS)


@every_case
def test_it_says_what_it_shows(statistic):
    assert statistic.shows
