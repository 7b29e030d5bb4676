"""Replies that fit no table, no ask, or not each other: refused, naming the clients."""

from __future__ import annotations

import time

import numpy as np
import pytest
from msgspec import Raw

from fedps.errors import Disagreement, PeerError
from fedps.learned import Learned, Nothing, Parameters
from fedps.protocol.coordinator import StartAgain
from fedps.protocol.messages import At, Named, Reply, Where
from fedps.protocol.plan import ask
from fedps.statistics import Categories, Missing
from tests.scripts.canned import (
    CLIENTS,
    COUNT,
    after,
    missing,
    moments,
    one_ask,
    reply,
    schema,
)

# Malformed ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (missing(9, 0), "cells is not in 0..5"),
        (moments([1.0, 2.0]), "type is not one of the known words"),
        (missing(1), "it has 1 columns, not 2"),
        (missing(1, 1, 1), "it has 3 columns, not 2"),
    ],
)
def test_a_bad_answer(answer, says):
    with pytest.raises(PeerError) as caught:
        after(COUNT, *(reply(c, answer if c == "bergen" else missing(1, 1)) for c in CLIENTS))
    assert str(caught.value) == f"client 'bergen' sent a bad Missing: {says}."


def test_bytes_that_are_no_answer():
    bad = Reply("oslo", 1, (schema(),), (), (Raw(b"\xc1"),))
    with pytest.raises(PeerError, match="client 'oslo' sent a bad Missing"):
        after(COUNT, bad, clients=("oslo",))


@pytest.mark.parametrize("count", [0, 2])
def test_wrong_number_of_schemas(count):
    with pytest.raises(PeerError, match=f"client 'oslo' sent {count} schemas"):
        after(COUNT, reply("oslo", missing(1, 1), schemas=(schema(),) * count), clients=("oslo",))


@pytest.mark.parametrize(
    "bad",
    [
        schema(width=3),
        schema(width=1),
        schema(dtypes=("float64",) * 3),
        schema(dtypes=()),
        schema(names=("age", "bmi", "bmi")),
        schema(names=("age", "bmi", "bmi"), width=2),
    ],
    ids=["wide", "narrow", "dtypes", "no dtypes", "repeated", "one too many"],
)
@pytest.mark.parametrize("clients", [("oslo", "bergen"), ("bergen", "oslo")])
def test_a_schema_that_does_not_add_up(bad, clients):
    with pytest.raises(PeerError, match="client 'oslo' sent a schema that does not add up"):
        after(
            COUNT,
            reply("oslo", missing(1, 1), schemas=(bad,)),
            reply("bergen", missing(1, 1)),
            clients=clients,
        )


BY_POSITION = one_ask(Missing(), At((0, -1)))


def test_chosen_columns():
    coordinator = after(
        BY_POSITION, reply("oslo", missing(1, 1), chosen=((0, 1),)), clients=("oslo",)
    )
    assert coordinator.outcome.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        (((0, 2),), "chose columns that it does not have"),
        ((), "did not say which columns it chose"),
        (((0,), (1,)), "did not say which columns it chose"),
    ],
)
def test_badly_chosen_columns(chosen, says):
    with pytest.raises(PeerError, match=f"client 'oslo' {says}"):
        after(BY_POSITION, reply("oslo", missing(1, 1), chosen=chosen), clients=("oslo",))


def test_positions_that_mean_other_columns_start_again():
    there = reply("bergen", missing(1), schemas=(schema(names=("bmi", "age")),), chosen=((0,),))
    here = reply("oslo", missing(1), chosen=((0,),))
    with pytest.raises(StartAgain):
        after(one_ask(Missing(), At((0,))), here, there, clients=("oslo", "bergen"))


def test_selectors_must_agree():
    plan = one_ask(Missing(), Where("a", (), ()))
    here, there = (reply(c, missing(1), chosen=(p,)) for c, p in (("oslo", (0,)), ("bergen", (1,))))
    with pytest.raises(Disagreement, match=r"selector.*'oslo' and 'bergen'"):
        after(plan, here, there, clients=("oslo", "bergen"))


def test_widths_after_a_transformer_must_agree():
    def plan(view):
        learned = Learned("Binarizer", Parameters(), Nothing())
        return (yield from ask(Missing(), view.apply(learned)))

    with pytest.raises(Disagreement, match="3 columns at client 'oslo' and 2 at client 'bergen'"):
        after(
            plan,
            reply("bergen", missing(1, 1)),
            reply("oslo", missing(1, 1, 1)),
            clients=("oslo", "bergen"),
        )


# Tables that do not fit together ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (schema(names=("age", "sex")), ("'bmi'", "'sex'")[:1]),
        (schema(names=("age", "bmi", "sex")), ("'sex'",)),
        (schema(names=None, width=2), ("names",)),
        (schema(dtypes=("str", "float64")), ("'age'", "numbers", "text")),
    ],
)
def test_tables_that_disagree(other, words):
    width = other.width
    with pytest.raises(Disagreement) as caught:
        after(
            COUNT,
            reply("oslo", missing(1, 1)),
            reply("bergen", missing(*[1] * width), schemas=(other,)),
            clients=("oslo", "bergen"),
        )
    for word in ("'oslo'", "'bergen'", *words):
        assert word in str(caught.value)


def test_arrays_of_different_width():
    here, there = (
        reply(c, missing(*[1] * w), schemas=(schema(names=None, width=w),))
        for c, w in (("oslo", 2), ("bergen", 3))
    )
    with pytest.raises(Disagreement, match="'oslo' has 2 columns and client 'bergen' has 3"):
        after(COUNT, here, there, clients=("oslo", "bergen"))


def test_no_rows_anywhere():
    nothing = (schema(rows=0),)
    with pytest.raises(Disagreement, match="no client has any rows"):
        after(COUNT, *(reply(c, missing(0, 0), schemas=nothing) for c in CLIENTS))


def test_text_and_numbers_in_the_answers():
    def categories(*values):
        zero = np.zeros(1, dtype=np.int64)
        return Categories.summary((np.array(values, dtype=object),), (), zero, zero)

    objects = (schema(names=("age",), dtypes=("object",)),)
    with pytest.raises(
        Disagreement, match="'age' holds text at one of the clients 'oslo' and 'turku'"
    ):
        after(
            one_ask(Categories()),
            reply("oslo", categories("a"), schemas=objects),
            reply("bergen", categories("b"), schemas=objects),
            reply("turku", categories(1), schemas=objects),
        )


def test_wide_tables_are_compared_quickly():
    """A schema may have 100,000 columns: comparing two must not take their square."""
    names = tuple(f"column {i}" for i in range(30_000))
    wide = (schema(names=names),)
    started = time.perf_counter()
    after(
        one_ask(Missing(), Named(("column 1",))),
        *(reply(c, missing(1), schemas=wide) for c in CLIENTS),
    )
    assert time.perf_counter() - started < 20
