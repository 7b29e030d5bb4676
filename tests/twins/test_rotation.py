"""The rotation itself: no setting and no partition is left out, whatever the settings are."""

from collections import Counter

import pytest

from tests import rotation
from tests.rotation import in_turn, rotated


@pytest.fixture(params=[1, 3, 6])
def one_in(request, monkeypatch):
    monkeypatch.setattr(rotation, "ONE_IN", request.param)
    return request.param


@pytest.mark.parametrize("settings", [1, 2, 5, 20])
def test_all_are_met(one_in, settings):
    suitable = [(name, "abcdefghijkl"[name % 3 :]) for name in range(settings)]
    pairs = rotated(suitable)
    assert len(pairs) == len(set(pairs))
    assert {name for name, _ in pairs} == set(range(settings))
    assert {each for _, each in pairs} == set("abcdefghijkl")
    assert all(each in suitable[name][1] for name, each in pairs)


def test_one_is_the_full_product(monkeypatch):
    monkeypatch.setattr(rotation, "ONE_IN", 1)
    assert len(rotated((name, "abcd") for name in range(5))) == 20


def test_evenly(one_in):
    met = Counter(last for *_, last in in_turn(zip(range(24)), range(12)))
    assert max(met.values()) - min(met.values()) <= 1
