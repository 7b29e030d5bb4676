"""Compressed messages: stretches that are compressed in different ways come back as they were, and are short."""

import zlib

import numpy as np
import pytest

from fedps.protocol.limits import WORTH_TRYING_HARD
from fedps.protocol.packing.deflated import STRETCHES, WORTH_CUTTING, deflated
from fedps.protocol.words import WORDS

RNG = np.random.default_rng(0)
KINDS = {
    "random": RNG.bytes,
    "repeating": lambda size: (b"table" * size)[:size],
    "few bytes": lambda size: RNG.integers(0, 50, size).astype("u1").tobytes(),
}
KINDS["one after the other"] = lambda size: b"".join(
    make(size // 3 + size % 3 * (i == 2)) for i, make in enumerate([*KINDS.values()][:3])
)
SIZES = (1, WORTH_TRYING_HARD - 1, WORTH_TRYING_HARD, WORTH_CUTTING, WORTH_CUTTING + STRETCHES + 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_one_stream_however_it_was_compressed(kind, size):
    packed = KINDS[kind](size)
    inflating = zlib.decompressobj(-zlib.MAX_WBITS, zdict=WORDS)
    found = deflated(packed)
    assert inflating.decompress(found) == packed
    assert inflating.eof
    assert not inflating.unused_data


@pytest.mark.parametrize("kind", KINDS)
def test_no_longer_than_in_one_way(kind):
    packed = KINDS[kind](2 * WORTH_CUTTING)
    assert len(deflated(packed)) <= 1.01 * len(zlib.compress(packed, 1)) + 10
