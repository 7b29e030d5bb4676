"""Replies that fit no table, no ask, or not each other: refused, naming the clients."""

from __future__ import annotations

import time

import numpy as np
import pytest
from msgspec import Raw
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import MissingIndicator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, OrdinalEncoder

from fedps.errors import ClientError, Disagreement, PeerError
from fedps.learned import Learned, Nothing, Parameters
from fedps.protocol.answers import merge_answers
from fedps.protocol.coordinator import StartAgain
from fedps.protocol.messages import Reply
from fedps.protocol.plan import ask
from fedps.statistics import Categories, Missing, Partial
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
    bad = Reply("oslo", 1, (schema(),), (Raw(b"\xc1"),))
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


INSIDE = one_ask(Missing(), 0)


def gaps_of(columns):
    return ColumnTransformer([("gaps", MissingIndicator(), columns)])


def test_columns_by_position():
    both = gaps_of([0, -1])
    coordinator = after(INSIDE, reply("oslo", missing(1, 1)), clients=("oslo",), estimator=both)
    assert coordinator.outcome.tolist() == [1, 1]


@pytest.mark.parametrize("columns", [[0], ["bmi"], slice(0, 1), make_column_selector("bmi")])
def test_more_columns_than_the_pipeline_chooses(columns):
    answer = reply("oslo", missing(1, 1))
    with pytest.raises(
        PeerError, match="client 'oslo' sent a bad Missing: it has 2 columns, not 1"
    ):
        after(INSIDE, answer, clients=("oslo",), estimator=gaps_of(columns))


@pytest.mark.parametrize(
    ("columns", "name"), [([2], "number 2"), (["agee"], "'agee'"), ([-3], "number -3")]
)
def test_columns_that_the_schema_does_not_have(columns, name):
    """A client whose answer does not say so is found out by its schema."""
    with pytest.raises(ClientError, match=f"client 'oslo' has no column {name}"):
        after(INSIDE, reply("oslo", missing(1)), clients=("oslo",), estimator=gaps_of(columns))


def test_positions_that_mean_other_columns_start_again():
    there = reply("bergen", missing(1), schemas=(schema(names=("bmi", "age")),))
    here = reply("oslo", missing(1))
    with pytest.raises(StartAgain):
        after(INSIDE, here, there, clients=("oslo", "bergen"), estimator=gaps_of([0]))


def test_where_selectors_differ_columns_are_named():
    dtypes = {"oslo": ("float64", "int64"), "bergen": ("int64", "float64")}
    replies = [reply(c, missing(1), schemas=(schema(dtypes=d),)) for c, d in dtypes.items()]
    floats = gaps_of(make_column_selector(dtype_include=float))
    with pytest.raises(StartAgain):
        after(INSIDE, *replies, clients=("oslo", "bergen"), estimator=floats)


def test_widths_after_a_transformer_must_agree():
    def plan(view):
        learned = Learned("Binarizer", Parameters(), Nothing())
        return (yield from ask(Missing(), view.inside(1, [learned])))

    with pytest.raises(Disagreement, match="3 columns at client 'oslo' and 2 at client 'bergen'"):
        after(
            plan,
            reply("bergen", missing(1, 1)),
            reply("oslo", missing(1, 1, 1)),
            clients=("oslo", "bergen"),
            estimator=make_pipeline(Binarizer(), MissingIndicator()),
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
            estimator=OrdinalEncoder(),
        )


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_parts_of_predictions_for_other_rows(rows):
    """Each is within what was asked for, and all are about the same rows: none is repeated for others."""
    statistic = Partial(0, 4, 2)
    answers = {"oslo": np.ones((3, 2)), "bergen": np.ones((rows, 2))}
    found = {client: Partial.summary(cells) for client, cells in answers.items()}
    with pytest.raises(
        Disagreement, match=r"'oslo' and 'bergen' .* Partial .* not about the same rows"
    ):
        merge_answers(statistic, found, None)


def test_wide_tables_are_compared_quickly():
    """A schema may have 100,000 columns: comparing two must not take their square."""
    names = tuple(f"column {i}" for i in range(30_000))
    wide = (schema(names=names),)
    started = time.perf_counter()
    after(
        INSIDE,
        *(reply(c, missing(1), schemas=wide) for c in CLIENTS),
        estimator=gaps_of(["column 1"]),
    )
    assert time.perf_counter() - started < 20
