"""Owners that cannot mask their columns, or not together."""

from __future__ import annotations

import sys

import pytest
from sklearn.linear_model import BayesianRidge

import fedps
from tests.twins.columns.models import owned, related


def federation():
    X, y = related(60, 5)
    return owned(X, [2], y)


def test_without_the_library(monkeypatch):
    made = federation()
    monkeypatch.setitem(sys.modules, "nacl.bindings", None)
    with pytest.raises(fedps.ClientError) as caught:
        made.fit(BayesianRidge())
    assert str(caught.value) == (
        "clients 'client 1' and 'client 2' have no PyNaCl, by which columns are masked and keys are blinded. Install it there: "
        "pip install 'fedps[columns]'. [round 1]"
    )


def test_owners_with_different_salts():
    made = federation()
    responders = made._split._here._responders
    for name, salt in zip(responders, (b"one", b"another"), strict=True):
        responders[name].table.salt = salt
    with pytest.raises(
        fedps.ClientError, match=r"A salt must be the same at all owners\..*\[round 3"
    ):
        made.fit(BayesianRidge())
    for name in responders:
        responders[name].table.salt = b"one"
    fitted = made.fit(BayesianRidge())
    assert made.predict(fitted).shape == (60,)
