"""Bad rounds and replies, one vector each: refused by name, without what stood in them."""

from __future__ import annotations

import logging

import pytest

from fedps.errors import PeerError
from fedps.protocol.codec import decode, decode_part, encode, encode_part
from fedps.protocol.limits import MAX_MESSAGE, VERSION
from fedps.protocol.messages import Ask, Failure, Refusal, Reply, Request, Round
from fedps.protocol.packing.arrays import Budget
from tests.scripts.vectors_rounds import ROUNDS, request
from tests.scripts.wire import (
    CELL,
    array,
    deflated,
    described,
    facts,
    msgpack,
    plain,
    reply_of,
    responder,
    round_of,
)

# What decodes, and is refused or fails once it is held against the pipeline: estimator, numbers, what is said.
NUMBERS = {
    "missing number": ("MaxAbsScaler", {"largest": array(1.0)}),
    "unknown number": ("MaxAbsScaler", {"largest": array(1.0), "rows": 1, CELL: 1}),
    "wrong number": ("MaxAbsScaler", {"largest": CELL, "rows": 1}),
    "numbers of nothing": ("Binarizer", {CELL: 1}),
    "folds of their own": ("TargetEncoder", {"folds": array(1)}),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_are_not_the_estimators(name):
    estimator, numbers = NUMBERS[name]
    told = ["fitted", 0, facts(msgpack(numbers))]
    message = plain(round_of(tells=[told], pipeline=described(estimator)))
    reply = decode(responder().answer(message), Reply, "client 'oslo'")
    assert reply.problem == Failure("estimator", estimator)
    assert CELL not in repr(reply)


@pytest.mark.parametrize(
    "name", ["os.system", CELL, "LinearRegression", "Ridge", "GridSearchCV", "Described"]
)
def test_estimators_that_are_not_on_the_list(name, caplog):
    caplog.set_level(logging.CRITICAL)
    message = plain(round_of([0, 0], pipeline=described(name)))
    reply = decode(responder().answer(message), Reply, "client 'oslo'")
    assert isinstance(reply.problem, Failure | Refusal)
    assert not reply.answers


SCHEMA = ["numpy", None, 2, ["<f8"], 5, []]


def with_schema(position, value):
    changed = list(SCHEMA)
    changed[position] = value
    return reply_of(schemas=[changed])


REPLIES = {
    "not a list": (None, "it must be `array`, not"),
    "too short": (["oslo", 1, []], "it must be `array` of at least length 4, not 3"),
    "too long": ([*reply_of(), None, b"", CELL], "it must be `array` of at most length 6, not 7"),
    "to": ([*reply_of(), None, CELL], "to must be `bytes`, not `str`"),
    "client": (reply_of(client=3), "client must be `str`, not `int`"),
    "client length": (reply_of(client="x" * 513), "client must be `str` of length <= 512"),
    "round": (reply_of(round=0), "round must be `int` >= 1"),
    "three schemas": (reply_of(schemas=[SCHEMA] * 3), "schemas must be `array` of length <= 2"),
    "schema": (reply_of(schemas=[CELL]), "schemas[0] must be `array`, not `str`"),
    "schema short": (
        reply_of(schemas=[SCHEMA[:3]]),
        "schemas[0] must be `array` of at least length 5",
    ),
    "schema long": (
        reply_of(schemas=[[*SCHEMA, 1]]),
        "schemas[0] must be `array` of at most length 6",
    ),
    "container": (with_schema(0, CELL), "schemas[0].container is not one of the known words"),
    "names": (with_schema(1, ["a", None]), "schemas[0].names[1] must be `str`, not"),
    "name length": (
        with_schema(1, ["x" * 513]),
        "schemas[0].names[0] must be `str` of length <= 512",
    ),
    "width": (with_schema(2, -1), "schemas[0].width must be `int` >= 0"),
    "wide": (with_schema(2, 10**9), "schemas[0].width must be `int` <= 262144"),
    "dtypes": (with_schema(3, [1.5]), "schemas[0].dtypes[0] must be `str`, not `float`"),
    "rows": (with_schema(4, -5), "schemas[0].rows must be `int` >= 0"),
    "many rows": (with_schema(4, 2**60), "schemas[0].rows must be `int` <= 9007199254740992"),
    "rows nan": (with_schema(4, float("nan")), "schemas[0].rows must be `int`, not `float`"),
    "empty": (with_schema(5, [-1]), "schemas[0].empty[0] must be `int` >= 0"),
    "answers": (reply_of(answers=None), "answers must be `array`, not"),
    "problem": ([*reply_of(), CELL], "problem must be `array | null`, not `str`"),
    "problem tag": ([*reply_of(), [CELL]], "problem.type is not one of the known words"),
    "refusal": (
        [*reply_of(), ["!refused", "level"]],
        "problem must be `array` of at least length 3",
    ),
    "rule": ([*reply_of(), ["!failed", None]], "problem.rule must be `str`, not"),
    "rule length": ([*reply_of(), ["!failed", "x" * 513]], "problem.rule must be `str` of length"),
}


@pytest.mark.parametrize("pack", [plain, deflated])
@pytest.mark.parametrize("name", ROUNDS)
def test_bad_rounds(name, pack):
    message, says = ROUNDS[name]
    with pytest.raises(PeerError) as caught:
        responder().answer(pack(message))
    text = str(caught.value)
    assert text.startswith(f"the server sent a bad Round: {says}")
    assert CELL not in text
    assert "x" * 20 not in text


@pytest.mark.parametrize("pack", [plain, deflated])
@pytest.mark.parametrize("name", REPLIES)
def test_bad_replies(name, pack):
    message, says = REPLIES[name]
    with pytest.raises(PeerError) as caught:
        decode(pack(message), Reply, "client 'oslo'")
    text = str(caught.value)
    assert text.startswith(f"client 'oslo' sent a bad Reply: {says}")
    assert CELL not in text
    assert "x" * 20 not in text


# Bytes that are no message at all -----------------------------------------------------------------

GOOD = {
    Round: Round(1, (), (Ask(0, 0),), request=Request(None, weight="age")),
    Reply: Reply("oslo", 1, (), (), Failure("no")),
}
both = pytest.mark.parametrize("kind", [Round, Reply])


def refused(data, kind):
    with pytest.raises(PeerError) as caught:
        decode(data, kind, "the peer")
    assert str(caught.value).startswith("the peer sent ")
    return str(caught.value)


@both
def test_good_ones_pass(kind):
    good = GOOD[kind]
    assert decode(encode(good), kind, "the peer") == good
    assert decode(deflated(encode_part(good)), kind, "the peer") == good


@both
@pytest.mark.parametrize("first", [0, 1, 2 * VERSION + 2, 2 * VERSION + 3, 0x80, 0xFF])
def test_wrong_version(kind, first):
    text = refused(bytes([first]) + encode_part(GOOD[kind]), kind)
    assert f"wire version {VERSION}" in text
    assert "same version of fedps" in text


@both
def test_nothing(kind):
    assert "wire version" in refused(b"", kind)
    assert "it is cut short" in refused(plain(b""), kind)


@both
def test_every_truncation(kind):
    for good in (plain(encode_part(GOOD[kind])), deflated(encode_part(GOOD[kind]))):
        for length in range(1, len(good)):
            refused(good[:length], kind)


@both
@pytest.mark.parametrize("more", [b"\x00", b"\x93\x01\x90\x90", b"\xc1"])
def test_trailing_bytes(kind, more):
    body = encode_part(GOOD[kind])
    assert "has bytes left over" in refused(plain(body + more), kind)
    assert "has bytes left over" in refused(deflated(body + more), kind)
    assert "does not inflate to a whole one" in refused(deflated(body) + more, kind)


@both
def test_over_the_cap(kind):
    text = refused(plain(b"\xc0" * MAX_MESSAGE), kind)
    assert text == f"the peer sent {MAX_MESSAGE + 1} bytes; the cap is {MAX_MESSAGE}."


@both
def test_bytes_that_do_not_inflate(kind):
    assert "do not inflate" in refused(bytes([2 * VERSION + 1]) + b"\xff" * 50, kind)


@both
def test_unknown_codes_of_messagepack(kind):
    assert "it is malformed" in refused(plain(b"\xc1"), kind)


def test_a_field_without_its_bytes_is_numbered():
    """Where the rest of a message is cut off no tag can be found: the position has to do."""
    body = msgpack(request(quantiles=["moments", CELL]))[:-1]
    with pytest.raises(PeerError, match=r"request\.quantiles"):
        decode_part(body, Round, "the server", Budget())
