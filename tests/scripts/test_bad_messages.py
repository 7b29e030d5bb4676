"""Bad rounds and replies, one vector each: refused by name, without what stood in them."""

from __future__ import annotations

import pytest

from fedps.errors import PeerError
from fedps.protocol.arrays import Budget
from fedps.protocol.codec import decode, decode_part, encode
from fedps.protocol.limits import MAX_MESSAGE, VERSION
from fedps.protocol.messages import Ask, Failure, Reply, Round
from fedps.statistics import Moments
from tests.scripts.wire import (
    CELL,
    DTYPE,
    FUNCTION,
    SCALAR,
    TUPLE,
    Ext,
    array,
    deflated,
    facts,
    msgpack,
    packed,
    plain,
    reply_of,
    responder,
    round_of,
)

MOMENTS = ["moments", 2, None, None]
GOOD_TELL = [2, 0, ["select", ["named", ["a"]]]]


def apply(*fields):
    return [2, 0, ["apply", list(fields)]]


def fit(*fields):
    return [2, 0, ["fit", list(fields)]]


def numbers(**values):
    return facts(msgpack(values))


def learned(params=None, arrays=None):
    return apply("X", params or facts(), arrays or facts(), [])


def holding(value):
    """Return parameters that hold one value."""
    return facts(msgpack({"a": value}))


