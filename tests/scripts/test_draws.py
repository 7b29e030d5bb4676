"""Rows that a server draws: no sample may single out a few of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import TargetEncoder

from fedps import Federation
from fedps.client import Policy, Responder, open_table
from fedps.client import work_limits as bounds
from fedps.learned import Function, Learned, Nothing, Parameters
from fedps.protocol.arrays import Budget
from fedps.protocol.codec import decode, decode_part, encode, encode_part
from fedps.protocol.messages import (
    TABLE,
    Apply,
    Ask,
    At,
    Draw,
    Failure,
    Fit,
    Folds,
    Refusal,
    Reply,
    Round,
    Route,
    Select,
    Tell,
    mark,
)
from fedps.protocol.plan import Options
from fedps.statistics import Moments, RowKeys

ROWS = 100


def times(*some, rest=0):
    every = np.full(ROWS, rest, dtype=np.uint8)
    every[: len(some)] = some
    return every


def answer(*draws, policy=None):
    """Return the answer about the last of some draws, each from the one before."""
    table = pd.DataFrame({"age": np.arange(float(ROWS))})
    responder = Responder("oslo", open_table(table), policy or Policy())
    responder.reply(Round(1, (), ()))
    tells = tuple(Tell(i + 2, i + 1 if i else TABLE, Draw(d)) for i, d in enumerate(draws))
    reply = responder.reply(Round(2, tells, (Ask(Moments(), len(draws) + 1),)))
    if reply.problem is not None:
        return reply.problem
    kind = Moments.summary | Refusal | Failure
    return decode_part(reply.answers[0], kind, "oslo", Budget(), "answer")


def test_a_sample_of_half_the_rows():
    half = answer(times(*[1, 0] * 50))
    assert half.count.tolist() == [[50.0]]
    assert Moments().result(half).mean == 49.0


def test_rows_that_are_taken_twice_count_twice():
    assert answer(times(*[2, 0, 1] * 33)).count.tolist() == [[99.0]]


@pytest.mark.parametrize(
    "draw",
    [
        times(*[1] * 9),
        times(*[1] * 91),
        times(91, *[1] * 9),
        times(255, rest=1),
        times(255, 255, *[1] * 50),
    ],
    ids=["few", "all but few", "one often", "one very often", "two very often"],
)
def test_few_rows_are_refused(draw):
    refusal = answer(draw)
    assert isinstance(refusal, Refusal)
    assert refusal.rule == "min_rows of samples"
    assert refusal.limit == (
        "needs 10 rows in each sample or fold, outside of it, and between two samples, and there are "
        "fewer"
    )


@pytest.mark.parametrize(
    "draws",
    [
        [times(*[1, 0] * 50), times(*[1, 0] * 50)],
        [times(rest=1)[:50]],
        [times(rest=1).astype(np.int64)],
        [times(rest=1).astype(float)],
        [times(rest=255)],
    ],
    ids=["of a sample", "other rows", "wide", "floats", "far too many"],
)
def test_what_no_honest_server_draws(draws):
    assert answer(*draws, policy=Policy.open()) == Failure("draw")


def side_by_side(*draws):
    """Return the answers about draws of the same rows."""
    table = pd.DataFrame({"age": np.arange(float(ROWS))})
    responder = Responder("oslo", open_table(table), Policy())
    tells = tuple(Tell(i, TABLE, Draw(draw)) for i, draw in enumerate(draws, start=2))
    asks = tuple(Ask(Moments(), i) for i, _ in enumerate(draws, start=2))
    reply = responder.reply(Round(1, tells, asks))
    kind = Moments.summary | Refusal | Failure
    return [decode_part(raw, kind, "oslo", Budget(), "answer") for raw in reply.answers]


@pytest.mark.parametrize(("more", "refused"), [(0, False), (1, True), (9, True), (10, False)])
def test_two_samples_that_differ_by_few_rows(more, refused):
    """Their difference would tell these rows."""
    first, second = side_by_side(times(*[1] * 30), times(*[1] * (30 + more)))
    assert not isinstance(first, Refusal)
    assert isinstance(second, Refusal) == refused


# Ways around the limits ---------------------------------------------------------------------------

ONE = times(0, 0, 0, 50)
FIRST = Select(At((0,)))


def told(*rounds, policy=None, responder=None):
    """Return the answer to the last of some rounds, each some tells and the view that is asked."""
    table = pd.DataFrame({"age": np.arange(float(ROWS)), "sex": ["f", "m"] * 50})
    responder = responder or Responder("oslo", open_table(table), policy or Policy())
    after = b""
    for number, (tells, view) in enumerate(rounds, start=1):
        asks = () if view is None else (Ask(Moments(), view),)
        message = encode(Round(number, tuple(tells), asks, after))
        after = mark(message)
        reply = decode(responder.answer(message), Reply, "oslo")
        if reply.problem is not None:
            return reply.problem
    return decode_part(reply.answers[0], Moments.summary | Refusal | Failure, "o", Budget(), "a")


def target_encoder(folds):
    """Return what encodes the rows of the second fold by their category, and all others alike."""
    whole = pd.DataFrame({"sex": ["f", "m"] * 50, "y": np.arange(ROWS) / 7})
    federation = Federation({"oslo": whole}, target="y")
    learned = federation._split._fit(TargetEncoder(), None, Options(outputs=True), None)[1].outcome
    numbers = learned.told.numbers.replace(
        folds=np.array(folds),
        fold_encodings=[np.array([[0.0, 0.0], [0.0, 1.0]])],
        fold_means=np.zeros(2),
    )
    return Apply(Learned("TargetEncoder", learned.params, numbers))


def test_a_view_that_is_told_again_is_made_again():
    """Otherwise what was made of it before would not know that its rows are a sample now."""
    before = [Tell(2, TABLE, Select(At((0, 1)))), Tell(3, 2, FIRST), Tell(4, 3, FIRST)]
    found = told((before, None), ([Tell(2, TABLE, Draw(ONE))], 3))
    assert found.rule == "min_rows of samples"


def test_folds_do_not_hide_a_sample():
    folds = Folds(np.zeros(ROWS, dtype=np.uint8), grouped=False)
    tells = [Tell(2, TABLE, FIRST), Tell(3, 2, Draw(ONE)), Tell(4, 3, folds)]
    assert told((tells, 4)) == Failure("folds")


@pytest.mark.parametrize("change", ["fit", "route"])
def test_what_is_for_columns_only(change):
    params = Parameters(func=Function("numpy.positive"))
    positive = Learned("FunctionTransformer", params, Nothing())
    last = Fit(positive) if change == "fit" else Route(((0,),))
    tells = [Tell(2, TABLE, FIRST), Tell(3, 2, Draw(ONE)), Tell(4, 3, last)]
    assert told((tells, 4)) == Failure("split")


def test_no_statistic_that_is_for_columns_only():
    table = open_table(np.arange(float(ROWS)).reshape(-1, 1))
    message = encode(Round(1, (), (Ask(RowKeys(), TABLE),)))
    responder = Responder("oslo", table, Policy.open())
    reply = decode(responder.answer(message), Reply, "oslo")
    assert bytes(reply.answers[0]) == encode_part(Failure("split"))


@pytest.mark.parametrize(
    ("folds", "refused"),
    [([0] * 50 + [1] * 50, False), ([0] * 99 + [1], True), ([1] * 9 + [0] * 91, True)],
)
def test_folds_of_few_rows(folds, refused):
    """A fold of one row, encoded by its category, would tell which one that is."""
    encoder = target_encoder(folds)
    found = told(([Tell(2, TABLE, Select(At((1,)))), Tell(3, 2, encoder)], 3))
    assert isinstance(found, Refusal) == refused, found


@pytest.mark.parametrize(
    "sample",
    [times(*[1] * 51), times(*[1] * 99), times(*[1] * 50, 50, rest=0)],
    ids=["one of a fold", "all but one of a fold", "one of a fold, often"],
)
def test_a_sample_of_folds(sample):
    encoder = target_encoder([0] * 50 + [1] * 50)
    tells = [Tell(2, TABLE, Select(At((1,)))), Tell(3, 2, encoder), Tell(4, 3, Draw(sample))]
    assert told((tells, 4)).rule == "min_rows of samples"


def test_folds_within_folds():
    first = target_encoder([0] * 50 + [1] * 50)
    other = Folds(np.array([0] * 51 + [1] * 49), grouped=False)
    tells = [Tell(2, TABLE, Select(At((1,)))), Tell(3, 2, first), Tell(4, 3, other)]
    assert told((tells, 4)).rule == "min_rows of samples"


def test_folds_that_differ_by_few_rows():
    tells = [Tell(2, TABLE, FIRST)]
    for view, cut in ((3, 50), (4, 51)):
        folds = np.array([0] * cut + [1] * (ROWS - cut))
        tells.append(Tell(view, 2, Folds(folds, grouped=False)))
    assert told((tells[:2], 3)).count.tolist() == [[100.0]]
    table = pd.DataFrame({"age": np.arange(float(ROWS))})
    responder = Responder("oslo", open_table(table), Policy())
    found = told((tells[:2], 3), (tells[2:], 4), responder=responder)
    assert found.rule == "min_rows of samples"


def test_very_many_samples(monkeypatch):
    monkeypatch.setattr(bounds, "MOST_SAMPLES", 3)
    rng = np.random.default_rng(0)
    tells = [Tell(2, TABLE, FIRST)]
    tells += [Tell(i, 2, Draw(rng.permutation(times(*[1] * 50)))) for i in range(3, 8)]
    rounds = [((tell,), tell.view) for tell in tells]
    assert told(*rounds[:4]).count.tolist() == [[50.0]]
    assert told(*rounds[:5]) == Failure("too much", "more than 3 samples of the rows")


def test_a_very_long_fit(monkeypatch):
    monkeypatch.setattr(bounds, "MAX_JOURNAL", 1000)
    rng = np.random.default_rng(0)
    rounds = [
        ((Tell(i, TABLE, Draw(rng.permutation(times(*[1] * 50)))),), None) for i in range(2, 30)
    ]
    table = pd.DataFrame({"age": np.arange(float(ROWS))})
    responder = Responder("oslo", open_table(table), Policy())
    assert told(*rounds, responder=responder) == Failure("too much", "more than 0 MB in one fit")
    assert sum(map(len, responder.heard)) <= 1000
