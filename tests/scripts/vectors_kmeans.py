"""Bad summaries of the statistics behind k-means: field, value, and what is said of it."""

from __future__ import annotations

import numpy as np

from fedps.statistics import FarthestRows, PickedRows, Potentials, RowClusters, RowCounts
from tests.scripts.cells import INF, NAN, floats, ints

CENTRES, MEAN = floats([0, 1], [2, 3], [4, 5]), floats(0.5, 0.5)
NEAREST = RowClusters(CENTRES, MEAN)
FARTHEST = FarthestRows(CENTRES, MEAN, 2)
PICKED = PickedRows(CENTRES, MEAN, 3)
POTENTIALS = Potentials(CENTRES, CENTRES[:2], MEAN)

CLUSTERS = {
    "counts": ints(3, 0, 2),
    "inertia": floats(1.5),
    "sums": floats([[1, 2], [0, 0], [3, -4]]),
    "held": False,
}
BAD_CLUSTERS = [
    ("counts", ints(3, 0), "has 2 centres"),
    ("counts", ints([3, 0, 2]), "has shape (1, 3), not (any,)"),
    ("counts", floats(3, 0, 2), "has dtype float64, not int64"),
    ("counts", ints(3, 0, 3), "adds up to 6 rows, not 5"),
    ("counts", ints(3, 0, 1), "adds up to 4 rows, not 5"),
    ("counts", ints(6, -3, 2), "must not be negative"),
    ("counts", ints(2**63 - 1, 2**63 - 1, 7), "adds up to"),
    ("inertia", floats(), "has shape (0,), not (1,)"),
    ("inertia", floats(1, 2), "has shape (2,), not (1,)"),
    ("inertia", floats(-1), "must not be negative"),
    ("inertia", floats(NAN), "must be finite"),
    ("inertia", ints(1), "has dtype int64, not float64"),
    ("sums", floats([[1, 2], [0, 0]]), "has shape (1, 2, 2), not (any, 3, 2)"),
    ("sums", floats([[1, 2], [0, 1], [3, -4]]), "must be 0 where counts is 0"),
    ("sums", floats([[1, INF], [0, 0], [3, -4]]), "must be finite"),
    ("sums", np.float32([[[1, 2], [0, 0], [3, -4]]]), "has dtype float32, not float64"),
    ("sums", np.zeros((2, 3, 2)), "has 2 parts, not one"),
    ("held", 1, "must be `bool`, not `int`"),
]

FAR = {"labels": ints(2, 0), "away": floats(9, 4), "rows": floats([7, 8], [0, 3])}
BAD_FAR = [
    ("labels", ints(2), "has shape (1,), not (2,)"),
    ("labels", ints(3, 0), "names no centre"),
    ("labels", ints(-1, 0), "must not be negative"),
    ("labels", floats(2, 0), "has dtype float64, not int64"),
    ("away", floats(9), "has shape (1,), not (2,)"),
    ("away", floats(4, 9), "must not rise"),
    ("away", floats(9, -4), "must not be negative"),
    ("away", floats(INF, 4), "must be finite"),
    ("rows", floats([7, 8]), "holds 1 rows, not 2"),
    ("rows", np.zeros((3, 2)), "holds 3 rows, not 2"),
    ("rows", floats([7, NAN], [0, 3]), "must be finite"),
    ("rows", np.float32([[7, 8], [0, 3]]), "has dtype float32"),
    ("rows", ints([7, 8], [0, 3]), "has dtype int64"),
]

ROWS = {
    "found": np.array([True, False, True]),
    "passed": 0.0,
    "rows": floats([1, 2], [0, 0], [3, 4]),
}
BAD_ROWS = [
    ("found", np.array([True, False]), "has shape"),
    ("found", ints(1, 0, 1), "has dtype int64, not bool"),
    ("found", np.zeros(3, dtype=bool), "must be 0 where found is false"),
    ("passed", 1.5, "must be 0"),
    ("passed", NAN, "must be 0"),
    ("rows", floats([1, 2], [0, 0]), "has shape (2, 2), not (3, 2)"),
    ("rows", floats([1, 2], [0, 1], [3, 4]), "must be 0 where found is false"),
    ("rows", floats([1, INF], [0, 0], [3, 4]), "must be finite"),
    ("rows", np.float32([[1, 2], [0, 0], [3, 4]]), "has dtype float32"),
    ("rows", ints([1, 2], [0, 0], [3, 4]), "has dtype int64"),
]

LINES = {"potentials": floats([1.5, 2.5]), "rows": [5]}
BAD_LINES = [
    ("potentials", floats([1.5]), "has 1 candidates, not 2"),
    ("potentials", floats(1.5, 2.5), "has shape (2,), not (1, any)"),
    ("potentials", floats([1.5, 2.5], [0, 0]), "has shape (2, 2), not (1, any)"),
    ("potentials", floats([1.5, -2.5]), "must not be negative"),
    ("potentials", floats([1.5, INF]), "must be finite"),
    ("potentials", ints([1, 2]), "has dtype int64, not float64"),
    ("rows", [4], "is not 5, which the schema has"),
    ("rows", [], "is not 5"),
]

HEIGHTS = {"rows": [5], "narrow": False}
BAD_HEIGHTS = [
    ("rows", [4], "is not 5, which the schema has"),
    ("rows", [2, 3], "is not 5"),
    ("narrow", 1, "must be `bool`, not `int`"),
]

GOOD = {
    RowClusters: (NEAREST, CLUSTERS),
    FarthestRows: (FARTHEST, FAR),
    PickedRows: (PICKED, ROWS),
    Potentials: (POTENTIALS, LINES),
    RowCounts: (RowCounts(), HEIGHTS),
}
BAD = [
    *((NEAREST, CLUSTERS, *bad) for bad in BAD_CLUSTERS),
    *((FARTHEST, FAR, *bad) for bad in BAD_FAR),
    *((PICKED, ROWS, *bad) for bad in BAD_ROWS),
    *((POTENTIALS, LINES, *bad) for bad in BAD_LINES),
    *((RowCounts(), HEIGHTS, *bad) for bad in BAD_HEIGHTS),
]
