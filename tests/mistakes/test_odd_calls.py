"""Two hundred odd or wrong calls: equal to pooled, refused with a reason, or pooled fails too."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.impute import KNNImputer
from sklearn.preprocessing import PowerTransformer

import fedps
from tests.mistakes.odd_calls import call, pooled, with_one_gap
from tests.twins.compare import assert_same_fit, assert_same_transform
from tests.twins.quiet import quiet

SEEDS = [seed for seed in range(400) if call(seed) is not None][:200]


def outcome(seed):
    """Return what became of a call: "equal", "refused" or "pooled fails"; an AssertionError if none."""
    odd = call(seed)
    with quiet():
        table = expected = None
        try:
            raw = pooled(odd.clients)
            expected = clone(odd.estimator).fit(raw)
            table = with_one_gap(raw, odd.clients)
            expected = clone(odd.estimator).fit(table)
        except Exception as error:  # noqa: BLE001 (whatever pooled raises)
            expected = error
        federation = fedps.Federation(odd.clients)
        try:
            found = federation.fit(odd.estimator)
        except Exception as error:  # noqa: BLE001 (it is looked at)
            found = error
        if isinstance(found, fedps.FedPSError):
            assert _has_a_reason(str(found)), f"{odd.said}: {found}"
            return "pooled fails" if isinstance(expected, Exception) else "refused"
        if isinstance(found, Exception):
            same = type(found) is type(expected) and str(found) == str(expected)
            assert same, f"{odd.said}: {found!r} instead of {expected!r}"
            return "pooled fails"
        if _is_about_na(expected):
            return "pooled fails"  # and pandas' NA works here
        assert not isinstance(expected, Exception), f"{odd.said}: pooled raises {expected!r}"
        if not isinstance(expected, KNNImputer):  # which asks the clients
            rtol = (
                1e-3 if isinstance(expected, PowerTransformer) else 1e-9
            )  # its search ends before
            assert_same_fit(found, expected, rtol, 0.0)
        assert_same_transform(found, expected, table, 1e-6)
    return "equal"


def _is_about_na(error):
    """Whether scikit-learn fails at pandas' NA, or at the NaT among categories that it has itself found."""
    words = ("NAType", "NA is ambiguous", "Found unknown categories [np.datetime64('NaT'")
    return isinstance(error, Exception) and any(word in str(error) for word in words)


def _has_a_reason(text):
    """Whether an error says more than that something failed, and ends as a sentence."""
    return len(text) > 40 and "failed in this round" not in text and "did not answer" not in text


@pytest.mark.parametrize("seed", SEEDS)
def test_an_odd_call(seed):
    assert outcome(seed) in ("equal", "refused", "pooled fails")


def test_every_outcome_occurs():
    found = [outcome(seed) for seed in SEEDS[:60]]
    assert {"equal", "refused", "pooled fails"} == set(found)
    assert found.count("equal") >= 10
    assert np.mean([one == "refused" for one in found]) < 0.4
