"""XorTable: each tag finds its value, all others find what looks random, at any size."""

from __future__ import annotations

import numpy as np
import pytest

from fedps.statistics.matching.xor_table import TAG_WORDS, WORDS, XorTable, size_for, xor_table


def draw(seed, rows, columns):
    return np.random.default_rng(seed).integers(0, 2**64, (rows, columns), dtype=np.uint64)


def made(number, seed=0):
    tags, values = draw(seed, number, TAG_WORDS), draw(seed + 1, number, WORDS)
    return tags, values, xor_table(tags, values, lambda slots: draw(seed + 2, slots, WORDS))


@pytest.mark.parametrize("number", [0, 1, 2, 3, 5, 10, 33, 100, 1000, 20_000])
def test_each_tag_finds_its_value(number):
    tags, values, table = made(number)
    assert table.slots.shape == (size_for(number), WORDS)
    assert (table.look_up(tags) == values).all()
    assert (table.look_up(tags[::-1]) == values[::-1]).all()


def test_small_tables_are_found_for_all_tags():
    for seed in range(300):
        tags, values, table = made(1 + seed % 60, seed)
        assert (table.look_up(tags) == values).all()


def test_other_tags_find_what_looks_random():
    _, values, table = made(5000)
    others = table.look_up(draw(9, 5000, TAG_WORDS))
    assert np.intersect1d(others, values).size == 0
    bits = np.unpackbits(np.ascontiguousarray(others).view(np.uint8), axis=1)
    assert (abs(bits.mean(axis=0) - 0.5) < 5 * 0.5 / np.sqrt(5000)).all()


def test_slots_look_random_and_come_once():
    _, _, table = made(5000)
    assert len(np.unique(table.slots)) == table.slots.size
    bits = np.unpackbits(table.slots.view(np.uint8), axis=1)
    assert (abs(bits.mean(axis=0) - 0.5) < 5 * 0.5 / np.sqrt(len(bits))).all()


def test_values_can_be_anything():
    tags = draw(0, 50, TAG_WORDS)
    values = np.zeros((50, WORDS), dtype=np.uint64)
    table = xor_table(tags, values, lambda slots: draw(1, slots, WORDS))
    assert not table.look_up(tags).any()


def test_a_tag_that_comes_twice_has_no_table():
    tags = draw(0, 50, TAG_WORDS)
    with pytest.raises(ValueError, match="tags are not all different"):
        xor_table(tags[[*range(50), 7]], draw(1, 51, WORDS), lambda n: draw(2, n, WORDS))


@pytest.mark.parametrize("seed", [0, 1, 2**62])
def test_looking_up_in_what_a_client_made_up_ends(seed):
    found = XorTable(seed, draw(0, size_for(3), WORDS)).look_up(draw(1, 10, TAG_WORDS))
    assert found.shape == (10, WORDS)
