"""Rows that a server draws: no sample may single out a few of them."""

import numpy as np
import pandas as pd
import pytest

from fedps.client import Policy, Responder, open_table
from fedps.protocol.arrays import Budget
from fedps.protocol.codec import decode_part
from fedps.protocol.messages import TABLE, Ask, Draw, Failure, Refusal, Round, Tell
from fedps.statistics import Moments

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
