"""The responder: the same reply to the same round, a journal without gaps, and no cell in errors."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
import pytest
from msgspec import Raw
from sklearn.preprocessing import StandardScaler

from fedps.assembly import freeze
from fedps.client import Policy, Responder, open_table
from fedps.client import responder as module
from fedps.errors import PeerError
from fedps.learned import FrozenState, Learned, Nothing, Parameters
from fedps.learned.scalers import StandardScalerNumbers
from fedps.protocol import codec
from fedps.protocol.arrays import Budget
from fedps.protocol.codec import decode, decode_part, encode
from fedps.protocol.messages import (
    TARGET,
    Apply,
    Ask,
    At,
    Failure,
    Named,
    Refusal,
    Reply,
    Round,
    Select,
    Tell,
    Where,
    mark,
)
from fedps.statistics import Categories, Extremes, Finite, Known, Missing, Moments

CELL = "J. Smith, 3 May 1974"
TABLE = pd.DataFrame(
    {
        "age": [30.0, 41.5, np.nan, 77.0] * 5,
        "bmi": np.arange(20.0),
        "name": [CELL, "A. Jones", "B. Brown", None] * 5,
    }
)
FITTED = freeze(StandardScaler().fit(TABLE[["age", "bmi"]]))
SCALED = Learned("FrozenEstimator", Parameters(), Nothing(), (FITTED,))
NUMBERS = Tell(2, 0, Select(Named(("age", "bmi"))))
SCALE = Tell(3, 2, Apply(SCALED))


def new(table=TABLE, **policy):
    return Responder("oslo", open_table(table), Policy(**policy) if policy else Policy.open())


def hear(responder, *asks, number=1, tells=(), after=None):
    if after is None:
        after = mark(responder.heard[-1]) if number > 1 and responder.heard else b""
    message = encode(Round(number, tuple(tells), tuple(Ask(*ask) for ask in asks), after))
    reply = decode(responder.answer(message), Reply, "client 'oslo'")
    assert (reply.client, reply.round, reply.to) == ("oslo", number, mark(message))
    return reply


def only(reply, statistic):
    kind = statistic.summary | Refusal | Failure
    return decode_part(reply.answers[0], kind, "client 'oslo'", Budget(), "answer")


def ask(responder, statistic, view=0, **more):
    return only(hear(responder, (statistic, view), **more), statistic)


# The journal --------------------------------------------------------------------------------------


def test_the_same_round_gives_the_same_bytes():
    responder = new()
    first = encode(Round(1, (NUMBERS,), (Ask(Moments(), 2), Ask(Categories(), 0))))
    second = encode(Round(2, (SCALE,), (Ask(Extremes(), 3),), mark(first)))
    replies = [responder.answer(message) for message in (first, first, second, second, second)]
    assert replies[0] == replies[1]
    assert replies[2] == replies[3] == replies[4]
    assert replies[0] == new().answer(first)


def test_only_the_first_round_brings_the_schema():
    responder = new()
    assert len(hear(responder, (Missing(), 0)).schemas) == 1
    assert hear(responder, (Missing(), 0), number=2).schemas == ()


@pytest.mark.parametrize("heard", [0, 1, 2])
def test_a_skipped_round(heard):
    responder = new()
    for number in range(1, heard + 1):
        hear(responder, (Missing(), 0), number=number)
    reply = hear(responder, (Missing(), 0), number=heard + 1, after=b"else")
    assert reply.problem == Failure("journal")
    assert reply.answers == reply.schemas == ()


def test_a_round_from_before():
    responder = new()
    for number in (1, 2, 3):
        hear(responder, (Missing(), 0), number=number)
    before = responder.heard[1]
    assert decode(responder.answer(before), Reply, "client").problem == Failure("journal")


def test_a_new_process_remembers():
    first, second = new(), new()
    hear(first, (Moments(), 2), tells=[NUMBERS])
    second.remember(first.heard)
    assert hear(first, (Missing(), 2), number=2) == hear(second, (Missing(), 2), number=2)
    assert first.heard == second.heard


def test_a_server_that_goes_on_tells_everything_again():
    responder = new()
    reply = hear(responder, (Moments(), 2), number=7, tells=[NUMBERS], after=b"")
    assert len(reply.schemas) == 1
    assert reply.problem is None


def test_the_first_round_begins_anew():
    responder = new()
    hear(responder, (Moments(), 2), tells=[NUMBERS])
    assert isinstance(ask(responder, Moments(), 2, number=2), Moments.summary)
    assert ask(responder, Moments(), 2) == Failure("journal")


def test_forget():
    responder = new()
    hear(responder, (Moments(), 2), tells=[NUMBERS])
    responder.forget()
    assert hear(responder, (Missing(), 0), number=2, after=b"last").problem == Failure("journal")


def test_views_of_views():
    responder = new()
    hear(responder, (Missing(), 0))
    found = ask(responder, Moments(), 3, number=2, tells=[NUMBERS, SCALE])
    result = Moments().result(found)
    np.testing.assert_allclose(result.mean, 0, atol=1e-12)
    np.testing.assert_allclose(result.variance, 1)


def test_what_a_selection_came_to():
    tells = [NUMBERS, Tell(4, 0, Select(At((-1, 0)))), Tell(5, 0, Select(Where("^b", (), ())))]
    assert hear(new(), tells=tells).chosen == ((2, 0), (1,))


# Hostile rounds -----------------------------------------------------------------------------------


def frozen(name):
    """Return attributes of an object of a class that a server would like to have."""
    inside = Learned(name, Parameters(), FrozenState({"a": 1}))
    return Learned("FrozenEstimator", Parameters(), Nothing(), (inside,))


def scaler(**params):
    """Return a scaler without the numbers that its parameters ask for."""
    numbers = StandardScalerNumbers(count=np.array([20, 20, 20]), weighted=False)
    return Learned("StandardScaler", Parameters(params), numbers)


@pytest.mark.parametrize(
    "tells",
    [
        [Tell(2, 2, Select(At((0,))))],
        [Tell(2, 3, Select(At((0,)))), Tell(3, 2, Select(At((0,))))],
        [Tell(2, 99, Select(At((0,))))],
        [Tell(0, 0, Select(At((7,))))],
        [Tell(2, 0, Select(At((2**62,))))],
        [Tell(2, 0, Apply(frozen("os.system")))],
        [Tell(2, 0, Apply(scaler()))],
        [Tell(2, 0, Apply(scaler(copy="no", magic=1)))],
        [Tell(2, 0, Select(Where("(", (), ())))],
        [Tell(2, 0, Select(Where(None, ("no such dtype",), ())))],
    ],
    ids=[
        "itself",
        "circle",
        "unknown",
        "table",
        "position",
        "code",
        "bare",
        "odd",
        "regex",
        "dtype",
    ],
)
def test_hostile_tells(tells, caplog):
    caplog.set_level(logging.CRITICAL)
    responder = new()
    reply = hear(responder, (Moments(), 2), tells=tells)
    problem = reply.problem or only(reply, Moments())
    assert isinstance(problem, Failure)
    # and the next fit goes on as if nothing had happened
    assert isinstance(ask(responder, Missing()), Missing.summary)


@pytest.mark.parametrize(
    "statistic",
    [
        Moments(order=-5),
        Moments(weight="no such column"),
        Moments(weight="name"),
        Moments(missing=float("inf")),
        Known(((), (), ())),
        Known(((1,),)),
        Known((([1],), ({},), (None,))),
        Missing(marker=[1]),
        Missing(marker={"a": [1]}),
        Missing(marker=np.arange(3)),
        Missing(marker="x" * 1000),
    ],
    ids=lambda s: type(s).__name__,
)
def test_hostile_asks(statistic, caplog):
    caplog.set_level(logging.CRITICAL)
    responder = new()
    reply = hear(responder, (statistic, 2), tells=[NUMBERS])
    answer = reply.problem or only(reply, statistic)
    assert isinstance(answer, Failure | statistic.summary)
    assert isinstance(ask(responder, Missing()), Missing.summary)


def test_an_undecodable_round_is_the_servers_fault():
    with pytest.raises(PeerError, match="the server sent"):
        new().answer(b"\x02\xc1")


# Failures -----------------------------------------------------------------------------------------


def texts(reply):
    return repr(reply) + repr([bytes(raw) for raw in reply.answers])


@pytest.mark.parametrize(
    ("statistic", "rule"),
    [(Moments(), "not numbers"), (Extremes(), "not numbers"), (Finite(), "not numbers")],
)
def test_a_failure_names_the_column_and_no_cell(statistic, rule, caplog):
    reply = hear(new(), (statistic, 0))
    assert only(reply, statistic) == Failure(rule, "name")
    assert CELL not in texts(reply)
    assert CELL not in caplog.text


def test_no_column():
    view = Tell(2, 0, Select(Named(("agee",))))
    assert ask(new(), Moments(), 2, tells=[view]) == Failure("no column", "agee")


def test_no_target():
    assert ask(new(), Categories(), TARGET) == Failure("no target")


def test_a_transformer_that_fails_on_the_rows(caplog):
    table = TABLE.assign(bmi=["1", CELL] * 10)
    reply = hear(new(table), (Moments(), 3), tells=[NUMBERS, SCALE])
    assert isinstance(reply.problem or only(reply, Moments()), Failure)
    assert CELL not in texts(reply)


def test_an_error_of_its_own_keeps_its_text_at_home(monkeypatch, caplog):
    def broken(*args):
        raise RuntimeError(CELL)

    responder = new()
    monkeypatch.setattr(module, "answer_all", broken)
    with caplog.at_level(logging.ERROR, logger="fedps.client"):
        reply = hear(responder, (Missing(), 0))
    assert reply.problem == Failure("error")
    assert CELL not in texts(reply)
    assert "oslo" in caplog.text


def test_a_reply_over_the_cap(monkeypatch):
    monkeypatch.setattr(module, "MAX_MESSAGE", 100)
    reply = hear(new(), *[(Categories(), 0), (Moments(), 2)], tells=[NUMBERS])
    assert reply.problem == Failure("too large")
    assert reply.answers == reply.schemas == ()


def test_a_reply_that_would_unfold_over_the_cap(monkeypatch):
    """However well it compresses: the server would not unfold it."""
    digits = np.random.default_rng(0).integers(0, 2**32, 500)
    words = pd.DataFrame({"name": [f"{number:08x}" for number in digits]})
    assert hear(new(words), (Categories(), 0)).problem is None
    for place in (module, codec):
        monkeypatch.setattr(place, "MAX_MESSAGE", 3000)
    assert hear(new(words), (Categories(), 0)).problem == Failure("too large")


def test_an_ask_that_fails_does_not_spoil_the_others():
    reply = hear(new(), (Moments(), 0), (Missing(), 0))
    assert only(reply, Moments()) == Failure("not numbers", "name")
    cells = decode_part(reply.answers[1], Missing.summary, "client 'oslo'", Budget())
    assert cells.cells.tolist()[:2] == [5, 0]


def test_no_rows():
    reply = hear(new(TABLE[:0]), (Moments(), 2), (Categories(), 0), tells=[NUMBERS])
    assert only(reply, Moments()).count.shape == (0, 2)
    assert isinstance(reply.answers[0], Raw)
    assert reply.schemas[0].rows == 0
