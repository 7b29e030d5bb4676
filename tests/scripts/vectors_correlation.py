"""Good and bad moments of columns and of pairs: two columns, five rows, of which three have both."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import structs

from fedps.statistics import CoMoments, Cubes
from fedps.statistics.products.co_moments_summary import CoPairs, CoPart
from tests.scripts.cells import INF, NAN, floats, ints, words

PAIRS = CoPairs(
    ints(5, 3, 3),
    floats([1.5, 1.25], [0, 0]),
    floats([0.5, 0], [1, 1]),
    floats([2, 1], [4, 4]),
    floats(2, -1, 4),
)
PART = CoPart(3, floats(1.25, 0), floats(0, 1), floats(1, -1, 4), [PAIRS])
MOMENTS = {"cells": ints(5, 3), "place": ints([0, 1]), "parts": [PART]}


def part(**fields: Any) -> list[CoPart]:
    return [structs.replace(PART, **fields)]


def pairs(**fields: Any) -> list[CoPart]:
    return part(gaps=[structs.replace(PAIRS, **fields)])


NO_ROWS = {"count": ints(5, 0, 3)}
BAD_PARTS = [
    ([PART, PART], "has 2 parts, not one"),
    (part(rows=6), "is not in 0..5"),
    (part(rows=-1), "is not in 0..5"),
    (part(rows=0), "must be 0 where there are no rows"),
    (part(pivot=floats(1.25)), "has shape (1,), not (2,)"),
    (part(pivot=floats(INF, 0)), "must be finite and not too large"),
    (part(pivot=floats(1e141, 0)), "must be finite and not too large"),
    (part(pivot=ints(1, 0)), "has dtype int64, not float64"),
    (part(deviation=floats([0, 1])), "has shape (1, 2), not (2,)"),
    (part(deviation=floats(NAN, 0)), "must be finite and not too large"),
    (part(product=floats(1, -1)), "has shape (2,), not (3,)"),
    (part(product=floats(1, -1, 1e301)), "must be finite and not too large"),
    (part(product=floats(1, -1, -4)), "has negative squares"),
    (part(product=words("a", "b", "c")), "has dtype object, not float64"),
    (part(gaps=[PAIRS, PAIRS]), "has pairs more than once"),
    (pairs(count=ints(5, 3)), "has shape (2,), not (3,)"),
    (pairs(count=ints(6, 3, 3)), "is not in 0..5"),
    (pairs(count=ints(5, -3, 3)), "is not in 0..5"),
    (pairs(count=floats(5, 3, 3)), "has dtype float64, not int64"),
    (pairs(pivot=floats(1.5, 0)), "has shape (2,), not (2, 2)"),
    (pairs(pivot=floats([1.5, NAN], [0, 0])), "must be finite and not too large"),
    (pairs(deviation=floats([1e141, 0], [1, 1])), "must be finite and not too large"),
    (pairs(square=floats([2, 1], [-4, 4])), "must not be negative"),
    (pairs(square=floats([2, 1], [INF, 4])), "must be finite"),
    (pairs(square=floats([2, 1], [1e301, 4])), "must be finite and not too large"),
    (pairs(product=floats(2, NAN, 4)), "must be finite and not too large"),
    (pairs(product=floats(2, -1, 4, 5)), "has shape (4,), not (3,)"),
    (pairs(**NO_ROWS), "must be 0 where there are no rows"),
]

CUBED = Cubes(np.array([1.5, 0.0]))
CUBES = {"count": ints(5, 0), "cube": floats(-2.5, 0)}
BAD_CUBES = [
    ("count", ints(6, 0), "is not in 0..5"),
    ("count", ints(5, -1), "is not in 0..5"),
    ("count", floats(5, 0), "has dtype float64, not int64"),
    ("count", np.array(5), "has shape (), not (0,)"),
    ("cube", floats(NAN, 0), "must be finite"),
    ("cube", floats(INF, 0), "must be finite"),
    ("cube", floats(-2.5, 1), "must be 0 where count is 0"),
    ("cube", floats([-2.5, 0]), "has shape (1, 2), not (2,)"),
    ("cube", ints(-2, 0), "has dtype int64, not float64"),
]

GOOD = {CoMoments: (CoMoments(), MOMENTS), Cubes: (CUBED, CUBES)}
BAD = [
    *((CUBED, CUBES, *bad) for bad in BAD_CUBES),
    (CoMoments(), MOMENTS, "cells", ints(6, 3), "is not in 0..5"),
    (CoMoments(), MOMENTS, "cells", ints(5, -3), "is not in 0..5"),
    (CoMoments(), MOMENTS, "cells", floats(5, 3), "has dtype float64, not int64"),
    (CoMoments(), MOMENTS, "cells", np.array(5), "has shape (), not (0,)"),
    (CoMoments(), MOMENTS, "place", ints([1, 0]), "is not in order"),
    (CoMoments(), MOMENTS, "place", ints([0, 2**40]), "is not in order"),
    (CoMoments(), MOMENTS, "place", ints([0]), "has shape (1, 1), not (1, 2)"),
    (CoMoments(), MOMENTS, "place", ints([0, 1], [0, 1]), "has shape (2, 2), not (1, 2)"),
    (CoMoments(), MOMENTS, "place", floats([0, 1]), "has dtype float64, not int64"),
    *((CoMoments(), MOMENTS, "parts", *bad) for bad in BAD_PARTS),
]
