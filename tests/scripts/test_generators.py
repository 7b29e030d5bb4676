"""Generators on the wire: as they were, and no state that cannot be one."""

from __future__ import annotations

import numpy as np
import pytest

from fedps.errors import PeerError
from fedps.learned import Parameters
from fedps.protocol.codec import decode_part, encode_part
from fedps.protocol.packing.arrays import Budget


def sent(generator):
    packed = encode_part(Parameters(random_state=generator))
    return decode_part(packed, Parameters, "the server", Budget())["random_state"]


def test_it_draws_what_it_would_have_drawn():
    generator = np.random.RandomState(3)
    generator.normal(size=7)  # odd: a number of a pair is left over
    again = sent(generator)
    np.testing.assert_array_equal(again.normal(size=5), generator.normal(size=5))
    np.testing.assert_array_equal(again.permutation(50), generator.permutation(50))


@pytest.mark.parametrize("position", [-1, 625])
def test_a_position_outside(position):
    generator = np.random.RandomState(3)
    changed = _Says(generator, position=position)
    with pytest.raises(PeerError, match="random state that is not one"):
        sent(changed)


def test_a_state_of_zeros():
    """Whoever draws from it until something fits would never end."""
    changed = _Says(np.random.RandomState(3), keys=np.zeros(624, dtype=np.uint32))
    with pytest.raises(PeerError, match="random state that is not one"):
        sent(changed)


class _Says(np.random.RandomState):
    """A generator that tells another state than it has."""

    def __init__(self, generator, *, keys=None, position=None):
        super().__init__()
        name, own, at, *rest = generator.get_state()
        self.told = (
            name,
            own if keys is None else keys,
            at if position is None else position,
            *rest,
        )

    def get_state(self, legacy=True):
        return self.told
