"""Bad summaries, one vector each: what no honest client could have computed is refused by name."""

from __future__ import annotations

from typing import get_args

import msgspec
import numpy as np
import pytest

from fedps.errors import PeerError
from fedps.protocol.answers import read_answer
from fedps.protocol.codec import encode_part
from fedps.protocol.packing.arrays import Budget
from fedps.statistics import (
    AnyStatistic,
    Categories,
    Clusters,
    Extremes,
    Farthest,
    Finite,
    FrequentItems,
    Heaviest,
    Known,
    Missing,
    Moments,
    Stored,
)
from fedps.statistics.ragged import Ragged
from tests.scripts import (
    vectors_columns,
    vectors_correlation,
    vectors_crosstab,
    vectors_gram,
    vectors_iterative,
    vectors_kmeans,
    vectors_masked,
    vectors_matching,
    vectors_neighbours,
    vectors_power,
    vectors_quantiles,
    vectors_target,
)
from tests.scripts.cells import INF, NAN, floats, ints, words
from tests.scripts.wire import ARRAY, CELL, Ext, msgpack

ROWS = 5


def long(dtype, *shape):
    """Return an array that announces a long side and holds nothing."""
    return np.empty(shape, dtype=dtype)


# For each statistic a good summary, and what is bad about others: field, value, and what is said.
MOMENTS = {
    "count": floats([5, 0]),
    "pivot": floats([1e9, 0]),
    "deviation": floats([-0.5, 0]),
    "square": floats([2.5, 0]),
}
EXTREMES = {"count": ints(5, 0), "lower": floats(-1, NAN), "upper": floats(2, NAN)}
ABSOLUTE = {"count": ints(5, 0), "lower": floats(), "upper": floats(2, NAN)}
COUNTED = {
    "values": (words("a", "b"), floats(1.5, 2.5)),
    "counts": (ints(2, 2), ints(1, 1)),
    "none": ints(1, 0),
    "nan": ints(0, 3),
}
FREQUENT = {
    "values": (words("a"), floats(1.5, 2.5)),
    "counts": Ragged([ints(2), ints(1, 1)]),
    "left": ints([2, 0], [1, 0]),
    "none": ints(1, 0),
    "nan": ints(0, 3),
}
SEEN = {**COUNTED, "counts": (), "none": ints(1, 0), "nan": ints(0, 1)}
KNOWN = {"counts": (ints(2, 1), ints(0)), "unknown": ints(2, 5)}
CELLS = {"cells": ints(0, 5)}
STORED = {"cells": 7}
FINITE = {"columns": np.ones(2, dtype=bool)}

CLUSTERED = {
    "counts": Ragged([ints(3, 2), ints(0, 4)]),
    "sums": Ragged([floats(1.5, -2), floats(0, 4)]),
}
FAR = {"counts": (ints(2, 1), ints()), "values": (floats(7.5, -2), floats())}

