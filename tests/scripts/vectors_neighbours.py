"""Good and bad summaries of the nearest rows, and of rows with gaps."""

from __future__ import annotations

import numpy as np

from fedps.statistics import Donors, Incomplete, Neighbours
from fedps.statistics.neighbours.incomplete_rows import Height
from fedps.statistics.neighbours.nearest_base import Nearest
from tests.scripts.cells import INF, NAN, floats, ints

DONORS = Donors(np.array([[NAN, 1.0], [2.0, NAN]]), 2)
NEIGHBOURS = Neighbours(np.array([[0.0, 1.0], [2.0, 3.0]]), 2, "euclidean", 2.0, np.empty(0))


def found(distances, values):
    """Return neighbours of two values that were looked for."""
    return Nearest(floats(*distances), floats(*values))


NEAREST = {"found": found([[0.5, 2.0], [1.0, INF]], [[7.0, -1.0], [3.0, 0.0]])}
BAD_NEAREST = [
    (found([[0.5], [1.0], [2.0]], [[7], [3], [1]]), "has 3 lines, not 2"),
    (found([[0.5, 1, 2], [1, 2, 3]], [[7, 3, 1], [1, 2, 3]]), "has 3 neighbours, more than 2"),
    (found([0.5, 2.0], [7.0, -1.0]), "has 1 dimensions"),
    (found([[0.5, 2.0], [1.0, INF]], [[7.0], [3.0]]), "values has shape (2, 1), not (2, 2)"),
    (found([[-0.5, 2.0], [1.0, INF]], [[7, 1], [3, 0]]), "must not be negative"),
    (found([[NAN, 2.0], [1.0, INF]], [[7, 1], [3, 0]]), "must not be negative"),
    (found([[2.5, 2.0], [1.0, INF]], [[7, 1], [3, 0]]), "must be sorted"),
    (found([[0.5, 2.0], [1.0, INF]], [[NAN, 1], [3, 0]]), "values must be finite"),
    (found([[0.5, 2.0], [1.0, INF]], [[7, INF], [3, 0]]), "values must be finite"),
    (found([[0.5, 2.0], [1.0, INF]], [[7, 1], [3, 9]]), "must be 0 where no row is"),
    (Nearest(np.float32([[1.0], [2.0]]), floats([1], [2])), "has dtype float32, not float64"),
    (Nearest(floats([1], [2]), ints([1], [2])), "has dtype int64, not float64"),
]

GAPS = {
    "heights": [Height(5, ints(1, 4))],
    "present": ints([3, 0]),
    "rows": floats([NAN, NAN], [NAN, NAN]),
}
BAD_GAPS = [
    ("heights", [], "are 0, not one"),
    ("heights", [Height(5, ints(1, 4))] * 2, "are 2, not one"),
    ("heights", [Height(6, ints(1, 4))], "has 6 rows, not 5"),
    ("heights", [Height(5, ints(4, 1))], "must be sorted and distinct"),
    ("heights", [Height(5, ints(4, 4))], "must be sorted and distinct"),
    ("heights", [Height(5, ints(1, 5))], "is not in 0..4"),
    ("heights", [Height(5, ints(-1, 4))], "is not in 0..4"),
    ("heights", [Height(5, floats(1, 4))], "has dtype float64, not int64"),
    ("heights", [Height(5, ints(1))], "rows has shape (2, 2), not (1, 2)"),
    ("present", ints([4, 0]), "has different missing cells than present"),
    ("present", ints([-3, 0]), "is not in 0..5"),
    ("present", ints([6, 0]), "is not in 0..5"),
    ("present", ints(3, 0), "has shape (2,), not (1, 2)"),
    ("present", floats([3, 0]), "has dtype float64, not int64"),
    ("rows", floats([NAN, 1.0], [NAN, NAN]), "has different missing cells than present"),
    ("rows", floats([1.0, 1.0], [NAN, NAN]), "must have gaps"),
    ("rows", floats([NAN, INF], [NAN, NAN]), "must not be infinite"),
    ("rows", ints([1, 1], [1, 1]), "must be numbers"),
    ("rows", floats([NAN], [NAN]), "present has shape (1, 2), not (1, 1)"),
]

GOOD = {
    Donors: (DONORS, NEAREST),
    Incomplete: (Incomplete(), GAPS),
    Neighbours: (NEIGHBOURS, NEAREST),
}
BAD = [
    *((DONORS, NEAREST, "found", value, said) for value, said in BAD_NEAREST),
    *((NEIGHBOURS, NEAREST, "found", value, said) for value, said in BAD_NEAREST[:2]),
    *((Incomplete(), GAPS, *bad) for bad in BAD_GAPS),
]
