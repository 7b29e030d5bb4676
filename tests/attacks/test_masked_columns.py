"""What a server sees of columns under masks: as much as of random numbers, but for the sums at the end."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from fedps.client.block import TableBlock
from fedps.client.owner.masking import SodiumMasking
from fedps.client.owner.own_side import OwnSide
from fedps.client.tables import Chunk
from fedps.protocol.codec import encode_part
from fedps.statistics import (
    BadCells,
    MaskedColumns,
    MaskedPartial,
    MaskedProducts,
    MaskKeys,
    MaskSeeds,
    PartialKeys,
)
from fedps.statistics.masked.drawn_masks import BOX, SEED, Seed, own_seed
from fedps.statistics.masked.own_columns import own_columns
from fedps.statistics.masked.ring import in_ring, ring_difference
from tests.twins.columns.models import owned, related

ROWS = 400
SECRET = b"only this owner knows this"


def block(table, *, secret=SECRET, salt=b"", given=None, y=None):
    own = OwnSide(lambda: secret, lambda: SodiumMasking(secret, salt))
    return TableBlock(table, Chunk(table, y), given=given, own=own)


def answered(statistic, some):
    return statistic.update(statistic.empty(some.width), some)


def lines(*rows):
    return np.array([list(row) for row in rows], dtype=np.uint8)


def table(seed=0):
    return np.random.default_rng(seed).normal(size=(ROWS, 3))


def masked(some):
    (cells,) = answered(MaskedColumns(), some).cells
    return cells


@pytest.mark.parametrize(
    "cells", [table(), np.zeros((ROWS, 3)), np.ones((ROWS, 3)) * np.arange(3), table() * 1e100]
)
def test_bytes_of_masked_columns_are_uniform(cells):
    """Whatever the cells: each byte value is about as frequent as any other, in every place of a number."""
    octets = masked(block(cells)).view(np.uint8).reshape(-1, 16)
    for place in octets.T:
        counts = np.bincount(place, minlength=256)
        expected = len(place) / 256
        assert ((counts - expected) ** 2 / expected).sum() < 400  # 255 on average, 1e-7 beyond


def test_products_with_others_are_uniform():
    """The corrections alone say nothing, either: another mask lies on them."""
    peer = SodiumMasking(b"another owner")
    seen = []
    for i in range(300):
        secret = SECRET + bytes([i % 256, i // 256])
        own = SodiumMasking(secret)
        box = peer.seal(own.public, Seed(b"s" * SEED, ROWS, 2).packed())
        given = lines(own.public + bytes(BOX), peer.public + box)
        some = block(np.zeros((ROWS, 1)), secret=secret, given=given)
        (products,) = answered(MaskedProducts(), some).products
        assert (products[:, :1] == 0).all()  # its own
        seen.append(products[:, 1:])
    counts = np.bincount(np.stack(seen).view(np.uint8).ravel(), minlength=256)
    expected = counts.sum() / 256
    assert ((counts - expected) ** 2 / expected).sum() < 400


def test_the_same_masks_never_lie_on_other_cells():
    """A server that has a fit begin again with other cells cannot subtract what it got before."""
    one = table()
    other = one.copy()
    other[7, 1] += 1e-9
    first, second = masked(block(one)), masked(block(other))
    assert (first == masked(block(one.copy()))).all()  # the same message has the same answer
    assert (first != second).all()
    apart = ring_difference(first, second)
    true = ring_difference(*(in_ring(own_columns(block(cells)).whole) for cells in (one, other)))
    assert (apart != true).all()
    scaled = masked(block(one * 2))  # the same whole numbers, of other size
    assert (scaled != first).all()
    assert (masked(block(one, secret=b"of another fit")) != first).all()


def test_rows_of_any_piece_have_the_masks_of_all_rows():
    cells = np.random.default_rng(1).normal(size=(9000, 2))
    whole = masked(block(cells))
    for start, stop in [(0, 10), (4000, 4200), (4096, 8192), (8999, 9000), (8999, 20_000)]:
        (some,) = answered(MaskedColumns(start, stop), block(cells)).cells
        assert (some == whole[start:stop]).all()


def test_what_cancels_is_of_these_columns_alone():
    """With other columns of the other owner, another mask lies on what the masks add."""
    own, peer = SodiumMasking(SECRET), SodiumMasking(b"another owner")
    seen = []
    for seed in (b"a" * SEED, b"b" * SEED):
        box = peer.seal(own.public, Seed(seed, ROWS, 1).packed())
        given = lines(own.public + bytes(BOX), peer.public + box)
        some = block(np.zeros((ROWS, 1)), given=given)
        (products,) = answered(MaskedProducts(), some).products
        seen.append(products[0, 1].tolist())
    assert seen[0] != seen[1]


LOW_ORDER = [
    bytes(32),
    (1).to_bytes(32, "little"),
    bytes.fromhex("ec" + "ff" * 30 + "7f"),
    bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
]
OWN = SodiumMasking(SECRET).public
PEER = SodiumMasking(b"another owner")
KEYS = {
    "of small order": [lines(OWN, bad) for bad in LOW_ORDER],
    "of a wrong length": [lines(OWN + b"1", PEER.public + b"1"), np.zeros((2, 31), np.uint8)],
    "repeated": [lines(OWN, PEER.public, PEER.public), lines(OWN, OWN)],
    "without its own": [lines(PEER.public)],
    "not bytes": [np.zeros((2, 32)), np.zeros(64, np.uint8)],
}


@pytest.mark.parametrize("name", KEYS)
def test_hostile_keys_are_refused(name):
    for given in KEYS[name]:
        with pytest.raises(BadCells) as caught:
            answered(MaskSeeds(), block(table(), given=given))
        assert caught.value.rule == "keys"


def boxed(box, peer=PEER.public):
    return lines(OWN + bytes(BOX), peer + box)


def test_boxes_that_do_not_open_are_refused():
    seed = Seed(b"s" * SEED, ROWS, 2).packed()
    good = PEER.seal(OWN, seed)
    changed = good[:30] + bytes([good[30] ^ 1]) + good[31:]
    for bad in (
        bytes(BOX),
        changed,
        SodiumMasking(SECRET).seal(PEER.public, seed),  # its own, sent back
        SodiumMasking(b"another owner", b"salt").seal(OWN, seed),
        SodiumMasking(b"a server").seal(OWN, seed),
    ):
        with pytest.raises(BadCells) as caught:
            answered(MaskedProducts(), block(table(), given=boxed(bad)))
        assert caught.value.rule == "keys"
    for other in (Seed(b"s" * SEED, ROWS + 1, 2), Seed(b"s" * SEED, ROWS, 2**40)):
        given = boxed(PEER.seal(OWN, other.packed()))
        with pytest.raises(BadCells) as caught:
            answered(MaskedProducts(), block(table(), given=given))
        assert caught.value.rule == "aligned"
    answered(MaskedProducts(), block(table(), given=boxed(good)))


def test_a_salt_keeps_out_a_server_with_keys_of_its_own():
    server = SodiumMasking(b"a server")
    (boxes,) = answered(MaskSeeds(), block(table(), given=lines(OWN, server.public))).boxes
    some = block(table())
    assert Seed.of(server.open(OWN, boxes[1].tobytes())) == own_seed(some, own_columns(some))
    salted = block(table(), salt=b"agreed on by telephone", given=lines(OWN, server.public))
    (boxes,) = answered(MaskSeeds(), salted).boxes
    with pytest.raises(BadCells):
        server.open(OWN, boxes[1].tobytes())


def test_public_keys_are_of_one_fit():
    one, other = (answered(MaskKeys(), block(table(), secret=s)).keys for s in (b"1", b"2"))
    assert (one != other).any()
    assert encode_part(answered(MaskKeys(), block(table()))) == encode_part(
        answered(MaskKeys(), block(table(3)))
    )


class Weighted:
    """A part of a model."""

    def partial(self, rows):
        return rows.sum(axis=1, keepdims=True)


def predicting(cells, secret, given=None, salt=b""):
    found = block(cells, secret=secret, given=given, salt=salt)
    found._part = Weighted()
    return found


def predicted(tables, secrets):
    """Return what each client sends of its parts of predictions."""
    blocks = [predicting(*both) for both in zip(tables, secrets, strict=True)]
    keys = np.concatenate([answered(PartialKeys(), some).keys for some in blocks])
    for some in blocks:
        some._given = keys
    return [answered(MaskedPartial(0, ROWS, -60), some) for some in blocks]


def test_only_the_sums_of_parts_are_seen():
    tables = [table(i) for i in range(3)]
    parts = predicted(tables, [b"1", b"2", b"3"])
    for part in parts:
        counts = np.bincount(part.cells.view(np.uint8).ravel(), minlength=256)
        expected = counts.sum() / 256
        assert ((counts - expected) ** 2 / expected).sum() < 400
    statistic = MaskedPartial(0, ROWS, -60)
    found = statistic.result(statistic.merge_all(parts))
    np.testing.assert_allclose(found, sum(t.sum(axis=1) for t in tables), rtol=1e-13, atol=1e-13)


def test_masks_of_parts_are_of_these_rows_alone():
    """A server that has other rows predicted cannot subtract what it got before."""
    one, other = [table(0), table(1)], [table(0) + 1e-9, table(1)]
    secrets = [b"1", b"2"]
    first, second = predicted(one, secrets), predicted(other, secrets)
    assert (first[0].cells == predicted(one, secrets)[0].cells).all()
    for a, b in zip(first, second, strict=True):
        assert (a.cells != b.cells).all()


def test_hostile_marks_are_refused():
    cells = table()
    (own,) = answered(PartialKeys(), predicting(cells, SECRET)).keys
    other = PEER.public + bytes(SEED)
    for given in (
        lines(own),  # alone, there would be no mask
        lines(own, own),
        lines(own, other, other),
        lines(bytes(own)[:SEED] + bytes(SEED), other),  # a mark of other rows
        lines(own, LOW_ORDER[0] + bytes(SEED)),
    ):
        with pytest.raises(BadCells) as caught:
            answered(MaskedPartial(0, ROWS, -60), predicting(cells, SECRET, given))
        assert caught.value.rule == "keys"
    with pytest.raises(BadCells) as caught:
        answered(MaskedPartial(0, ROWS, -200), predicting(cells, SECRET, lines(own, other)))
    assert caught.value.rule == "range"
    for rows in (0, 2**30):
        with pytest.raises(BadCells, match="too large"):
            MaskedPartial(0, rows, 0).empty(1)


def test_who_shows_only_sums_takes_part():
    X, y = related(400, 6)
    for level in ("AGGREGATE", "SUMMARY"):
        made = owned(X, [2, 4], y, at=1, policy=fedps.Policy(level=level))
        model = make_pipeline(StandardScaler(), BayesianRidge())
        fitted = made.fit(model)
        assert {ask.level for ask in made.run.asks} == {"AGGREGATE"}
        found = np.concatenate([part[-1].coef_ for part in fitted.values()])
        np.testing.assert_allclose(found, model.fit(X, y)[-1].coef_, rtol=1e-9)


@pytest.mark.parametrize(
    ("rows", "width", "said"),
    [
        (60, 30, r"refused MaskedProducts: the policy there \(max_share of products\)"),
        (30, 40, r"refused RowFactor: the policy there \(level\)"),
    ],
)
def test_products_of_too_many_columns_are_refused(rows, width, said):
    """Few rows for the columns of all owners together, though not for any owner's own."""
    X, y = related(rows, width)
    policy = fedps.Policy(budget=None)
    with pytest.raises(fedps.Refused, match=said):
        owned(X, range(5, width, 5), y, policy=policy).fit(BayesianRidge())


def test_cells_that_stand_out_are_refused_before_they_are_multiplied():
    X, y = related(100, 4)
    X[:, 3] = 0
    X[5, 3] = 1
    with pytest.raises(
        fedps.Refused, match=r"MaskSeeds on column 1: the policy there \(min_count\)"
    ):
        owned(X, [2], y, policy=fedps.Policy()).fit(BayesianRidge())