NEAREST = Clusters(Ragged([np.array([0.0, 1.0])] * 2), np.array([0.5, 0.5]))
FARTHEST = Farthest(np.array([0.0, 1.0]), 0.5, 2)
WEIGHTED = Moments(weight="w")
GIVEN = Known((("a", "b"), (1.0,)))
COUNTS = Categories(counts=True)
ITEMS = FrequentItems(k=2)
BAD_FREQUENT = [
    ("values", (words("b", "a"), floats(1.5, 2.5)), "must be sorted"),
    ("values", (words("a"),), "has 1 columns, not 2"),
    ("counts", Ragged([ints(3), ints(1, 1)]), "adds up to 6 cells for 5 rows"),
    ("counts", Ragged([ints(2**63 - 1), ints(1, 1)]), "adds up to"),
    ("counts", Ragged(), "has 0 columns, not 2"),
    ("counts", Ragged([ints(0), ints(1, 1)]), "must be positive"),
    ("counts", Ragged([floats(2), floats(1, 1)]), "has dtype float64, not int64"),
    ("counts", Ragged([ints(2, 1), ints(1)]), "has shape (2,), not (1,)"),
    ("left", ints([3, 0], [1, 0]), "adds up to 6 cells for 5 rows"),
    ("left", ints(), "adds up to 3 cells for 5 rows"),
    ("left", floats(), "has dtype float64, not int64"),
    ("left", long(np.int64, 0, 2**20), "has shape (0, 1048576), not (0,)"),
    ("left", ints(2, 0), "has shape (2,), not (2, 2)"),
    ("left", ints([2], [1]), "has shape (2, 1), not (2, 2)"),
    ("left", floats([2, 0], [1, 0]), "has dtype float64, not int64"),
    ("left", ints([2, 0], [-1, 0]), "is not in 0..5"),
    ("left", ints([2**62, 0], [1, 0]), "is not in 0..5"),
    ("left", ints([2, 0], [3, 0]), "bounds counts above its cells"),
    ("left", ints([2, 0], [0, 0]), "has cells without a bound"),
    ("none", ints(-1, 0), "must not be negative"),
    ("none", ints(6, 0), "adds up to"),
    ("nan", floats(0, 3), "has dtype float64, not int64"),
]

BAD_CLUSTERS = [
    ("counts", Ragged([ints(6, 0), ints(0, 4)]), "is not in 0..5"),
    ("counts", Ragged([ints(3, 3), ints(0, 4)]), "adds up to 6 cells for 5 rows"),
    ("counts", Ragged([ints(-1, 2), ints(0, 4)]), "is not in 0..5"),
    ("counts", Ragged([floats(3, 2), floats(0, 4)]), "has dtype float64, not int64"),
    ("counts", Ragged([ints(3, 2)]), "has 1 columns, not 2"),
    ("counts", Ragged([ints(3), ints(0, 4)]), "has 1 centres"),
    ("counts", Ragged([ints(), ints(0, 4)]), "has 0 centres"),
    ("sums", Ragged([floats(1.5), floats(0, 4)]), "has shape (1,), not (2,)"),
    ("sums", Ragged([floats(1.5, -2, 0, 0), floats(0, 4)]), "has shape (4,), not (2,)"),
    ("sums", Ragged([floats(1.5, -2)]), "has 1 columns, not 2"),
    ("sums", Ragged([floats(NAN, -2), floats(0, 4)]), "must be finite"),
    ("sums", Ragged([floats(1.5, -2), floats(1, 4)]), "must be 0 where counts is 0"),
    ("sums", Ragged([np.float32([1.5, -2]), np.float32([0, 4])]), "has dtype float32, not float64"),
]
BAD_FARTHEST = [
    ("counts", (ints(2, 1),), "has 1 columns, not 2"),
    ("counts", (ints(2), ints()), "has shape (1,), not (2,)"),
    ("counts", (ints(2, 0), ints()), "must be positive"),
    ("counts", (ints(5, 1), ints()), "adds up to 6 cells for 5 rows"),
    ("counts", (ints(2**63 - 1, 1), ints()), "adds up to"),
    ("counts", (floats(2, 1), ints()), "has dtype float64, not int64"),
    ("values", (floats(7.5, INF), floats()), "must be finite"),
    ("values", (floats(7.5, 7.5), floats()), "must be distinct"),
    ("values", (words("a", "b"), floats()), "has dtype object, not float64"),
    ("values", (floats([7.5, 2]), floats()), "has shape (1, 2), not (any,)"),
]

