"""The ledger: every answer that left or was kept back, to the byte, and no cell."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pandas as pd

from fedps.client import Policy, Responder, open_table
from fedps.protocol.codec import decode, encode, encode_part
from fedps.protocol.messages import Ask, Named, Reply, Round, Select, Tell
from fedps.statistics import Categories, Extremes, Missing, Moments

CELL = "J. Smith, 3 May 1974"
RARE = 987_654.25
TABLE = pd.DataFrame(
    {
        "age": np.arange(20.0),
        "bmi": [RARE] * 3 + [None] * 17,
        "name": [CELL, "A. Jones"] * 10,
    }
).astype({"bmi": float})


def talk(responder, *asks, number=1, tells=()):
    message = encode(Round(number, tells, tuple(Ask(*ask) for ask in asks)))
    return decode(responder.answer(message), Reply, "client 'oslo'")


def of_asks(responder):
    """Return the entries about asks: what else a ledger notes has no disclosure level."""
    return [entry for entry in responder.ledger.entries if entry.statistic != "Schema"]


def test_sent_refused_and_failed():
    responder = Responder("oslo", open_table(TABLE), Policy(min_rows=5))
    age = Tell(2, 0, Select(Named(("age",))))
    bmi = Tell(3, 0, Select(Named(("bmi",))))
    asks = [(Moments(), 2), (Extremes(), 3), (Moments(), 0), (Categories(), 2)]
    reply = talk(responder, *asks, tells=(age, bmi))
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
    reply = talk(responder, (Missing(), 0), (Moments(), 0))
    (entry,) = responder.ledger.entries
    assert (entry.round, entry.statistic, entry.outcome) == (1, "Round", "refused")
    assert entry.bytes == len(encode_part(reply.problem))


def test_no_cell_is_noted():
    responder = Responder("oslo", open_table(TABLE), Policy.open())
    talk(responder, (Categories(counts=True), 0), (Missing(), 0), (Moments(), 0))
    text = repr(responder.ledger)
    assert "name" in text
    for cell in (CELL, "A. Jones", str(RARE)):
        assert cell not in text


def test_all_rounds_oldest_first():
    responder = Responder("oslo", open_table(TABLE), Policy.open())
    for number in (1, 2, 2, 1):
        talk(responder, (Missing(), 0), number=number)
    assert [entry.round for entry in of_asks(responder)] == [1, 2, 2, 1]
    first, second, again, _ = of_asks(responder)
    assert first.digest == second.digest == again.digest


def test_a_new_fit_does_not_clear_it():
    responder = Responder("oslo", open_table(TABLE), Policy.open())
    talk(responder, (Missing(), 0))
    responder.forget()
    assert len(of_asks(responder)) == 1
