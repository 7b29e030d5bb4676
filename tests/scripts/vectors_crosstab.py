"""Good and bad counts of pairs of categories: two of text and two numbers, five rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import structs

from fedps.statistics import PairCounts
from fedps.statistics.categories.pair_table import PairTable
from tests.scripts.cells import INF, NAN, floats, ints, words

TABLE = PairTable(ints(0, 3), ints(2, 3), ints(1))
COUNTS = {"values": (words("a", "b"), floats(1.5, 2.5)), "place": ints(0, 1), "table": TABLE}
DENSE = {"cells": ints(), "hidden": ints()}


def table(**fields: Any) -> PairTable:
    return structs.replace(TABLE, **fields)


BAD_COUNTS = [
    ("values", (words("b", "a"), floats(1.5, 2.5)), "must be sorted"),
    ("values", (words("a", "b"), floats(1.5, 1.5)), "must be sorted and distinct"),
    ("values", (words("a", None), floats(1.5, 2.5)), "must be text only"),
    ("values", (words("a", "b"), floats(1.5, INF)), "must be finite"),
    ("values", (words("a", "b"), floats(1.5, NAN)), "must be finite"),
    ("values", (words("a", "b"),), "has 1 columns, not 2"),
    ("values", (), "has 0 columns, not 2"),
    ("values", (words("a", "b"), floats(1, 2), floats(1, 2)), "has 3 columns, not 2"),
    ("values", (words("a", "b"), floats([1.5, 2.5])), "has shape (1, 2)"),
    ("values", (words(*"abcdef"), floats(1.5, 2.5)), "has 6 categories in 5 rows"),
    ("place", ints(1, 0), "is not in order"),
    ("place", ints(0), "has shape (1,), not (2,)"),
    ("place", floats(0, 1), "has dtype float64, not int64"),
    ("place", np.array(0), "has shape (), not (2,)"),
    ("table", table(cells=ints(3, 0)), "must be sorted and distinct"),
    ("table", table(cells=ints(0, 0)), "must be sorted and distinct"),
    ("table", table(cells=ints(0, 4)), "is not in 0..3"),
    ("table", table(cells=ints(-1, 3)), "is not in 0..3"),
    ("table", table(cells=ints(-(2**63), 2**63 - 1)), "is not in 0..3"),
    ("table", table(cells=ints(0, 2, 3)), "has other cells than counts"),
    ("table", table(cells=floats(0, 3)), "has dtype float64, not int64"),
    ("table", table(counts=ints(2, 0)), "must be positive"),
    ("table", table(counts=ints(2, 4)), "adds up to 6 cells for 5 rows"),
    ("table", table(counts=ints(2**63 - 1, 2**63 - 1)), "adds up to"),
    ("table", table(counts=ints([2, 3])), "has shape (1, 2), not (any,)"),
    ("table", table(**DENSE), "has 2 cells"),
    ("table", table(**DENSE, counts=ints(2, 3, -1, 1)), "must not be negative"),
    ("table", table(hidden=ints(0)), "has counts in cells that are hidden"),
    ("table", table(hidden=ints(2, 1)), "must be sorted and distinct"),
    ("table", table(hidden=ints(4)), "is not in 0..3"),
    ("table", table(hidden=ints([1])), "has shape (1, 1), not (any,)"),
    ("table", table(cells=ints(), counts=ints(0, 2, 0, 3)), "has counts in cells that are hidden"),
]

GOOD = {PairCounts: (PairCounts(), COUNTS)}
BAD = [(PairCounts(), COUNTS, *bad) for bad in BAD_COUNTS]