BAD = [
    *((NEAREST, CLUSTERED, *case) for case in BAD_CLUSTERS),
    *((FARTHEST, FAR, *case) for case in BAD_FARTHEST),
    (Moments(), MOMENTS, "count", floats([-5, 0]), "must not be negative"),
    (Moments(), MOMENTS, "count", floats([NAN, 0]), "must be finite"),
    (Moments(), MOMENTS, "count", floats([6, 0]), "is above the 5 rows"),
    (Moments(), MOMENTS, "count", floats([4.5, 0]), "must be whole"),
    (Moments(), MOMENTS, "count", floats(5, 0), "has shape (2,), not (any, 2)"),
    (Moments(), MOMENTS, "count", floats(5), "has shape (1,)"),
    (Moments(), MOMENTS, "count", np.array(5.0), "has shape (), not (any, 2)"),
    (Moments(), MOMENTS, "count", floats([[5, 0]]), "has shape (1, 1, 2)"),
    (Moments(), MOMENTS, "count", floats([5, 0], [0, 0]), "has 2 parts, not one"),
    (Moments(), MOMENTS, "count", long(np.float64, 2**20, 0), "has shape (1048576, 0)"),
    (Moments(), MOMENTS, "count", ints([5, 0]), "has dtype int64, not float64"),
    (Moments(), MOMENTS, "count", np.float32([[5, 0]]), "has dtype float32, not float64"),
    (Moments(), MOMENTS, "count", words(["5", "0"]), "has dtype object, not float64"),
    (Moments(), MOMENTS, "pivot", floats([INF, 0]), "must be finite"),
    (Moments(), MOMENTS, "pivot", floats([1, 2, 3]), "has shape (1, 3), not (1, 2)"),
    (Moments(), MOMENTS, "pivot", long(np.float64, 0, 2), "has shape (0, 2), not (1, 2)"),
    (Moments(), MOMENTS, "deviation", floats([NAN, 0]), "must be finite"),
    (Moments(), MOMENTS, "deviation", floats([1, 1]), "must be 0 where count is 0"),
    (Moments(), MOMENTS, "square", floats([-1e-300, 0]), "must not be negative"),
    (Moments(), MOMENTS, "square", floats([INF, 0]), "must be finite"),
    (Moments(), MOMENTS, "square", floats([1, 1]), "must be 0 where count is 0"),
    (Moments(), MOMENTS, "square", long(np.float64, 0, 2), "has 0 parts"),
    (Moments(), MOMENTS, "square", floats([1, 1], [1, 1]), "has another number of parts"),
    (Moments(order=1), MOMENTS, "square", floats([2.5, 0]), "has 1 parts"),
    (WEIGHTED, MOMENTS, "count", floats([-0.5, 0]), "must not be negative"),
    (WEIGHTED, MOMENTS, "count", floats([INF, 0]), "must be finite"),
    (Extremes(), EXTREMES, "count", ints(-1, 0), "is not in 0..5"),
    (Extremes(), EXTREMES, "count", ints(6, 0), "is not in 0..5"),
    (Extremes(), EXTREMES, "count", floats(5, 0), "has dtype float64, not int64"),
    (Extremes(), EXTREMES, "count", np.uint64([5, 0]), "has dtype uint64, not int64"),
    (Extremes(), EXTREMES, "count", ints(5), "has shape (1,), not (2,)"),
    (Extremes(), EXTREMES, "lower", floats(-INF, NAN), "must be finite"),
    (Extremes(), EXTREMES, "lower", floats(NAN, NAN), "must be missing exactly where upper is"),
    (Extremes(), EXTREMES, "lower", floats(3, NAN), "must not be above upper"),
    (Extremes(), EXTREMES, "lower", floats(), "has shape (0,), not (2,)"),
    (Extremes(), EXTREMES, "lower", floats(-1), "has shape (1,), not (2,)"),
    (Extremes(), EXTREMES, "upper", floats(INF, NAN), "must be finite"),
    (Extremes(), EXTREMES, "upper", floats(NAN, NAN), "must be missing exactly where count is 0"),
    (Extremes(), EXTREMES, "upper", floats(2, 2), "must be missing exactly where count is 0"),
    (Extremes(), EXTREMES, "upper", np.float32([2, NAN]), "has dtype float32, not float64"),
    (Extremes(absolute=True), ABSOLUTE, "upper", floats(-2, NAN), "must not be negative"),
    (Extremes(absolute=True), ABSOLUTE, "lower", floats(-1, NAN), "has shape (2,), not (0,)"),
    (Extremes(absolute=True), ABSOLUTE, "lower", long(np.float64, 0, 3), "has shape (0, 3)"),
    (COUNTS, COUNTED, "values", (words("b", "a"), floats(1.5, 2.5)), "must be sorted"),
    (COUNTS, COUNTED, "values", (words("a", "a"), floats(1.5, 2.5)), "must be sorted"),
    (COUNTS, COUNTED, "values", (words("a", "b"), floats(2.5, 1.5)), "must be sorted"),
    (COUNTS, COUNTED, "values", (words("a", "b"), floats(1.5, 1.5)), "must be sorted and dist"),
    (COUNTS, COUNTED, "values", (words("a", None), floats(1.5, 2.5)), "must be text only"),
    (COUNTS, COUNTED, "values", (words("a", 3), floats(1.5, 2.5)), "must be text only"),
    (COUNTS, COUNTED, "values", (words(1, INF), floats(1.5, 2.5)), "must be finite"),
    (COUNTS, COUNTED, "values", (words("a", "b"), floats(1.5, NAN)), "must be finite"),
    (COUNTS, COUNTED, "values", (words("a", "b"), floats(1.5, INF)), "must be finite"),
    (COUNTS, COUNTED, "values", (words("a", "b"),), "has 1 columns, not 2"),
    (COUNTS, COUNTED, "values", (words("a", "b"), floats([1.5, 2.5])), "has shape (1, 2)"),
    (COUNTS, COUNTED, "values", (words("a", "b"), np.array(1.5)), "has shape ()"),
    (COUNTS, COUNTED, "counts", (ints(2, 2), ints(2)), "has shape (1,), not (2,)"),
    (COUNTS, COUNTED, "counts", (ints(2, 2), ints(2, 0)), "must be positive"),
    (COUNTS, COUNTED, "counts", (ints(5, -1), ints(1, 1)), "must be positive"),
    (COUNTS, COUNTED, "counts", (ints(2, 3), ints(1, 1)), "adds up to 6 cells for 5 rows"),
    (COUNTS, COUNTED, "counts", (ints(2**63 - 1, 2**63 - 1), ints(1, 1)), "adds up to"),
    (COUNTS, COUNTED, "counts", (floats(2, 2), ints(1, 1)), "has dtype float64, not int64"),
    (COUNTS, COUNTED, "counts", (), "has 0 columns"),
    (COUNTS, COUNTED, "counts", (ints(2, 2),), "has 1 columns"),
    (COUNTS, COUNTED, "none", ints(-1, 0), "must not be negative"),
    (COUNTS, COUNTED, "none", ints(11, 0), "is above the 5 rows"),
    (COUNTS, COUNTED, "none", ints(1), "has shape (1,), not (2,)"),
    (COUNTS, COUNTED, "nan", floats(0, 3), "has dtype float64, not int64"),
    (Categories(), SEEN, "counts", (ints(2, 2), ints(1, 1)), "has 2 columns"),
    (Categories(sets=True), SEEN, "counts", (ints(2, 2), ints(1, 1)), "has 2 columns"),
    (Categories(), SEEN, "values", (words(*map(chr, range(97, 109))), floats()), "has 12 cat"),
    *((Heaviest(), FREQUENT, *bad) for bad in BAD_FREQUENT),
    *((ITEMS, FREQUENT, *bad) for bad in BAD_FREQUENT),
    (GIVEN, KNOWN, "counts", (ints(2, 1),), "has 1 columns, not 2"),
    (GIVEN, KNOWN, "counts", (ints(3), ints(0)), "has 1 categories"),
    (GIVEN, KNOWN, "counts", (ints(6, -3), ints(0)), "is not in 0..5"),
    (GIVEN, KNOWN, "counts", (ints(2, 2), ints(0)), "adds up to 6 cells for 5 rows"),
    (GIVEN, KNOWN, "counts", (floats(2, 1), ints(0)), "has dtype float64, not int64"),
    (GIVEN, KNOWN, "counts", (ints([2, 1]), ints(0)), "has shape (1, 2)"),
    (GIVEN, KNOWN, "unknown", ints(-1, 5), "must not be negative"),
    (GIVEN, KNOWN, "unknown", ints(3, 5), "adds up to"),
    (GIVEN, KNOWN, "unknown", np.int32([2, 5]), "has dtype int32, not int64"),
    (Missing(), CELLS, "cells", ints(-1, 0), "is not in 0..5"),
    (Missing(), CELLS, "cells", ints(0, 6), "is not in 0..5"),
    (Missing(), CELLS, "cells", floats(0, 5), "has dtype float64, not int64"),
    (Missing(), CELLS, "cells", ints([0, 5]), "has shape (1, 2), not (2,)"),
    (Missing(), CELLS, "cells", np.array(3), "has shape (), not (0,)"),
    (Stored(), STORED, "cells", -1, "cannot be of 5 rows"),
    (Stored(), STORED, "cells", 2**60, "cannot be of 5 rows"),
    (Stored(), STORED, "cells", 7.5, "must be `int`, not `float`"),
    (Stored(), STORED, "cells", NAN, "must be `int`, not `float`"),
    (Stored(), STORED, "cells", ints(7), "must be `int`, not `ext`"),
    (Finite(), FINITE, "columns", np.array([True, False]), "must be true"),
    (Finite(), FINITE, "columns", ints(1, 1), "has dtype int64, not bool"),
    (Finite(), FINITE, "columns", np.ones((1, 2), dtype=bool), "has shape (1, 2)"),
    *vectors_columns.BAD,
    *vectors_masked.BAD,
    *vectors_correlation.BAD,
    *vectors_crosstab.BAD,
    *vectors_gram.BAD,
    *vectors_iterative.BAD,
    *vectors_kmeans.BAD,
    *vectors_matching.BAD,
    *vectors_neighbours.BAD,
    *vectors_power.BAD,
    *vectors_quantiles.BAD,
    *vectors_target.BAD,
]
GOOD = {
    Clusters: (NEAREST, CLUSTERED),
    Farthest: (FARTHEST, FAR),
    Moments: (Moments(), MOMENTS),
    Extremes: (Extremes(), EXTREMES),
    Categories: (COUNTS, COUNTED),
    Heaviest: (Heaviest(), FREQUENT),
    FrequentItems: (ITEMS, FREQUENT),
    Known: (GIVEN, KNOWN),
    Missing: (Missing(), CELLS),
    Stored: (Stored(), STORED),
    Finite: (Finite(), FINITE),
    **vectors_columns.GOOD,
    **vectors_masked.GOOD,
    **vectors_correlation.GOOD,
    **vectors_crosstab.GOOD,
    **vectors_gram.GOOD,
    **vectors_iterative.GOOD,
    **vectors_kmeans.GOOD,
    **vectors_matching.GOOD,
    **vectors_neighbours.GOOD,
    **vectors_power.GOOD,
    **vectors_quantiles.GOOD,
    **vectors_target.GOOD,
}
every_statistic = pytest.mark.parametrize("kind", GOOD, ids=lambda kind: kind.__name__)


