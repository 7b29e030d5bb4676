"""Good and bad summaries of the statistics behind IterativeImputer: two columns, five rows."""

from __future__ import annotations

import numpy as np

from fedps.statistics import Changes, Completed, Patterns
from fedps.statistics.products.imputation import Imputation
from tests.scripts.cells import INF, NAN, floats, ints, words


def bools(*cells):
    return np.array(cells, dtype=bool)


# four rows with both columns, and one without the second
PATTERNED = {
    "whole": True,
    "largest": [7.5],
    "parts": [2],
    "counts": [4, 1],
    "seen": bools([1, 1], [1, 0]),
    "pivot": floats([1e9, 0]),
    "rows": floats([0.5, 1], [2, -1], [0, 3], [1.5, 0]),
    "observed": ints(5, 4),
}
NONE = np.empty((0, 2))
BAD_PATTERNED = [
    ("whole", False, "has 1 parts, not 0"),
    ("largest", [], "is not 1 long"),
    ("largest", [1.0, 2.0], "has more than one number"),
    ("largest", [NAN], "must be finite and not negative"),
    ("largest", [INF], "must be finite and not negative"),
    ("largest", [-1.0], "must be finite and not negative"),
    ("parts", [], "has 0 parts, not 1"),
    ("parts", [1, 1], "has 2 parts, not 1"),
    ("parts", [3], "is not 2"),
    ("counts", [4], "is not 1"),
    ("counts", [5, 1], "does not add up to 5"),
    ("counts", [5, 0], "must be positive"),
    ("counts", [2**62, -(2**62) + 5], "must be positive"),
    ("seen", bools([1, 1]), "has shape (1, 2), not (2, 2)"),
    ("seen", ints([1, 1], [1, 0]), "has dtype int64, not bool"),
    ("seen", bools([1, 1], [0, 0]), "must be 0 where seen is false"),
    ("seen", bools([1, 1], [1, 1]), "does not fit counts and seen"),
    ("pivot", floats([1e9]), "has shape (1, 1), not (1, 2)"),
    ("pivot", NONE, "has shape (0, 2), not (1, 2)"),
    ("pivot", floats([NAN, 0]), "must be finite and not too large"),
    ("pivot", floats([0, 1e151]), "must be finite and not too large"),
    ("rows", NONE, "has shape (0, 2), not (4, 2)"),
    ("rows", floats([0.5, 1], [2, -1], [0, 3], [1.5, 2]), "must be 0 where seen is false"),
    ("rows", floats([0.5, 1], [2, INF], [0, 3], [1.5, 0]), "must be finite and not too large"),
    ("rows", ints([0, 1], [2, -1], [0, 3], [1, 0]), "has dtype int64, not float64"),
    ("observed", ints(5, 3), "does not fit counts and seen"),
    ("observed", ints(6, 4), "is not in 0..5"),
    ("observed", ints(-1, 4), "is not in 0..5"),
    ("observed", floats(5, 4), "has dtype float64, not int64"),
    ("observed", ints([5, 4]), "has shape (1, 2), not (2,)"),
]

IMPUTATION = Imputation(
    NAN,
    floats(1, 2),
    floats(0, 0.5),
    ints(1, 1),
    floats([0.5, 0], [0.25, 0]),
    floats(0, 1),
    floats(),
    floats(),
)
COMPLETED = Completed(IMPUTATION, (-1, 1))
# all five rows, and the two in which the second column was observed
COMPLETE = {
    "asked": [-1, 1],
    "rows": [5],
    "counts": [5, 2],
    "triangles": floats([[0.5, 1], [2, -1], [0, 3]], [[1, 0.5], [2, 2], [0, 0]])[None],
}
TOO_TALL = floats([[0.5, 1], [2, -1], [0, 3]], [[1, 0.5], [2, 2], [0, 1]])[None]
BAD_COMPLETE = [
    ("asked", [-1], "is not as requested"),
    ("asked", [-1, 0], "is not as requested"),
    ("rows", [], "is not [5]"),
    ("rows", [4], "is not [5]"),
    ("rows", [2, 3], "is not [5]"),
    ("counts", [5], "is not 2 long"),
    ("counts", [5, 6], "is not in 0..5"),
    ("counts", [5, -1], "is not in 0..5"),
    ("triangles", TOO_TALL, "has more rows than counts"),
    ("triangles", TOO_TALL[:, :1], "has shape (1, 1, 3, 2), not (1, 2, 3, 2)"),
    ("triangles", TOO_TALL[:, :, :2], "has shape (1, 2, 2, 2), not (1, 2, 3, 2)"),
    ("triangles", TOO_TALL[0], "has shape (2, 3, 2), not (1, 2, 3, 2)"),
    ("triangles", TOO_TALL * NAN, "must be finite and not too large"),
    ("triangles", TOO_TALL * 1e200, "must be finite and not too large"),
    ("triangles", TOO_TALL.astype(np.float32), "has dtype float32, not float64"),
    ("triangles", words("a", "b"), "has dtype object, not float64"),
]

CHANGED = Changes(IMPUTATION, 1)
CHANGE = {"changes": [2.5, 0.0], "beyond": 2}
BAD_CHANGE = [
    ("changes", [2.5], "has 1 sweeps, not 2"),
    ("changes", [2.5, 1, 1], "has 3 sweeps, not 2"),
    ("changes", [2.5, NAN], "must be finite and not negative"),
    ("changes", [INF, 1.0], "must be finite and not negative"),
    ("changes", [-1.0, 1.0], "must be finite and not negative"),
    ("beyond", 3, "is not in 0..2"),
    ("beyond", -1, "must not be negative"),
]

GOOD = {
    Patterns: (Patterns(), PATTERNED),
    Completed: (COMPLETED, COMPLETE),
    Changes: (CHANGED, CHANGE),
}
BAD = [
    *((Patterns(), PATTERNED, *bad) for bad in BAD_PATTERNED),
    (Patterns(largest=False), PATTERNED, "largest", [7.5], "is not 0 long"),
    *((COMPLETED, COMPLETE, *bad) for bad in BAD_COMPLETE),
    *((CHANGED, CHANGE, *bad) for bad in BAD_CHANGE),
]
