"""Good and bad summaries of the statistics behind power transforms."""

from __future__ import annotations

import numpy as np

from fedps.statistics import Positive, PowerSums
from fedps.statistics.sums.power_curves import Curve, PowerForm
from fedps.statistics.sums.power_sum_parts import Trial
from tests.scripts.cells import INF, NAN, floats, ints


def sums(value=1.5, slope=-2.0, square=2.5, product=-0.5):
    """Return the four lines of a column that was tried at one exponent."""
    return floats([[value], [slope], [square], [product]])


CURVE = Curve(PowerForm.MIXED, 0.0, 2.5)
TRIED = PowerSums((Trial(CURVE, (1.0,)), Trial(CURVE, (0.5, 2.0))))
NOTHING = np.zeros((1, 4, 2))
# one column with five cells, and one without any that was tried at two exponents
SUMS = {"count": ints([5, 0]), "logs": floats([3.5, 0]), "sums": (sums(), NOTHING)}
BAD_SUMS = [
    ("count", ints([6, 0]), "is not in 0..5"),
    ("count", ints([-1, 0]), "is not in 0..5"),
    ("count", ints([2**62, 0]), "is not in 0..5"),
    ("count", ints([5, 0], [0, 0]), "has 2 parts, not one"),
    ("count", ints(5, 0), "has shape (2,), not (any, 2)"),
    ("count", ints([5]), "has shape (1, 1), not (any, 2)"),
    ("count", floats([5, 0]), "has dtype float64, not int64"),
    ("count", np.empty((2**20, 0), dtype=np.int64), "has shape (1048576, 0)"),
    ("logs", floats([NAN, 0]), "must be finite"),
    ("logs", floats([-INF, 0]), "must be finite"),
    ("logs", floats([3.5, 1]), "must be 0 where count is 0"),
    ("logs", floats([3.5]), "has shape (1, 1), not (1, 2)"),
    ("logs", np.empty((0, 2)), "has shape (0, 2), not (1, 2)"),
    ("logs", ints([3, 0]), "has dtype int64, not float64"),
    ("sums", (sums(),), "has 1 columns"),
    ("sums", (sums(), NOTHING, NOTHING), "has 3 columns"),
    ("sums", (sums(), sums()), "must be 0 where count is 0"),
    ("sums", (sums(), np.zeros((1, 4, 1))), "has 1 exponents"),
    ("sums", (NOTHING, NOTHING), "has 2 exponents"),
    ("sums", (sums(value=NAN), NOTHING), "must be finite"),
    ("sums", (sums(product=INF), NOTHING), "must be finite"),
    ("sums", (sums(square=-1e-300), NOTHING), "must have no negative squares"),
    ("sums", (sums()[:, :3], NOTHING), "has shape (1, 3, 1), not (1, 4, any)"),
    ("sums", (sums()[:0], NOTHING), "has shape (0, 4, 1), not (1, 4, any)"),
    ("sums", (sums().astype(np.float32), NOTHING), "has dtype float32, not float64"),
    ("sums", (sums().astype(object), NOTHING), "has dtype object, not float64"),
]

SAID = {"columns": np.ones(2, dtype=bool)}
BAD_WORD = [
    ("columns", np.array([True, False]), "must be true"),
    ("columns", ints(1, 1), "has dtype int64, not bool"),
    ("columns", np.ones((1, 2), dtype=bool), "has shape (1, 2)"),
]

GOOD = {PowerSums: (TRIED, SUMS), Positive: (Positive(), SAID)}
BAD = [
    *((TRIED, SUMS, *bad) for bad in BAD_SUMS),
    *((Positive(), SAID, *bad) for bad in BAD_WORD),
]