def refused(statistic, raw):
    with pytest.raises(PeerError) as caught:
        read_answer(statistic, "oslo", msgspec.Raw(raw), ROWS, Budget())
    start = f"client 'oslo' sent a bad {type(statistic).__name__}: "
    text = str(caught.value)
    assert text.startswith(start)
    assert CELL not in text
    return text.removeprefix(start)


def fields_of(kind):
    """Return the good summary of a statistic as a list, as it stands on the wire."""
    statistic, good = GOOD[kind]
    raw = encode_part(statistic.summary(**good))
    return statistic, msgspec.msgpack.decode(raw, type=list[msgspec.Raw])


def test_every_statistic_has_vectors():
    assert set(GOOD) == set(get_args(AnyStatistic)) == {type(case[0]) for case in BAD}
    for statistic, good in GOOD.values():
        mentioned = {case[2] for case in BAD if type(case[0]) is type(statistic)}
        assert mentioned == set(good)


@pytest.mark.parametrize(
    ("statistic", "good"),
    [
        *GOOD.values(),
        (WEIGHTED, MOMENTS),
        (Extremes(absolute=True), ABSOLUTE),
        (Categories(), SEEN),
    ],
    ids=lambda value: type(value).__name__,
)
def test_good_ones_pass(statistic, good):
    raw = msgspec.Raw(encode_part(statistic.summary(**good)))
    answer = read_answer(statistic, "oslo", raw, ROWS, Budget())[0]
    assert isinstance(answer, statistic.summary)


