"""The coordinator with canned replies: what it asks, what it accepts, and in which order it adds."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import KNNImputer, MissingIndicator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from fedps.errors import ClientError, Refused, TransportError
from fedps.learned import Learned, Parameters
from fedps.learned.scalers import StandardScalerNumbers
from fedps.protocol.coordinator import StartAgain
from fedps.protocol.messages import Failure, Fitted, Refusal
from fedps.protocol.plan import NeedsSchema, ask, gather
from fedps.statistics import Extremes, Missing, Moments
from tests.scripts.canned import (
    CLIENTS,
    COUNT,
    NAMES,
    after,
    missing,
    moments,
    one_ask,
    reply,
    schema,
    start,
)

AGE = ColumnTransformer(
    [
        ("gaps", MissingIndicator(), list(NAMES)),
        ("scaled", StandardScaler(), list(NAMES)),
        ("age", MissingIndicator(), ["age"]),
        ("largest", MaxAbsScaler(), ["age"]),
        ("again", MissingIndicator(), ["age"]),
    ]
)

# What goes well -----------------------------------------------------------------------------------


def test_a_round_and_its_outcome():
    coordinator, round_ = start(COUNT)
    assert (round_.number, round_.tells) == (1, ())
    assert [(a.place, a.question, bytes(a.free)) for a in round_.asks] == [(0, 0, b"\x90")]
    assert round_.request.pipeline.estimator == "MissingIndicator"
    assert round_.request.clients == 3
    assert coordinator.waiting == CLIENTS
    coordinator.receive(reply("bergen", missing(1, 2)))
    assert coordinator.waiting == ("oslo", "turku")
    coordinator.receive(reply("turku", missing(0, 0)))
    coordinator.receive(reply("oslo", missing(3, 0)))
    assert coordinator.next_round() is None
    assert coordinator.outcome.tolist() == [4, 2]
    assert coordinator.pooled.table.rows == 15


def test_arrival_order_changes_no_bit():
    first = {"oslo": ("age", "bmi"), "bergen": ("bmi", "age"), "turku": ("age", "bmi")}
    values = {"oslo": [0.1, 7e9], "bergen": [0.7e-3, 1e5 / 3], "turku": [3.3, 1e-9]}
    found = set()
    for order in permutations(CLIENTS):
        replies = [
            reply(name, moments(values[name]), schemas=(schema(names=first[name]),))
            for name in order
        ]
        coordinator = after(one_ask(Moments()), *replies, estimator=StandardScaler())
        outcome = coordinator.outcome
        found.add((outcome.mean.tobytes(), outcome.variance.tobytes()))
        assert coordinator.pooled.table.names == first["oslo"]
        assert list(coordinator.asked[0].answers) == list(CLIENTS)
    assert len(found) == 1


def test_columns_are_matched_by_name():
    there = reply("bergen", missing(1, 2), schemas=(schema(names=("bmi", "age")),))
    coordinator = after(COUNT, reply("oslo", missing(0, 5)), there, clients=("oslo", "bergen"))
    assert coordinator.outcome.tolist() == [2, 6]


def test_equal_asks_are_sent_once():
    def plan(view):
        # the last is at another place, of the same table
        asks = [(Missing(), 0), (Missing(), 0), (Moments(), 1), (Missing(), 2), (Missing(), 4)]
        return (yield from gather([one_ask(*each)(view) for each in asks]))

    coordinator, round_ = start(plan, ("oslo",), AGE)
    assert [ask.place for ask in round_.asks] == [1, 2, 3]
    assert round_.tells == ()  # which columns these are follows from the request
    coordinator.receive(reply("oslo", missing(1, 2), moments([1.0, 2.0]), missing(1)))
    results = coordinator.outcome
    assert [r.tolist() for r in (results[0], results[1], results[3], results[4])] == [
        [1, 2],
        [1, 2],
        [1],
        [1],
    ]


def test_gathered_plans_take_the_rounds_of_the_longest():
    def two(view):
        first = yield from one_ask(Missing(), 0)(view)
        second = yield from one_ask(Extremes(absolute=True), 3)(view)
        return first, second

    def plan(view):
        return (yield from gather([two(view), one_ask(Missing(), 0)(view)]))

    coordinator, _ = start(plan, ("oslo",), AGE)
    coordinator.receive(reply("oslo", missing(1, 2)))
    round_ = coordinator.next_round()
    assert round_.number == 2
    assert len(round_.asks) == 1
    largest = Extremes.summary(np.array([5]), np.empty(0), np.array([3.5]))
    coordinator.receive(reply("oslo", largest, round=2))
    assert coordinator.next_round() is None
    assert coordinator.outcome[0][1].upper.tolist() == [3.5]


def test_what_a_fit_is_about_is_told_once():
    coordinator, first = start(twice, estimator=KNNImputer())
    assert first.request == coordinator.request
    for client in CLIENTS:
        coordinator.receive(reply(client, missing(1, 1)))
    assert coordinator.next_round().request is None


def test_what_was_learned_is_told_once():
    def plan(view):
        numbers = StandardScalerNumbers(count=np.array([5, 5]), weighted=False)
        before = [Learned("StandardScaler", Parameters(), numbers)]
        yield from ask(Missing(every=True), view.inside(1, before))
        return (yield from ask(Moments(order=1), view.inside(1, before)))

    steps = make_pipeline(StandardScaler(), KNNImputer())
    coordinator, first = start(plan, ("oslo",), steps)
    coordinator.receive(reply("oslo", missing(1, 1)))
    second = coordinator.next_round()
    assert [(type(tell), tell.place) for tell in first.tells] == [(Fitted, 1)]
    assert second.tells == ()
    assert second.asks[0].place == first.asks[0].place == 2


def twice(view):
    yield from ask(Missing(every=True), view)
    return (yield from ask(Moments(order=1), view))


def test_a_plan_that_asks_nothing_brings_the_schema():
    def plan(view):
        return 7
        yield

    coordinator, round_ = start(plan, ("oslo",))
    assert round_.asks == ()
    coordinator.receive(reply("oslo"))
    assert coordinator.next_round() is None
    assert coordinator.outcome == 7
    assert coordinator.pooled.table.names == NAMES


def test_a_plan_that_needs_the_schema_starts_again():
    def plan(view):
        if view.names is None:
            raise NeedsSchema
        return view.names
        yield

    coordinator, round_ = start(plan, ("oslo",))
    assert round_.asks == ()
    with pytest.raises(StartAgain):
        coordinator.receive(reply("oslo"))


def test_empty_clients_and_columns_are_no_problem():
    nothing = reply("turku", missing(0, 0), schemas=(schema(rows=0, empty=(0, 1)),))
    lost = reply(
        "bergen", missing(5, 0), schemas=(schema(dtypes=("object", "float64"), empty=(0,)),)
    )
    coordinator = after(COUNT, reply("oslo", missing(1, 1)), lost, nothing)
    assert coordinator.outcome.tolist() == [6, 1]
    assert coordinator.pooled.table.empty == ()


# Replies that were not asked for ------------------------------------------------------------------


def test_unknown_client():
    with pytest.raises(TransportError, match="'rome', which was not asked"):
        after(COUNT, reply("rome", missing(1, 1)))


def test_duplicate():
    with pytest.raises(TransportError, match="client 'oslo' answered round 1 twice"):
        after(COUNT, reply("oslo", missing(1, 1)), reply("oslo", missing(1, 1)))


@pytest.mark.parametrize("number", [2, 7])
def test_wrong_round(number):
    with pytest.raises(TransportError, match=f"client 'oslo' answered round {number} in round 1"):
        after(COUNT, reply("oslo", missing(1, 1), round=number))


def test_late():
    coordinator, _ = start(twice, estimator=KNNImputer())
    for client in CLIENTS:
        coordinator.receive(reply(client, missing(1, 1)))
    coordinator.next_round()
    with pytest.raises(TransportError, match="client 'oslo' answered round 1 in round 2"):
        coordinator.receive(reply("oslo", missing(1, 1)))


@pytest.mark.parametrize("count", [0, 2])
def test_wrong_number_of_answers(count):
    answers = [missing(1, 1)] * count
    with pytest.raises(TransportError, match=f"client 'bergen' gave {count} answers to 1 asks"):
        after(
            COUNT,
            reply("oslo", missing(1, 1)),
            reply("bergen", *answers),
            reply("turku", missing(1, 1)),
        )


# Refused and failed -------------------------------------------------------------------------------


def test_a_refused_ask():
    no = Refusal("min_rows", "needs 10 values in a column and there are fewer", "bmi")
    with pytest.raises(Refused) as caught:
        after(COUNT, reply("oslo", missing(1, 1)), reply("bergen", no), reply("turku", no))
    text = str(caught.value)
    for word in ("'bergen'", "'turku'", "Missing", "'bmi'", "min_rows", "needs 10 values"):
        assert word in text
    assert "'oslo'" not in text


def test_a_refused_round():
    no = Refusal("min_rows", "needs 10 rows and there are fewer")
    with pytest.raises(Refused, match=r"client 'bergen' refused .*min_rows"):
        after(
            COUNT,
            reply("oslo", missing(1, 1)),
            reply("bergen", schemas=(), problem=no),
            reply("turku", missing(1, 1)),
        )


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (Failure("no column", "agee"), ("no column 'agee'", "Did you mean 'age'?")),
        (Failure("not numbers", "bmi"), ("'bmi'", "not numbers")),
        (Failure("journal"), ("missed an earlier round",)),
        (Failure("too large"), ("fits in a message",)),
        (Failure("something new", "bmi"), ("could not", "something new")),
    ],
)
def test_a_failed_ask(failure, words):
    with pytest.raises(ClientError) as caught:
        after(COUNT, *(reply(c, failure if c == "turku" else missing(1, 1)) for c in CLIENTS))
    assert not isinstance(caught.value, Refused)
    for word in ("client 'turku'", *words):
        assert word in str(caught.value)


def test_a_problem_is_not_hidden_by_one_that_comes_after():
    """The first in the order of clients is told, whatever came first."""
    replies = {"oslo": Failure("not numbers", "age"), "bergen": Failure("infinity", "bmi")}
    for order in permutations(CLIENTS):
        with pytest.raises(ClientError, match=r"client 'oslo'.*'age'"):
            after(COUNT, *(reply(c, replies.get(c, missing(1, 1))) for c in order))
