"""What private matching costs: rounds by the number of owners, and bytes that follow from sizes alone."""

from __future__ import annotations

import pandas as pd
import pytest

import fedps

# bytes up and down of each owner, with 200, 100 and 150 keys of which all have 50
GOLDEN = ((22_720, 18_463, 19_976), (15_491, 15_491, 15_491))


def match(*every):
    tables = [pd.DataFrame({"id": list(keys), f"x{i}": 1.0}) for i, keys in enumerate(every)]
    return fedps.Federation(tables, split="columns", key="id", match="private").run


def costs(*every):
    run = match(*every)
    return run.rounds, tuple(run.bytes_up.values()), tuple(run.bytes_down.values())


@pytest.mark.parametrize("owners", [2, 3, 4, 5])
def test_a_round_for_each_owner_and_two_more(owners):
    assert match(*[range(20)] * owners).rounds == owners + 2


def test_bytes_follow_from_sizes():
    """Random points do not deflate: whatever the keys are, bytes are the same but for a few."""
    rounds, up, down = costs(range(200), range(150, 250), range(140, 290))
    other = costs(
        range(200), [*range(50), *range(900, 1000)][:100], [*range(50), *range(5000, 5100)]
    )
    assert rounds == other[0] == 5
    for now, then, was in ((up, other[1], GOLDEN[0]), (down, other[2], GOLDEN[1])):
        assert all(abs(a - b) <= 24 for a, b in zip(now, then, strict=True))
        assert all(abs(a - b) <= 64 for a, b in zip(now, was, strict=True)), now