@pytest.mark.parametrize(
    ("statistic", "good", "field", "value", "says"),
    BAD,
    ids=[f"{type(case[0]).__name__}-{case[2]}-{case[4][:24]}" for case in BAD],
)
def test_bad_summaries(statistic, good, field, value, says):
    text = refused(statistic, encode_part(statistic.summary(**{**good, field: value})))
    # a length that does not fit may be seen from the other side
    assert says in text or text.startswith(field)
    if text.startswith(field):
        assert text.startswith(f"{field} {says}")


@every_statistic
def test_no_list(kind):
    statistic = GOOD[kind][0]
    assert refused(statistic, msgpack(CELL)).startswith("it must be `array`")
    assert refused(statistic, msgpack(None)).startswith("it must be `array`")
    assert refused(statistic, msgpack({"a": 1})).startswith("it must be `array`")
    assert refused(statistic, msgpack([])).startswith("it must be `array` of at least")


@every_statistic
def test_tags(kind):
    statistic, fields = fields_of(kind)
    assert refused(statistic, msgpack([CELL, *fields[1:]])) == "type is not one of the known words."
    assert refused(statistic, msgpack([3, *fields[1:]])) == "type must be `str`, not `int`."
    other = "finite" if kind.summary is not Finite.summary else "moments"
    assert refused(statistic, msgpack([other, *fields[1:]])).startswith("type is not one")


