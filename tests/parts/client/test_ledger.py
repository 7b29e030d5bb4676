"""The ledger: every answer that left or was kept back, to the byte, and no cell."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_union
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from fedps.client import Ledger, Policy, Responder, open_table
from fedps.protocol.codec import encode_part
from tests.parts.client.ledgers import Clock
from tests.parts.client.opening import opening, talk

CELL = "J. Smith, 3 May 1974"
RARE = 987_654.25
TABLE = pd.DataFrame(
    {
        "age": np.arange(20.0),
        "bmi": [RARE] * 3 + [None] * 17,
        "name": [CELL, "A. Jones"] * 10,
    }
).astype({"bmi": float})


COUNTS_GAPS = SimpleImputer(strategy="constant", fill_value=0)


def of_asks(responder):
    """Return the entries about asks: what else a ledger notes has no disclosure level."""
    return [entry for entry in responder.ledger.entries if entry.statistic != "Schema"]


def test_sent_refused_and_failed():
    responder = Responder("oslo", open_table(TABLE), Policy(min_rows=5))
    estimator = make_column_transformer(
        (StandardScaler(), ["age"]),
        (MinMaxScaler(), ["bmi"]),
        (StandardScaler(), ["age", "bmi", "name"]),
        (OneHotEncoder(), ["age"]),
    )
    reply = talk(responder, opening(estimator, 1, 2, 3, 4))
    entries = of_asks(responder)
    found = [(e.round, e.statistic, e.columns, e.level, e.outcome) for e in entries]
    assert found == [
        (1, "Moments", ("age",), "AGGREGATE", "sent"),
        (1, "Extremes", ("bmi",), "SUMMARY", "refused"),
        (1, "Moments", ("age", "bmi", "name"), "AGGREGATE", "failed"),
        (1, "Categories", ("age",), "SUMMARY", "sent"),
    ]
    for entry, raw in zip(entries, reply.answers, strict=True):
        assert entry.bytes == len(bytes(raw))
        assert entry.digest == blake2b(bytes(raw), digest_size=8).hexdigest()


def test_a_refused_round_is_noted():
    responder = Responder("oslo", open_table(TABLE[:4]), Policy(min_rows=5))
    reply = talk(responder, opening(make_union(COUNTS_GAPS, StandardScaler()), 1, 2))
    (entry,) = responder.ledger.entries
    assert (entry.round, entry.statistic, entry.outcome) == (1, "Round", "refused")
    assert entry.bytes == len(encode_part(reply.problem))


def test_no_cell_is_noted():
    responder = Responder("oslo", open_table(TABLE), Policy.open())
    estimator = make_union(OneHotEncoder(max_categories=9), COUNTS_GAPS, StandardScaler())
    talk(responder, opening(estimator, 1, 2, 3))
    text = repr(responder.ledger)
    assert "name" in text
    for cell in (CELL, "A. Jones", str(RARE)):
        assert cell not in text


def test_all_rounds_oldest_first():
    clock = Clock()
    responder = Responder("oslo", open_table(TABLE), Policy.open(), ledger=Ledger(clock=clock))
    for number in (1, 2, 2, 1):
        talk(responder, opening(COUNTS_GAPS, 0, number=number))
        clock.forward(61)
    assert [entry.round for entry in of_asks(responder)] == [1, 2, 2, 1]
    first, second, again, _ = of_asks(responder)
    assert first.digest == second.digest == again.digest


def test_a_new_fit_does_not_clear_it():
    responder = Responder("oslo", open_table(TABLE), Policy.open())
    talk(responder, opening(COUNTS_GAPS, 0))
    responder.forget()
    assert len(of_asks(responder)) == 1
