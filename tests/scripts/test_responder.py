"""The responder: the same reply to the same round, a journal without gaps, and no cell in errors."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
import pytest
from msgspec import Raw
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.impute import KNNImputer, MissingIndicator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    LabelEncoder,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    StandardScaler,
)

from fedps.client import responder as module
from fedps.errors import PeerError
from fedps.learned import FrozenState, Learned, Nothing, Parameters
from fedps.learned.imputers import SimpleImputerNumbers
from fedps.learned.scalers import StandardScalerNumbers
from fedps.protocol import codec
from fedps.protocol.codec import encode
from fedps.protocol.messages import (
    Among,
    Beside,
    Failure,
    Fitted,
    Keep,
    Order,
    Refusal,
    Round,
)
from fedps.questions import TARGET
from fedps.statistics import (
    Categories,
    Extremes,
    Finite,
    Incomplete,
    Known,
    Missing,
    Moments,
)
from tests.scripts.asking import by_columns, client, conversation, described, in_order

CELL = "J. Smith, 3 May 1974"
TABLE = pd.DataFrame(
    {
        "age": [30.0, 41.5, np.nan, 77.0] * 5,
        "bmi": np.arange(20.0),
        "name": [CELL, "A. Jones", "B. Brown", None] * 5,
    }
)
NUMBERS = ["age", "bmi"]
ENCODER = OneHotEncoder(sparse_output=False)
SCALED = ColumnTransformer(
    [
        ("numbers", make_pipeline(StandardScaler(), StandardScaler()), NUMBERS),
        ("name", ENCODER, ["name"]),
    ]
)
ONCE, TWICE, NAME = (0, 0), (0, 1), (1,)  # where these stand
GAPS = KNNImputer()  # asks several questions, one after the other
FITTED = StandardScalerNumbers(
    count=np.array([15, 20]),
    mean=TABLE[NUMBERS].mean().to_numpy(),
    weighted=False,
    variance=TABLE[NUMBERS].var(ddof=0).to_numpy(),
)


def about(estimator=SCALED, table=TABLE, **more):
    return conversation(estimator, table, **more)


def begun(responder=None):
    """Return a fit of which the first round is over."""
    talk = about(table=TABLE if responder is None else responder)
    assert talk.say(talk.question(Moments(), ONCE)) is None
    return talk


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


# Hostile rounds -----------------------------------------------------------------------------------


def frozen(name):
    """Return attributes of an object of a class that a server would like to have."""
    return Learned(name, Parameters(), FrozenState({"a": 1}))


BARE = StandardScalerNumbers(count=np.array([20, 20]), weighted=False)
COUNTS = np.array([5, 0])
IMPUTED = SimpleImputerNumbers(statistics=np.array([1.0, 2.0]), missing=COUNTS, rows=20)


@pytest.mark.parametrize(
    "tells",
    [
        [Fitted(99, FITTED)],
        [Fitted(5, FITTED)],
        [Fitted(2, FITTED), Fitted(2, FITTED)],
        [Fitted(2, BARE)],
        [Fitted(2, IMPUTED)],
        [Fitted(2, Nothing())],
        [Fitted(2, FrozenState({"mean": CELL}))],
        [Fitted(2, FITTED, trial=True)],
        [Fitted(2, FITTED.replace(mean=np.zeros(7)))],
        [Fitted(2, FITTED.replace(mean=np.array(["a", "b"], dtype=object)))],
        [Fitted(2, FITTED), Order(("age",))],
        [Fitted(2, FITTED), Order(("age", "bmi", "sex"))],
        [Fitted(2, FITTED), *[Order(("age", "bmi", "name"))] * 2],
        [Fitted(2, FITTED), Among(99, 0, 20)],
        [Fitted(2, FITTED), Beside(0, 3)],
        [Fitted(2, FITTED), Keep()],
        [],
    ],
    ids=[
        "unknown",
        "next",
        "twice",
        "bare",
        "other",
        "nothing",
        "odd",
        "trial",
        "wide",
        "text",
        "short order",
        "other order",
        "two orders",
        "among",
        "beside",
        "keep",
        "untold",
    ],
)
def test_hostile_tells(tells, caplog):
    caplog.set_level(logging.CRITICAL)
    talk = about()
    assert isinstance(talk.tell(*tells).ask(Moments(), TWICE), Failure | Refusal)
    # and the next fit goes on as if nothing had happened
    assert isinstance(begun(talk.responder).ask(Categories(), NAME), Categories.summary)


SCALER, GAP = described("StandardScaler"), described("MissingIndicator", missing_values=np.nan)


def scaler(**params):
    return described("StandardScaler", **{"with_mean": True, "with_std": True, **params})


def where(**chosen):
    some = {"pattern": None, "dtype_include": None, "dtype_exclude": None, **chosen}
    return {"make_column_selector": some}


@pytest.mark.parametrize(
    ("pipeline", "path"),
    [
        (in_order("Pipeline", described("FrozenEstimator", frozen=frozen("os.system")), GAP), (1,)),
        (in_order("Pipeline", described("FrozenEstimator"), GAP), (1,)),
        (in_order("Pipeline", scaler(magic=1), GAP), (1,)),
        (in_order("Pipeline", described("Normalizer", norm="l9"), GAP), (1,)),
        (in_order("Pipeline", described("os.system"), GAP), (1,)),
        (in_order("Pipeline", described("FunctionTransformer", func="os.system"), GAP), (1,)),
        (described("MissingIndicator"), ()),
        (described("ColumnTransformer", GAP), (0,)),
        (described("ColumnTransformer", GAP, parts=[], remainder="drop"), (0,)),
        (described("ColumnTransformer", GAP, parts=3, remainder=None), (0,)),
        (described("ColumnTransformer", GAP, parts=[("a", None, 3)], remainder="drop"), (0,)),
        (by_columns((GAP, [7])), (0,)),
        (by_columns((GAP, [2**62])), (0,)),
        (by_columns((GAP, ["age", 1])), (0,)),
        (by_columns((GAP, [0.5])), (0,)),
        (by_columns((GAP, {})), (0,)),
        (by_columns((GAP, {"slice": [0]})), (0,)),
        (by_columns((GAP, {"slice": ["a", "b", 0]})), (0,)),
        (by_columns((GAP, {"make_column_selector": {}})), (0,)),
        (by_columns((GAP, where(pattern="("))), (0,)),
        (by_columns((GAP, where(pattern=3))), (0,)),
        (by_columns((GAP, where(dtype_include=["no such dtype"]))), (0,)),
    ],
)
def test_hostile_pipelines(pipeline, path, caplog):
    caplog.set_level(logging.CRITICAL)
    talk = about(pipeline)
    place = talk.place(path)
    if pipeline.estimator == "Pipeline" and pipeline.steps[0].estimator == "StandardScaler":
        talk.fitted((0,), FITTED)
    problem = talk.say(talk.asks(place, 0)) or talk.answer(Missing())
    assert isinstance(problem, Failure | Refusal)
    assert CELL not in repr(problem)
    assert isinstance(begun(talk.responder).ask(Categories(), NAME), Categories.summary)


@pytest.mark.parametrize(
    ("pipeline", "statistic", "options"),
    [
        (scaler(), Moments(weight="no such column"), {"weight": "no such column"}),
        (scaler(), Moments(weight="name"), {"weight": "name"}),
        (scaler(), Moments(weight=CELL), {"weight": CELL}),
        (described("SimpleImputer", strategy="mean", missing_values=np.inf), Moments(), {}),
        (described("SimpleImputer", strategy="median", missing_values=[1]), Missing(), {}),
        (described("SimpleImputer", strategy="no such", missing_values=None), Missing(), {}),
        *(
            (described("MissingIndicator", missing_values=marker), Missing(), {})
            for marker in ([1], {"a": [1]}, np.arange(3), "x" * 1000, (1,), True)
        ),
        *(
            (
                described(
                    "OneHotEncoder",
                    categories=categories,
                    handle_unknown="error",
                    min_frequency=None,
                    max_categories=None,
                ),
                Known(()),
                {},
            )
            for categories in ([[], [], []], [[1]], [[[1]], [{}], [None]], 3, [3], {"a": 1}, None)
        ),
        (
            described("KMeans", n_clusters="many", n_init=1, init="random", max_iter=1),
            Moments(),
            {},
        ),
        (described("IterativeImputer"), Missing(), {}),
        (described("KNNImputer", missing_values="x", n_neighbors=-1), Missing(), {}),
        (described("KNeighborsRegressor", metric="x", n_neighbors=1), Missing(), {}),
    ],
)
def test_hostile_parameters(pipeline, statistic, options, caplog):
    """What they make of a question is refused, fails or is answered: nothing else, and no cell in it."""
    caplog.set_level(logging.CRITICAL)
    talk = about(pipeline, TABLE[NUMBERS].assign(name=TABLE["name"]), **options)
    found = talk.say(talk.asks(0, 0)) or talk.answer(statistic)
    assert isinstance(found, Failure | Refusal | statistic.summary)
    assert isinstance(begun(talk.responder).ask(Categories(), NAME), Categories.summary)


@pytest.mark.parametrize(
    ("place", "question", "free", "more"),
    [
        (99, 0, (), {}),
        (1, 0, (), {}),
        (2, 1, (), {}),
        (2, 100_000, (), {}),
        (2, 0, (1,), {}),
        (2, 0, (CELL,), {}),
        (2, 0, (), {"columns": [0]}),
        (2, 0, (), {"columns": []}),
        (2, 0, (), {"given": 1}),
    ],
    ids=["place", "compound", "next", "far", "free", "text", "some", "no columns", "given"],
)
def test_what_no_estimator_asks(place, question, free, more):
    talk = about()
    assert isinstance(talk.say(talk.asks(place, question, *free, **more)), Refusal)
    assert talk.reply.answers == talk.reply.schemas == ()
    assert isinstance(begun(talk.responder).ask(Categories(), NAME), Categories.summary)


def test_a_question_is_asked_so_often():
    talk = about(KNNImputer(), TABLE[NUMBERS])
    sent = [talk.ask(Incomplete(ignored=ignored)) for ignored in ((), (0,), (0,), (1,))]
    assert [type(each) for each in sent[:3]] == [
        Incomplete.summary
    ] * 3  # the same again is the same
    assert sent[3].rule == "consent"
    assert "more than 2 times" in sent[3].limit


@pytest.mark.parametrize("columns", [(1, 0), (0, 0), (2,), ()])
def test_columns_of_a_place_each_once_and_in_their_order(columns):
    talk = about(
        OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=2), TABLE[NUMBERS]
    )
    asked = talk.asks(0, 2, tuple(() for _ in columns), columns=columns)
    assert talk.say(asked).rule == "consent"


def test_an_undecodable_round_is_the_servers_fault():
    with pytest.raises(PeerError, match="the server sent"):
        client(TABLE).answer(b"\x02\xc1")


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
    monkeypatch.setattr(module, "answer_all", broken)
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
