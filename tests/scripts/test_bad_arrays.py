"""Bad packed arrays, one vector each, and how objects are counted before they are made."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from fedps.errors import PeerError
from fedps.learned import read_numbers
from fedps.learned.encoders import CategoryEncoderNumbers
from fedps.protocol.answers import read_answer
from fedps.protocol.codec import decode, decode_part, encode, encode_part
from fedps.protocol.limits import MAX_PAIRS
from fedps.protocol.messages import Fitted, Reply, Round
from fedps.protocol.packing.arrays import Budget, Form, pack, unpack
from fedps.protocol.unfolded_size import unfolded_size
from fedps.statistics import Missing
from tests.scripts.wire import (
    ARRAY,
    Ext,
    deflated,
    msgpack,
    packed,
    plain,
    reply_of,
    varint,
)

F8, F4, I8, B1, I1, U1, OBJECT = 0, 1, 2, 3, 6, 10, 11
ARRAYS = {
    "nothing": (b"", "is not a packed array"),
    "two bytes": (b"\x00\x00", "is not a packed array"),
    "unknown form": (packed(9, F8, (1,), b"\0" * 8), "is malformed"),
    "unknown dtype": (packed(Form.RAW, 99, (1,), b"\0" * 8), "is not a packed array"),
    "five dimensions": (packed(Form.RAW, F8, (1,) * 5, b"\0" * 8), "is not a packed array"),
    "shape cut": (bytes([Form.RAW, F8, 3, 1, 1]), "is cut short"),
    "shape of 70 bits": (bytes([Form.RAW, F8, 1]) + b"\xff" * 9 + b"\x02", "has a number of more"),
    "raw short": (packed(Form.RAW, F8, (2,), b"\0" * 15), "has 15 bytes, not 16"),
    "raw long": (packed(Form.RAW, F8, (2,), b"\0" * 17), "has 17 bytes, not 16"),
    "huge shape": (packed(Form.RAW, F8, (2**40,), b"\0" * 8), "unfolds to more than"),
    "huge product": (packed(Form.SAME, F8, (2**31, 2**31, 2**31), b"\0"), "unfolds to more than"),
    "huge and empty": (packed(Form.RAW, F8, (2**40, 0), b""), "unfolds to more than"),
    "same huge": (packed(Form.SAME, F8, (2**62,), b"\x02\x07"), "unfolds to more than"),
    "whole huge": (packed(Form.WHOLE, F8, (2**22 - 99,), b"\x07"), "is cut short"),
    "truth": (packed(Form.RAW, B1, (2,), b"\x01\x02"), "has a truth value other than 0 and 1"),
    "truth whole": (packed(Form.WHOLE, B1, (1,), b"\x04"), "has a number outside of bool"),
    "same nothing": (packed(Form.SAME, F8, (2,), b""), "repeats nothing"),
    "same of same": (packed(Form.SAME, F8, (2,), b"\x01\x01\x02\x07"), "repeats nothing"),
    "same cut": (packed(Form.SAME, F8, (2,), b"\x02"), "is cut short"),
    "same unknown": (packed(Form.SAME, F8, (2,), b"\x63\x07"), "is malformed"),
    "same of scalars": (packed(Form.SAME, F8, (2,), b"\x06\x91\x07"), "has dtype float64 in form"),
    "whole outside": (packed(Form.WHOLE, I1, (1,), varint(1000)), "has a number outside of int8"),
    "whole negative": (packed(Form.WHOLE, U1, (1,), b"\x01"), "has a number outside of uint8"),
    "whole rounded": (
        packed(Form.WHOLE, F8, (1,), varint(2**63 + 2)),
        "has a number outside of flo",
    ),
    "whole in float32": (
        packed(Form.WHOLE, F4, (1,), varint(2**40 + 2)),
        "has a number outside of",
    ),
    "whole left over": (packed(Form.WHOLE, F8, (1,), b"\x02\x02"), "has bytes left over"),
    "whole cut": (packed(Form.WHOLE, F8, (2,), b"\x02\x80"), "is cut short"),
    "steps outside": (
        packed(Form.STEPS, I1, (2,), varint(200) * 2),
        "has a number outside of int8",
    ),
    "steps left over": (packed(Form.STEPS, F8, (0,), b"\x02"), "has bytes left over"),
    "mixed bitmap": (packed(Form.MIXED, F8, (9,), b"\x00"), "is cut short"),
    "mixed cut": (packed(Form.MIXED, F8, (2,), b"\x80\x02" + b"\0" * 7), "has 7 bytes, not 8"),
    "mixed long": (packed(Form.MIXED, F8, (2,), b"\xc0\x02\x02\x02"), "has 1 bytes, not 0"),
    "mixed integers": (packed(Form.MIXED, I8, (1,), b"\x80\x02"), "has dtype int64 in form MIXED"),
    "narrow integers": (packed(Form.NARROW, I8, (1,), b"\0" * 4), "has dtype int64 in form NARROW"),
    "narrow short": (packed(Form.NARROW, F8, (2,), b"\0" * 7), "has 7 bytes, not 8"),
    "scalars of numbers": (
        packed(Form.SCALARS, F8, (1,), b"\x91\x07"),
        "has dtype float64 in form",
    ),
    "raw objects": (packed(Form.RAW, OBJECT, (1,), b"\0" * 8), "has dtype object in form RAW"),
    "scalars length": (packed(Form.SCALARS, OBJECT, (2,), b"\x91\x07"), "has another length than"),
    "scalars long": (
        packed(Form.SCALARS, OBJECT, (1,), b"\x92\x07\x07"),
        "has another length than",
    ),
    "scalars announced": (
        packed(Form.SCALARS, OBJECT, (9,), b"\xdd\0\0\0\x09\x07"),
        "is cut short",
    ),
    "scalars no list": (packed(Form.SCALARS, OBJECT, (1,), b"\x07"), "has another length than"),
    "scalars nothing": (packed(Form.SCALARS, OBJECT, (0,), b""), "has another length than"),
    "scalars left over": (
        packed(Form.SCALARS, OBJECT, (1,), b"\x91\x07\x07"),
        "has bytes left over",
    ),
    "scalars nested": (
        packed(Form.SCALARS, OBJECT, (1,), b"\x91\x91\x07"),
        "has cells that are not text",
    ),
    "scalars map": (packed(Form.SCALARS, OBJECT, (1,), b"\x91\x80"), "has cells that are not text"),
    "scalars code": (
        packed(Form.SCALARS, OBJECT, (1,), b"\x91\xd4\x03\x00"),
        "has an unknown extension type 3",
    ),
    "scalars time": (
        packed(Form.SCALARS, OBJECT, (1,), b"\x91\xd6\xff\0\0\0\0"),
        "has cells that are not text",
    ),
    "scalars long integer": (
        packed(Form.SCALARS, OBJECT, (1,), b"\x91\xc8\x04\x01\x01" + b"\x7f" * 1025),
        "has an integer of 1025 bytes; the cap is 1024",
    ),
    "scalars object": (
        packed(Form.SCALARS, OBJECT, (1,), b"\x91\xd4\x02\x7f"),
        "has an object of an unknown type",
    ),
    "scalars date": (
        packed(Form.SCALARS, OBJECT, (1,), b"\x91\xd5\x02\x00\xff"),
        "has a date that is not one",
    ),
    "scalars time of day": (
        packed(Form.SCALARS, OBJECT, (1,), b"\x91\xd5\x02\x02\xff"),
        "has a time that is not one",
    ),
    "scalars decimal": (
        packed(Form.SCALARS, OBJECT, (1,), b"\x91\xd6\x02\x04nan"),
        "has a Decimal that is not finite",
    ),
    "scalars long decimal": (
        packed(Form.SCALARS, OBJECT, (1,), b"\x91\xc8\x03\xea\x02\x04" + b"1" * 1001),
        "has a Decimal that is not one",
    ),
    "scalars text": (packed(Form.SCALARS, OBJECT, (1,), b"\x91\xa1\xff"), "is malformed"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_bad_arrays(name):
    data, says = ARRAYS[name]
    raw = msgspec.Raw(msgpack(["cells", Ext(ARRAY, data)]))
    with pytest.raises(PeerError) as caught:
        read_answer(Missing(), "oslo", raw, 5, Budget())
    assert str(caught.value).startswith(f"client 'oslo' sent a bad Missing: cells {says}")


def test_the_budget_is_one_for_all_answers_of_a_reply():
    budget = Budget()
    cells = encode_part(Missing().summary(np.zeros((20, 50_000), dtype=np.int64)))
    for _ in range(4):
        decode_part(cells, Missing.summary, "oslo", budget)
    with pytest.raises(PeerError, match="unfolds to more than"):
        decode_part(cells, Missing.summary, "oslo", budget)


# Counting objects ---------------------------------------------------------------------------------

OBJECTS = [
    ([1, 2.5, None, True], 5),
    (["a", "bc"], 3),
    ([[], [[]], []], 5),
    (list(range(70_000)), 70_001),
    (["x" * 40, "y" * 300, "z" * 70_000], 4),
    ([-1, -100, -10_000, -(2**40), 2**63, 200, 60_000, 2**31], 9),
    ([b"x", b"y" * 300, b"z" * 70_000], 4),
    ([Ext(1, b"x" * n) for n in (1, 2, 4, 8, 16, 0, 300, 70_000)], 9),
]


@pytest.mark.parametrize(("value", "objects"), OBJECTS)
def test_objects_are_counted(value, objects):
    text = sum(len(item) for item in value if isinstance(item, str))
    assert unfolded_size(msgpack(value), 10**9) == 72 * objects + text


def test_maps_are_counted_and_bounded():
    assert unfolded_size(msgpack({"a": 1, "b": {}}), 10**9) == 72 * 5 + 2 * 256 + 2
    assert unfolded_size(msgpack({str(i): i for i in range(MAX_PAIRS)}), 10**9) > 0
    for count in (MAX_PAIRS + 1, 70_000):
        with pytest.raises(ValueError, match=f"dictionary of {count} keys"):
            unfolded_size(msgpack({i: i for i in range(count)}), 10**9)


def test_text_that_is_not_ascii_may_take_four_times_as_much():
    assert unfolded_size(msgpack("é" * 10), 10**9) == 72 + 4 * 20


def test_counting_stops():
    assert unfolded_size(b"\x90" * 10**6, 1000) < 1100


def test_honest_messages_pass_all_bounds():
    names = [f"column {i}" for i in range(100_000)]
    schema = ["pandas", names, 100_000, ["float64"] * 100_000, 5, list(range(1000))]
    assert decode(deflated(reply_of(schemas=[schema])), Reply, "oslo").schemas[0].width == 100_000
    cells = np.random.default_rng(0).normal(size=(2 * 10**6 - 100,))
    raw = encode_part(Missing().summary(cells))
    reply = decode(plain(reply_of(msgspec.Raw(raw))), Reply, "oslo")
    assert len(bytes(reply.answers[0])) == len(raw)
    words = np.array([f"category number {i}" for i in range(200_000)], dtype=object)
    assert unpack(pack(words), Budget()).tolist() == words.tolist()


def test_many_categories_can_be_told_of():
    words = np.array([f"category number {i}" for i in range(100_000)], dtype=object)
    numbers = CategoryEncoderNumbers(rows=200_000, categories=[words])
    round_ = decode(encode(Round(1, (Fitted(0, numbers),), ())), Round, "the server")
    read = read_numbers("OrdinalEncoder", round_.tells[0].numbers, across=False)
    (found,) = read.categories
    assert found.tolist() == words.tolist()