ROUNDS = {
    "not a list": ("x", "it must be `array`, not `str`"),
    "a dictionary": ({"number": 1}, "it must be `array`, not `object`"),
    "too short": ([1, []], "it must be `array` of at least length 3, not 2"),
    "too long": ([1, [], [], b"", CELL], "it must be `array` of at most length 4, not 5"),
    "after": ([1, [], [], CELL], "after must be `bytes`, not `str`"),
    "after long": ([1, [], [], b"12345"], "after must be `bytes` of length <= 4"),
    "number": (["1", [], []], "number must be `int`, not `str`"),
    "number sign": ([-1, [], []], "number must be `int` >= 1"),
    "number zero": ([0, [], []], "number must be `int` >= 1"),
    "number range": ([2**40, [], []], "number must be `int` <= 2147483648"),
    "number nil": ([None, [], []], "number must be `int`, not"),
    "tells": ([1, None, []], "tells must be `array`, not"),
    "asks": ([1, [], 3], "asks must be `array`, not `int`"),
    "ask short": ([1, [], [[MOMENTS]]], "asks[0] must be `array` of at least length 2"),
    "ask long": ([1, [], [[MOMENTS, 0, 0]]], "asks[0] must be `array` of at most length 2"),
    "view sign": ([1, [], [[MOMENTS, 0], [MOMENTS, -1]]], "asks[1].view must be `int` >= 0"),
    "view float": ([1, [], [[MOMENTS, 0.5]]], "asks[0].view must be `int`, not `float`"),
    "unknown tag": (round_of([CELL]), "asks[0].statistic.type is not one of the known words"),
    "tag number": (round_of([3]), "asks[0].statistic.type must be `str`, not `int`"),
    "no tag": (round_of([]), "asks[0].statistic must be `array` of at least length 1"),
    "statistic text": (round_of("moments"), "asks[0].statistic must be `array`, not `str`"),
    "order": (round_of(["moments", CELL]), "asks[0].statistic.order must be `int`, not `str`"),
    "missing": (round_of(["moments", 2, CELL]), "asks[0].statistic.missing must be `float |"),
    "weight": (round_of(["moments", 2, None, 3]), "asks[0].statistic.weight must be `str | null`"),
    "statistic long": (round_of([*MOMENTS, 1]), "asks[0].statistic must be `array` of at most"),
    "absolute": (round_of(["extremes", 1]), "asks[0].statistic.absolute must be `bool`"),
    "counts": (round_of(["categories", None]), "asks[0].statistic.counts must be `bool`"),
    "categories": (round_of(["known", [3]]), "asks[0].statistic.categories[0] must be `array`"),
    "no categories": (round_of(["known"]), "asks[0].statistic must be `array` of at least"),
    "marker": (round_of(["missing", Ext(99, b"x")]), "it has an unknown extension type 99"),
    "tell short": ([1, [[2, 0]], []], "tells[0] must be `array` of at least length 3"),
    "tell view": ([1, [[2**40, 0, GOOD_TELL[2]]], []], "tells[0].view must be `int` <="),
    "tell parent": ([1, [[2, CELL, GOOD_TELL[2]]], []], "tells[0].parent must be `int`"),
    "change tag": ([1, [[2, 0, ["drop"]]], []], "tells[0].change.type is not one of the known"),
    "selection tag": (
        [1, [[2, 0, ["select", ["all"]]]], []],
        "tells[0].change.columns.type is not",
    ),
    "name": (
        [1, [[2, 0, ["select", ["named", ["a", 3]]]]], []],
        "tells[0].change.columns.names[1] must be `str`, not `int`",
    ),
    "long name": (
        [1, [GOOD_TELL, [2, 0, ["select", ["named", ["x" * 600]]]]], []],
        "tells[1].change.columns.names[0] must be `str` of length <= 512",
    ),
    "many names": (
        [1, [[2, 0, ["select", ["named", ["x"] * 100_001]]]], []],
        "tells[0].change.columns.names must be `array` of length <= 100000",
    ),
    "position": (
        [1, [[2, 0, ["select", ["at", [CELL]]]]], []],
        "tells[0].change.columns.positions[0] must be `int`",
    ),
    "span": ([1, [[2, 0, ["select", ["span", 1.5, 2]]]], []], "tells[0].change.columns.start must"),
    "where": (
        [1, [[2, 0, ["select", ["where", 3, [], []]]]], []],
        "tells[0].change.columns.pattern",
    ),
    "except": (
        [1, [[2, 0, ["select", ["except", [["except", []]]]]]], []],
        "tells[0].change.columns.chosen[0].type is not one of the known words",
    ),
    "learned long": (
        [1, [apply("X", facts(), facts(), [], 1)], []],
        "tells[0].change.learned must be `array` of at most length 4, not 5",
    ),
    "learned short": ([1, [apply("X")], []], "tells[0].change.learned must be `array` of at least"),
    "estimator": ([1, [apply(3, facts(), facts())], []], "tells[0].change.learned.estimator must"),
    "params": (
        [1, [apply("X", CELL, facts())], []],
        "tells[0].change.learned.params must be Parameters",
    ),
    "numbers": (
        [1, [apply("X", facts(), array(1))], []],
        "tells[0].change.learned.numbers must be Numbers",
    ),
    "steps": (
        [1, [apply("X", facts(), facts(), [["Y", facts(), 3]])], []],
        "tells[0].change.learned.steps[0].numbers must be Numbers, not int",
    ),
    "unknown estimator": (
        [1, [apply(CELL, facts(), facts())], []],
        "tells[0].change is not about a known estimator.",
    ),
    "unknown step": (
        [1, [apply("Pipeline", facts(), facts(), [[CELL, facts(), facts()]])], []],
        "tells[0].change is not about a known estimator.",
    ),
    "missing number": (
        [1, [apply("MaxAbsScaler", facts(), numbers(largest=array(1.0)))], []],
        "tells[0].change has no 'rows' among the numbers of MaxAbsScaler.",
    ),
    "unknown number": (
        [1, [apply("Binarizer", facts(), numbers(**{CELL: 1}))], []],
        "tells[0].change has an unknown name among the numbers of Binarizer.",
    ),
    "wrong number": (
        [1, [apply("MaxAbsScaler", facts(), numbers(largest=CELL, rows=1))], []],
        "tells[0].change must have an array as 'largest' among the numbers of MaxAbsScaler.",
    ),
    "number of an owner": (
        [1, [fit("Normalizer", facts(), numbers(norms=1.5))], []],
        "tells[0].change must have an array as 'norms' among the numbers of Normalizer.",
    ),
    "parameters cut": ([1, [learned(facts(b"\x81"))], []], "tells[0].change.learned.params is cut"),
    "parameters left": (
        [1, [learned(facts(b"\x80\x80"))], []],
        "tells[0].change.learned.params has",
    ),
    "parameters list": (
        [1, [learned(facts(b"\x90"))], []],
        "tells[0].change.learned.params has para",
    ),
    "parameter key": (
        [1, [learned(facts(b"\x81\x01\x01"))], []],
        "tells[0].change.learned.params has",
    ),
    "parameter text": (
        [1, [learned(facts(b"\x81\xa1a\xa1\xff"))], []],
        "tells[0].change.learned.params",
    ),
    "parameter code": (
        [1, [learned(holding(Ext(77, b"")))], []],
        "tells[0].change.learned.params has",
    ),
    "tuple": (
        [1, [learned(holding(Ext(TUPLE, b"\x80")))], []],
        "tells[0].change.learned.params has",
    ),
    "dtype": (
        [1, [learned(holding(Ext(DTYPE, b"<U999999999")))], []],
        "tells[0].change.learned.params is",
    ),
    "dtype fields": (
        [1, [learned(holding(Ext(DTYPE, b"i4,(9999,9999)f8")))], []],
        "tells[0].change.",
    ),
    "dtype bytes": (
        [1, [learned(holding(Ext(DTYPE, b"\xff")))], []],
        "tells[0].change.learned.params",
    ),
    "no dtype": ([1, [learned(holding(Ext(DTYPE, b"<i3")))], []], "tells[0].change.learned.params"),
    "function bytes": (
        [1, [learned(holding(Ext(FUNCTION, b"\xff\xfe")))], []],
        "tells[0].change.learned",
    ),
    "scalar": (
        [1, [learned(holding(Ext(SCALAR, packed(9, 0, (), b""))))], []],
        "tells[0].change.learned",
    ),
}

