"""All attacks of consent.md, at both levels and under every preset: what is read, as a share of the cells."""

import pytest

from tests.attacks.hostile import LEVELS, ROWS
from tests.attacks.readings import PRESETS, Scene
from tests.attacks.thirteen import ATTACKS

EXTREMES = 2 / ROWS  # of a column: a pooled result at SUMMARY has them anyway


def test_none_is_forgotten():
    assert sorted(ATTACKS) == list(range(1, 14))
    assert len(set(ATTACKS.values())) == 13


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("number", ATTACKS)
def test_an_attack_reads_next_to_nothing(number, preset, level):
    scene = Scene(preset, level)
    read = ATTACKS[number](scene)
    most = scene.policy.max_share if level == "SUMMARY" else EXTREMES
    assert scene.share(read.numbers) <= most
    assert not read.knows_fulda
    assert not scene.is_of_fulda(read.numbers) or number in (3, 7)  # a value, and nobody's name
    scene.victim.check_unchanged()


READ_WITHOUT_RULES = {3: 0.9, 6: 0.3, 7: 0.9, 9: 0.9}


@pytest.mark.parametrize(("number", "share"), READ_WITHOUT_RULES.items())
def test_without_rules_cells_are_read(number, share):
    """The control: it is the rules that stop these, in a process that is the user's own they may go on."""
    scene = Scene("open")
    assert scene.share(ATTACKS[number](scene).numbers) >= share


@pytest.mark.parametrize("number", [5, 8])
def test_without_rules_the_person_is_read(number):
    assert ATTACKS[number](Scene("open")).knows_fulda
