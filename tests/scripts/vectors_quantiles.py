"""Bad summaries of the statistics behind quantiles: field, value, and what is said of it."""

from __future__ import annotations

import numpy as np

from fedps.statistics import KLL, REQ, Spread, Within
from fedps.statistics.ragged import Ragged
from tests.scripts.cells import INF, NAN, floats, ints


def lists(*columns):
    return Ragged(columns)


BINS = {
    "values": lists(floats(0.5, 9.5), floats()),
    "counts": lists(ints(1, 1), ints()),
    "lower": lists(floats(0.5), floats()),
    "upper": lists(floats(4), floats()),
    "inside": lists(ints(2), ints()),
    "narrow": np.array([True, False]),
    "nan": ints(1, 5),
}
INTERVALS = (floats([0.5, 4], [1.5, 6]), floats([], []))
INSIDE = {
    "below": lists(ints(1, 3), ints()),
    "inside": lists(ints(1, 2), ints()),
    "values": lists(floats(1.5, 5.5), floats()),
    "counts": lists(ints(1, 2), ints()),
}
SLICES = {
    "below": lists(ints(0, 0), ints()),
    "inside": lists(ints(0, 0), ints()),
    "values": lists(floats(-INF, 1, 1, INF), floats()),
    "counts": lists(ints(2, 3), ints()),
}
SKETCH = {
    "items": (floats(2, 3, 1), floats()),
    "lengths": (ints(2, 1), ints()),
    "steps": (),
    "n": ints(4, 0),
    "nan": ints(1, 5),
    "minimum": floats(1, NAN),
    "maximum": floats(3, NAN),
}
BAD_SPREAD = [
    ("values", lists(floats(0.5)), "has 1 columns, not 2"),
    ("values", lists(floats(9.5, 0.5), floats()), "must be sorted and distinct"),
    ("values", lists(floats(0.5, 0.5), floats()), "must be sorted and distinct"),
    ("values", lists(floats(0.5, INF), floats()), "must be finite"),
    ("values", lists(ints(1, 2), ints()), "has dtype int64, not float64"),
    ("counts", lists(ints(1), ints()), "has shape (1,), not (2,)"),
    ("counts", lists(ints(1, 0), ints()), "must be positive"),
    ("counts", lists(ints(2, 1), ints()), "adds up to 6 cells for 5 rows"),
    ("counts", lists(ints(2**63 - 1, 2**63 - 1), ints()), "adds up to"),
    ("lower", lists(floats(0.5)), "has 1 columns, not 2"),
    ("lower", lists(floats(4), floats()), "must be below upper"),
    ("lower", lists(floats(NAN), floats()), "must be below upper"),
    ("lower", lists(floats(INF), floats()), "must be below upper"),
    ("upper", lists(floats(4)), "has 1 columns, not 2"),
    ("upper", lists(floats(NAN), floats()), "must be a number"),
    ("upper", lists(floats(-INF), floats()), "must be below upper"),
    ("upper", lists(floats(4, 5), floats()), "has shape"),
    ("inside", lists(ints(0), ints()), "must be positive"),
    ("inside", lists(ints(3), ints()), "adds up to 6 cells"),
    ("inside", lists(floats(2), floats()), "has dtype float64, not int64"),
    ("narrow", ints(1, 0), "has dtype int64, not bool"),
    ("nan", ints(-1, 5), "must not be negative"),
    ("nan", ints(1, 6), "adds up to 6 cells for 5 rows"),
]
BAD_WITHIN = [
    ("below", lists(ints(1, 3)), "has 1 columns, not 2"),
    ("below", lists(ints(1), ints()), "has shape (2,), not (1,)"),
    ("below", lists(ints(-1, 3), ints()), "is not in 0..5"),
    ("below", lists(ints(1, 6), ints()), "is not in 0..5"),
    ("inside", lists(ints(1), ints()), "has shape (1,), not (2,)"),
    ("inside", lists(ints(1, 6), ints()), "is not in 0..5"),
    ("inside", lists(floats(1, 2), floats()), "has dtype float64, not int64"),
    ("values", lists(floats(1.5, 1.5), floats()), "must be sorted and distinct"),
    ("values", lists(floats(1.5, NAN), floats()), "must be finite"),
    ("values", lists(floats(1.5, 2), floats()), "lies outside of the intervals"),
    ("values", lists(floats(1.5), floats()), "has shape"),
    ("counts", lists(ints(1, 0), ints()), "must be positive"),
    ("counts", lists(ints(1, 1), ints()), "adds up to 2 cells, not 3"),
    ("counts", lists(ints(2**63 - 1, 1), ints()), "adds up to"),
]
BAD_SLICES = [
    ("below", lists(ints(1, 0), ints()), "has counts beside slices"),
    ("inside", lists(ints(1, 0), ints()), "has counts beside slices"),
    ("values", lists(floats(-INF, 1, 1), floats()), "has shape"),
    ("values", lists(floats(-INF, 1, 1, NAN), floats()), "must be numbers"),
    ("values", lists(floats(-INF, 1, INF, 2), floats()), "must be sorted"),
    ("values", lists(floats(-INF, INF, 1, INF), floats()), "must be ends of slices"),
    ("values", lists(floats(NAN, 1, 1, INF), floats()), "must be ends of slices"),
    ("counts", lists(ints(2, 0), ints()), "must be positive"),
    ("counts", lists(ints(2, 4), ints()), "adds up to 6 cells for 5 rows"),
    ("counts", lists(ints(2**63 - 1, 1), ints()), "adds up to"),
]
BAD_SKETCH = [
    ("items", (floats(2, 3, 1),), "has 1 columns, not 2"),
    ("items", (floats(3, 2, 1), floats()), "must be sorted within a level"),
    ("items", (floats(2, 3, 0.5), floats()), "must lie between minimum and maximum"),
    ("items", (floats(2, INF, 1), floats()), "must be finite"),
    ("lengths", (ints(3), ints()), "stands for 3 cells, not 4"),
    ("lengths", (ints(1, 1), ints()), "adds up to 2, not 3 items"),
    ("lengths", (ints(-1, 4), ints()), "must not be negative"),
    ("lengths", (ints(*[0] * 62, 1), ints()), "has 63 levels"),
    ("steps", (ints(1), ints()), "must not be sent"),
    ("n", ints(6, 0), "is not in 0..5"),
    ("n", ints(3, 0), "stands for 4 cells, not 3"),
    ("nan", ints(2, 5), "and n are above the 5 rows"),
    ("nan", ints(-1, 5), "is not in 0..5"),
    ("minimum", floats(NAN, NAN), "must be missing exactly where n is 0"),
    ("minimum", floats(-INF, NAN), "must be finite"),
    ("maximum", floats(2.5, NAN), "must lie between minimum and maximum"),
    ("maximum", floats(3, 1), "must be missing exactly where n is 0"),
]

GOOD = {
    Spread: (Spread(), BINS),
    Within: (Within(INTERVALS), INSIDE),
    KLL: (KLL(), SKETCH),
    REQ: (REQ(), SKETCH),
}
BAD = [
    (*GOOD[kind], *bad)
    for kind, cases in {
        Spread: BAD_SPREAD,
        Within: BAD_WITHIN,
        KLL: BAD_SKETCH,
        REQ: BAD_SKETCH,
    }.items()
    for bad in cases
] + [(Within(INTERVALS), SLICES, *bad) for bad in BAD_SLICES]
