"""Good and bad summaries of what owners send while rows are matched."""

from __future__ import annotations

import numpy as np

from fedps.statistics import BlindedAgain, BlindedKeys, MatchTable, ProvenKeys
from tests.scripts.cells import floats, ints

# all of an owner with five rows
POINTS = np.repeat(np.arange(5, dtype=np.uint8)[:, None], 32, axis=1)
HIGH, BEYOND, TWICE = POINTS.copy(), POINTS.copy(), POINTS[[0, 1, 2, 3, 3]]
HIGH[2, 31] = 0x80
BEYOND[2], BEYOND[2, 0], BEYOND[2, 31] = 0xFF, 0xED, 0x7F
MARKS = np.arange(16, dtype=np.uint8)[None]
WORDS = np.arange(25, dtype=np.uint64).reshape(5, 5)
SHAPE = "has the shape {}, not (5, 5) or (42, 3)"

KEYS = {"rows": ints(5), "targets": ints(1), "marks": MARKS, "points": (POINTS,)}
BAD_KEYS = [
    ("rows", ints(6), "is not 5"),
    ("rows", ints(5, 5), "has shape (2,), not (1,)"),
    ("rows", floats(5), "has dtype float64, not int64"),
    ("targets", ints(2), "is not 0 or 1"),
    ("targets", ints(), "has shape (0,), not (1,)"),
    ("marks", MARKS[:, :8], "has shape (1, 8), not (1, 16)"),
    ("marks", MARKS.astype(np.int64), "has dtype int64, not uint8"),
    ("points", (), "has 0 clients, not 1"),
    ("points", (POINTS, POINTS), "has 2 clients, not 1"),
    ("points", (POINTS[:4],), "has shape (4, 32), not (5, 32)"),
    ("points", (POINTS[:, :31],), "are not points of 32 bytes"),
    ("points", (TWICE,), "are not all different"),
    ("points", (HIGH,), "are not written as points are"),
    ("points", (BEYOND,), "are not written as points are"),
]

AGAIN = {"points": (POINTS,)}
BAD_AGAIN = [
    ("points", (), "has 0 clients, not 1"),
    ("points", (POINTS, POINTS), "has 2 clients, not 1"),
    ("points", (POINTS[:4],), "has shape (4, 32), not (5, 32)"),
    ("points", (POINTS.astype(np.int64),), "has dtype int64, not uint8"),
    ("points", (TWICE,), "are not all different"),
    ("points", (BEYOND,), "are not written as points are"),
]

TABLE = {"rows": ints(5), "seeds": ints(0), "lines": (WORDS,)}
BAD_TABLE = [
    ("rows", ints(4), "is not 5"),
    ("rows", ints(), "has shape (0,), not (1,)"),
    ("seeds", ints(-1), "must not be negative"),
    ("seeds", ints(1, 1), "has shape (2,), not (1,)"),
    ("lines", (), "has 0 clients, not 1"),
    ("lines", (WORDS[:4],), SHAPE.format((4, 5))),
    ("lines", (WORDS[:, :3],), SHAPE.format((5, 3))),
    ("lines", (WORDS.astype(np.int64),), "has dtype int64, not uint64"),
]

PROVEN = {"found": ints(5)}
BAD_PROVEN = [
    ("found", ints(6), "is not from 0 to 5"),
    ("found", ints(-1), "is not from 0 to 5"),
    ("found", ints(1, 1), "has shape (2,), not (1,)"),
    ("found", floats(1), "has dtype float64, not int64"),
]

GOOD = {
    BlindedKeys: (BlindedKeys(), KEYS),
    BlindedAgain: (BlindedAgain(), AGAIN),
    MatchTable: (MatchTable(), TABLE),
    ProvenKeys: (ProvenKeys(), PROVEN),
}
BAD_OF = {
    BlindedKeys: BAD_KEYS,
    BlindedAgain: BAD_AGAIN,
    MatchTable: BAD_TABLE,
    ProvenKeys: BAD_PROVEN,
}
BAD = [(*GOOD[kind], *bad) for kind, some in BAD_OF.items() for bad in some]
