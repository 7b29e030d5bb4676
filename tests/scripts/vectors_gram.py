"""Good and bad factors: two columns and the target, five rows."""

from __future__ import annotations

import numpy as np

from fedps.statistics import Gram
from fedps.statistics.ragged import Ragged
from tests.scripts.cells import INF, NAN, floats, ints, words

FACTOR = {
    "rows": [5],
    "count": [5.0],
    "target": [floats(2.5, 0.1, -1, 2, 3)],
    "pivot": floats([1e9, 0]),
    "triangle": Ragged([floats(0.5, 2), floats()]),
}
WEIGHTED = Gram("w")

BAD_FACTOR = [
    ("rows", [], "has 0 parts, not 1"),
    ("rows", [2, 3], "has 2 parts, not 1"),
    ("rows", [4], "is not 5"),
    ("rows", [-5], "is not 5"),
    ("rows", [2**40], "is not 5"),
    ("count", [], "has 0 parts, not 1"),
    ("count", [NAN], "must be finite and not negative"),
    ("count", [INF], "must be finite and not negative"),
    ("count", [1e200], "must be finite and not negative"),
    ("count", [-5.0], "must be finite and not negative"),
    ("target", [], "has 0 parts, not 1"),
    ("target", [floats(2.5, 0.1, -1, 2)], "has shape (4,), not (5,)"),
    ("target", [floats(2.5, 0.1, -1, 2, 3, 4)], "has shape (6,), not (5,)"),
    ("target", [floats([2.5, 0.1, -1, 2, 3])], "has shape (1, 5), not (5,)"),
    ("target", [ints(2, 0, -1, 2, 3)], "has dtype int64, not float64"),
    ("target", [floats(2.5, 0.1, NAN, 2, 3)], "must be finite and not too large"),
    ("target", [words(*"abcde")], "has dtype object, not float64"),
    ("pivot", floats([1e9]), "has shape (1, 1), not (1, 2)"),
    ("pivot", floats([1e9, 0], [1, 1]), "has shape (2, 2), not (1, 2)"),
    ("pivot", floats(1e9, 0), "has shape (2,), not (1, 2)"),
    ("pivot", floats([INF, 0]), "must be finite and not too large"),
    ("pivot", floats([1e151, 0]), "must be finite and not too large"),
    ("pivot", np.float32([[1, 0]]), "has dtype float32, not float64"),
    ("triangle", Ragged([floats(0.5, 2)]), "has shape"),
    ("triangle", Ragged([floats(0.5, 2, 1), floats()]), "has numbers below its diagonal"),
    ("triangle", Ragged([floats(), floats(1, 2, 3, 4)]), "has numbers below its diagonal"),
    ("triangle", Ragged([floats(0.5, NAN), floats()]), "must be finite and not too large"),
    ("triangle", Ragged([floats(0.5, -1e151), floats()]), "must be finite and not too large"),
    ("triangle", Ragged([ints(1, 2), ints()]), "has dtype int64, not float64"),
]

GOOD = {Gram: (Gram(), FACTOR)}
BAD = [
    *((Gram(), FACTOR, *bad) for bad in BAD_FACTOR),
    *((WEIGHTED, FACTOR, *bad) for bad in BAD_FACTOR),
    (Gram(), FACTOR, "count", [4.0], "is not 5"),
    (Gram(), FACTOR, "count", [5.5], "is not 5"),
]