SCHEMA = ["numpy", None, 2, ["<f8"], 5, []]


def with_schema(position, value):
    changed = list(SCHEMA)
    changed[position] = value
    return reply_of(schemas=[changed])


REPLIES = {
    "not a list": (None, "it must be `array`, not"),
    "too short": (["oslo", 1, []], "it must be `array` of at least length 5, not 3"),
    "too long": ([*reply_of(), None, b"", CELL], "it must be `array` of at most length 7, not 8"),
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
    "wide": (with_schema(2, 10**9), "schemas[0].width must be `int` <= 100000"),
    "dtypes": (with_schema(3, [1.5]), "schemas[0].dtypes[0] must be `str`, not `float`"),
    "rows": (with_schema(4, -5), "schemas[0].rows must be `int` >= 0"),
    "many rows": (with_schema(4, 2**60), "schemas[0].rows must be `int` <= 9007199254740992"),
    "rows nan": (with_schema(4, float("nan")), "schemas[0].rows must be `int`, not `float`"),
    "empty": (with_schema(5, [-1]), "schemas[0].empty[0] must be `int` >= 0"),
    "chosen": (reply_of(chosen=[[0, CELL]]), "chosen[0][1] must be `int`, not `str`"),
    "chosen sign": (reply_of(chosen=[[0], [-1]]), "chosen[1][0] must be `int` >= 0"),
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
    Round: Round(1, (), (Ask(Moments(), 0),)),
    Reply: Reply("oslo", 1, (), (), (), Failure("no")),
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
    assert decode(deflated(encode(good)[1:]), kind, "the peer") == good


@both
@pytest.mark.parametrize("first", [0, 1, 2 * VERSION + 2, 2 * VERSION + 3, 0x80, 0xFF])
def test_wrong_version(kind, first):
    text = refused(bytes([first]) + encode(GOOD[kind])[1:], kind)
    assert f"wire version {VERSION}" in text
    assert "same version of fedps" in text


@both
def test_nothing(kind):
    assert "wire version" in refused(b"", kind)
    assert "it is cut short" in refused(plain(b""), kind)


@both
def test_every_truncation(kind):
    for good in (plain(encode(GOOD[kind])[1:]), deflated(encode(GOOD[kind])[1:])):
        for length in range(1, len(good)):
            refused(good[:length], kind)


@both
@pytest.mark.parametrize("more", [b"\x00", b"\x93\x01\x90\x90", b"\xc1"])
def test_trailing_bytes(kind, more):
    body = encode(GOOD[kind])[1:]
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
    body = msgpack(round_of(["moments", CELL]))[:-1]
    with pytest.raises(PeerError, match=r"asks\[0\].statistic"):
        decode_part(body, Round, "the server", Budget())