@every_statistic
def test_fields_too_few_and_too_many(kind):
    statistic, fields = fields_of(kind)
    assert "it must be `array` of at least length" in refused(statistic, msgpack(fields[:-1]))
    assert "it must be `array` of at most length" in refused(statistic, msgpack([*fields, 0]))


@every_statistic
def test_every_field_of_another_type(kind):
    statistic, fields = fields_of(kind)
    for i, field in enumerate(statistic.summary.__struct_fields__, start=1):
        for value in (CELL, None, 1.5, {"a": 1}, Ext(99, b"x"), Ext(ARRAY, b"\x09")):
            changed = [*fields[:i], msgspec.Raw(msgpack(value)), *fields[i + 1 :]]
            text = refused(statistic, msgpack(changed))
            assert text.startswith((f"{field} ", f"{field}[")), text


@every_statistic
def test_cut_and_left_over(kind):
    statistic, good = GOOD[kind]
    raw = encode_part(statistic.summary(**good))
    for length in range(len(raw)):
        refused(statistic, raw[:length])
    assert refused(statistic, raw + b"\x00") == "it has bytes left over."


@every_statistic
def test_deep_nesting(kind):
    statistic = GOOD[kind][0]
    refused(statistic, b"\x91" * 100_000 + b"\xc0")
    refused(statistic, b"\x92" + msgpack(statistic.summary.__struct_config__.tag) + b"\x91" * 9999)
