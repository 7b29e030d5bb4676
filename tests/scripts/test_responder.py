"""The responder: the same reply to the same round, a journal without gaps, and no cell in errors."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
import pytest
from msgspec import Raw
from sklearn.compose import make_column_transformer
from sklearn.impute import MissingIndicator
from sklearn.preprocessing import (
    LabelEncoder,
    MinMaxScaler,
    Normalizer,
    StandardScaler,
)

from fedps.client import responder as module
from fedps.client.answering import Answering
from fedps.protocol import codec
from fedps.protocol.codec import encode
from fedps.protocol.messages import (
    Failure,
    Refusal,
    Round,
)
from fedps.questions import TARGET
from fedps.statistics import (
    Categories,
    Extremes,
    Finite,
    Missing,
    Moments,
)
from tests.scripts.asking import client
from tests.scripts.scaled import (
    CELL,
    ENCODER,
    FITTED,
    NAME,
    NUMBERS,
    ONCE,
    TABLE,
    TWICE,
    about,
    begun,
)

# The journal --------------------------------------------------------------------------------------


def test_the_same_round_gives_the_same_bytes():
    talk = about()
    first = encode(talk.round(talk.question(Moments(), ONCE), talk.question(Categories(), NAME)))
    talk.send(first)
    talk.fitted(ONCE, FITTED)
    second = encode(talk.round(talk.question(Moments(), TWICE)))
    responder = client(TABLE)
    replies = [responder.answer(message) for message in (first, first, second, second, second)]
    assert replies[0] == replies[1]
    assert replies[2] == replies[3] == replies[4]
    assert replies[0] == client(TABLE).answer(first)


def test_only_the_first_round_brings_the_schema():
    talk = begun()
    assert len(talk.reply.schemas) == 1
    assert isinstance(talk.ask(Categories(), NAME), Categories.summary)
    assert talk.reply.schemas == ()


@pytest.mark.parametrize("heard", [0, 1, 2])
def test_a_skipped_round(heard):
    talk = about()
    for asked in [(Moments(), ONCE), (Categories(), NAME)][:heard]:
        talk.ask(*asked)
    reply = talk.send(Round(heard + 1, (), (talk.question(Moments(), ONCE),), b"else"))
    assert reply.problem == Failure("journal")
    assert reply.answers == reply.schemas == ()


def test_a_round_from_before():
    talk = begun()
    talk.ask(Categories(), NAME)
    talk.ask(Moments(), ONCE)
    assert talk.send(talk.messages[1]).problem == Failure("journal")
    talk.messages.pop()
    assert isinstance(talk.ask(Moments(), ONCE), Moments.summary)  # the fit goes on


def test_a_new_process_remembers():
    first = begun()
    first.fitted(ONCE, FITTED)
    first.ask(Moments(), TWICE)
    second = about()
    second.responder.remember(first.responder.heard)
    second.messages = list(first.messages)
    assert first.say() is second.say() is None
    for talk in (first, second):
        talk.ask(Moments(), TWICE)
    assert first.reply == second.reply
    assert first.responder.heard == second.responder.heard


def test_a_server_that_goes_on_tells_everything_again():
    talk = about()
    talk.fitted(ONCE, FITTED)
    round_ = talk.round(talk.question(Moments(), TWICE))
    reply = talk.send(Round(7, round_.tells, round_.asks, b"", round_.request))
    assert reply.round == 7
    assert len(reply.schemas) == 1
    assert reply.problem is None


def test_the_first_round_begins_anew():
    responder = client(TABLE)
    talk = begun(responder)
    talk.fitted(ONCE, FITTED)
    assert isinstance(talk.ask(Moments(), TWICE), Moments.summary)
    again = begun(responder)
    assert again.ask(Moments(), TWICE) == Failure("journal")


def test_forget():
    talk = begun()
    talk.responder.forget()
    assert talk.ask(Moments(), ONCE) == Failure("journal")


@pytest.mark.parametrize("begins", [True, False])
def test_a_fit_begins_with_a_request_and_only_there(begins):
    talk = about() if begins else begun()
    round_ = talk.round(talk.question(Moments(), ONCE))
    request = None if begins else talk.request
    reply = talk.send(Round(round_.number, (), round_.asks, round_.after, request))
    assert reply.problem == Failure("journal")


def test_places_behind_places():
    talk = begun()
    talk.fitted(ONCE, FITTED)
    result = Moments().result(talk.ask(Moments(), TWICE))
    np.testing.assert_allclose(result.mean, 0, atol=1e-12)
    np.testing.assert_allclose(result.variance, 1)


def test_nothing_follows_a_refused_round():
    """It can come again, and gets the same reply; so does what comes after it, in any process."""
    talk = begun()
    talk.fitted(ONCE, FITTED)
    assert talk.say() is None
    talk.fitted(ONCE, FITTED)
    refused = talk.say()
    assert isinstance(refused, Refusal)
    assert talk.send(talk.messages[-1]).problem == refused
    again = client(TABLE)
    again.remember(talk.responder.heard)
    talk.messages.pop()
    for _ in range(2):
        assert talk.ask(Categories(), NAME) == Failure("journal")
    last = talk.messages[-1]
    assert again.answer(last) == again.answer(last) == talk.responder.answer(last)
    assert isinstance(begun(talk.responder).ask(Categories(), NAME), Categories.summary)


# Failures -----------------------------------------------------------------------------------------


def texts(reply):
    return repr(reply) + repr([bytes(raw) for raw in reply.answers])


@pytest.mark.parametrize(
    ("estimator", "statistic", "rule"),
    [
        (StandardScaler(), Moments(), "not numbers"),
        (MinMaxScaler(), Extremes(), "not numbers"),
        (Normalizer(), Finite(), "not numbers"),
    ],
)
def test_a_failure_names_the_column_and_no_cell(estimator, statistic, rule, caplog):
    talk = about(estimator)
    assert talk.ask(statistic) == Failure(rule, "name")
    assert CELL not in texts(talk.reply)
    assert CELL not in caplog.text


def test_no_column():
    some = make_column_transformer((StandardScaler(), ["agee"]))
    assert about(some).ask(Moments(), (0,)) == Failure("no column", "agee")


def test_no_target():
    assert about(LabelEncoder()).ask(Categories(), (), TARGET) == Failure("no target")


def test_a_transformer_that_fails_on_the_rows(caplog):
    talk = about(table=TABLE.assign(bmi=["1", CELL] * 10))
    talk.fitted(ONCE, FITTED)
    assert isinstance(talk.ask(Moments(), TWICE), Failure)
    assert CELL not in texts(talk.reply)


def test_an_error_of_its_own_keeps_its_text_at_home(monkeypatch, caplog):
    def broken(*args):
        raise RuntimeError(CELL)

    talk = about()
    monkeypatch.setattr(Answering, "answer_all", broken)
    with caplog.at_level(logging.ERROR, logger="fedps.client"):
        found = talk.ask(Moments(), ONCE)
    assert found == Failure("error")
    assert CELL not in texts(talk.reply)
    assert "oslo" in caplog.text


def test_a_reply_over_the_cap(monkeypatch):
    monkeypatch.setattr(module, "MAX_MESSAGE", 100)
    talk = about()
    problem = talk.say(talk.question(Categories(), NAME), talk.question(Moments(), ONCE))
    assert problem == Failure("too large")
    assert talk.reply.answers == talk.reply.schemas == ()


def test_a_reply_that_would_unfold_over_the_cap(monkeypatch):
    """However well it compresses: the server would not unfold it."""
    digits = np.random.default_rng(0).integers(0, 2**32, 500)
    words = pd.DataFrame({"name": [f"{number:08x}" for number in digits]})
    assert isinstance(about(ENCODER, words).ask(Categories()), Categories.summary)
    for place in (module, codec):
        monkeypatch.setattr(place, "MAX_MESSAGE", 3000)
    assert about(ENCODER, words).ask(Categories()) == Failure("too large")


def test_an_ask_that_fails_does_not_spoil_the_others():
    talk = about(
        make_column_transformer((StandardScaler(), ["name"]), (MissingIndicator(), NUMBERS))
    )
    assert talk.say(talk.question(Moments(), (0,)), talk.question(Missing(), (1,))) is None
    assert talk.answer(Moments()) == Failure("not numbers", "name")
    assert talk.answer(Missing(), 1).cells.tolist() == [5, 0]


def test_no_rows():
    talk = about(table=TABLE[:0])
    assert talk.say(talk.question(Moments(), ONCE), talk.question(Categories(), NAME)) is None
    assert talk.answer(Moments()).count.shape == (0, 2)
    assert isinstance(talk.reply.answers[0], Raw)
    assert talk.reply.schemas[0].rows == 0
