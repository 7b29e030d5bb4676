"""Good and bad summaries of the statistics about rows of which each client holds different columns."""

from __future__ import annotations

import numpy as np

from fedps.statistics import (
    ChangeNorms,
    CoarseDistances,
    DonorMeans,
    GapMask,
    IncompleteColumns,
    PairDistances,
    Partial,
    RowDistances,
    RowFactor,
    RowKeys,
    RowNorms,
    TargetRows,
)
from tests.scripts.cells import INF, NAN, floats, ints

# all of a client with five rows
BLOCK = np.arange(10.0).reshape(5, 2)
FACTOR = {"widths": ints(2), "means": (floats(1.5, -2),), "blocks": (BLOCK,)}
BAD_FACTOR = [
    ("widths", ints(3), "has shape (5, 2), not (any, 3)"),
    ("widths", ints(-1), "must not be negative"),
    ("widths", ints(2, 2), "has shape (2,), not (1,)"),
    ("widths", floats(2), "has dtype float64, not int64"),
    ("means", (floats(1.5),), "has shape (1,), not (2,)"),
    ("means", (), "has 0 clients, not 1"),
    ("means", (floats(NAN, 0),), "must be finite and not too large"),
    ("means", (floats(1e200, 0),), "must be finite and not too large"),
    ("blocks", (BLOCK, BLOCK), "has 2 clients, not 1"),
    ("blocks", (), "has 0 clients, not 1"),
    ("blocks", (BLOCK[:4],), "has shape (4, 2), not (5, any)"),
    ("blocks", (BLOCK.T.copy(),), "has shape (2, 5), not (any, 2)"),
    ("blocks", (BLOCK + INF,), "must be finite and not too large"),
    ("blocks", (BLOCK.astype(np.float32),), "has dtype float32, not float64"),
    ("blocks", (np.empty((0, 2**20)),), "has shape (0, 1048576)"),
]

TARGET = {"target": floats(1, 2, 3, 4, 5)}
BAD_TARGET = [
    ("target", floats(1, 2), "has 2 rows, not 5"),
    ("target", floats(1, 2, 3, 4, NAN), "must be finite and not too large"),
    ("target", floats(1, 2, 3, 4, -1e200), "must be finite and not too large"),
    ("target", ints(1, 2, 3, 4, 5), "has dtype int64, not float64"),
    ("target", floats([1, 2, 3, 4, 5]), "has shape (1, 5), not (any,)"),
]

MOVED = {"norms": floats(0.5, 0)}
BAD_NORMS = [
    ("norms", floats(0.5), "has shape (1,), not (2,)"),
    ("norms", floats(), "has shape (0,), not (2,)"),
    ("norms", floats(-0.5, 0), "must not be negative"),
    ("norms", floats(INF, 0), "must be finite"),
    ("norms", ints(1, 0), "has dtype int64, not float64"),
]

PREDICTED = {"cells": floats([1, 2], [3, 4], [5, 6])}
BAD_PARTIAL = [
    ("cells", floats([1, 2], [3, 4], [5, 6], [7, 8]), "has more rows than were asked for"),
    ("cells", floats([1], [3]), "has shape (2, 1), not (any, 2)"),
    ("cells", floats(1, 2), "has shape (2,), not (any, any)"),
    ("cells", floats([1, NAN]), "must be finite"),
    ("cells", ints([1, 2]), "has dtype int64, not float64"),
    ("cells", np.empty((0, 2**20)), "has shape (0, 1048576), not (0, 0)"),
]

BITS = np.packbits(np.arange(10) % 3 == 0)
MASK = {"shapes": ints([5, 2]), "bits": (BITS,)}
BAD_MASK = [
    ("shapes", ints([4, 2]), "has 4 rows, not 5"),
    ("shapes", ints([5, -2]), "must not be negative"),
    ("shapes", ints([5, 2**40]), "has shape (2,)"),
    ("shapes", ints(5, 2), "has shape (2,), not (1, 2)"),
    ("shapes", floats([5, 2]), "has dtype float64, not int64"),
    ("bits", (BITS[:1],), "has shape (1,), not (2,)"),
    ("bits", (), "has 0 clients, not 1"),
    ("bits", (BITS.astype(np.int64),), "has dtype int64, not uint8"),
]

AWAY = {"squares": floats([0, 1, 2, 3, 4], [1, 0, 9, 9, 9])}
BAD_DISTANCES = [
    ("squares", floats([0, 1, 2, 3, 4]), "has shape (1, 5), not (2, 5)"),
    ("squares", floats([0, 1], [1, 0]), "has shape (2, 2), not (any, 5)"),
    ("squares", floats([0, 1, 2, 3, -4], [1, 0, 9, 9, 9]), "must not be negative"),
    ("squares", floats([0, 1, 2, 3, NAN], [1, 0, 9, 9, 9]), "must be finite"),
    ("squares", np.zeros((2, 5), dtype=np.float32), "has dtype float32, not float64"),
]

CODES = np.arange(10, dtype=np.uint8).reshape(2, 5)
ROUGH = {"tops": floats(2.5), "codes": (CODES,)}
BAD_ROUGH = [
    ("tops", floats(-1), "must be finite and not negative"),
    ("tops", floats(INF), "must be finite and not negative"),
    ("tops", floats(1, 1), "has shape (2,), not (1,)"),
    ("tops", ints(1), "has dtype int64, not float64"),
    ("codes", (), "has 0 clients, not 1"),
    ("codes", (CODES[:1],), "has shape (1, 5), not (2, 5)"),
    ("codes", (CODES[:, :4],), "has shape (2, 4), not (any, 5)"),
    ("codes", (CODES.astype(np.int64),), "has dtype int64, not uint8"),
]

PAIRS = {"squares": floats(1.5, 0)}
BAD_PAIRS = [
    ("squares", floats(1.5), "has shape (1,), not (2,)"),
    ("squares", floats(1.5, -1), "must not be negative"),
    ("squares", floats(1.5, NAN), "must be finite"),
    ("squares", ints(1, 0), "has dtype int64, not float64"),
]

MEANS = {"means": floats(1.5, 2.5)}
BAD_MEANS = [
    ("means", floats(1.5), "has 1 numbers, not 2"),
    ("means", floats(1.5, INF), "must be finite"),
    ("means", floats([1.5, 2.5]), "has shape (1, 2), not (any,)"),
    ("means", ints(1, 2), "has dtype int64, not float64"),
]

SOME = np.packbits([1, 0, 0, 0, 0, 0, 1, 1, 1, 1])  # one cell of a column, and four of another
GAPPY = {
    "shapes": ints([5, 3]),
    "largest": floats(7),
    "positions": (ints(0, 2),),
    "bits": (SOME,),
    "cells": (floats(1, 2, 3, -7, 5),),
}
BAD_COLUMNS = [
    ("shapes", ints([6, 3]), "has 6 rows, not 5"),
    ("shapes", ints([5, 2]), "are not in 0..2, one after the other"),
    ("shapes", ints(5, 3), "has shape (2,), not (1, 2)"),
    ("largest", floats(6), "must be finite and not below a cell"),
    ("largest", floats(INF), "must be finite and not below a cell"),
    ("largest", floats(7, 7), "has shape (2,), not (1,)"),
    ("positions", (ints(2, 0),), "are not in 0..3, one after the other"),
    ("positions", (ints(-1, 0),), "are not in 0..3, one after the other"),
    ("positions", (ints(0),), "has shape"),
    ("positions", (), "has 0 clients, not 1"),
    ("positions", (floats(0, 2),), "has dtype float64, not int64"),
    ("bits", (np.zeros(2, dtype=np.uint8),), "must have a missing cell in each column"),
    ("bits", (SOME[:1],), "has shape (1,), not (2,)"),
    ("bits", (SOME, SOME), "has 2 clients, not 1"),
    ("cells", (floats(1, 2, 3, -7),), "has shape (4,), not (5,)"),
    ("cells", (floats(1, 2, 3, -7, NAN),), "must be finite"),
    ("cells", (), "has 0 clients, not 1"),
]

DIGEST = "0123456789abcdef" * 2
KEYS = {"rows": ints(5), "targets": ints(1), "ordered": (DIGEST,), "sorted": (DIGEST,)}
BAD_KEYS = [
    ("rows", ints(6), "is not 5"),
    ("rows", ints(5, 5), "has shape (2,), not (1,)"),
    ("rows", floats(5), "has dtype float64, not int64"),
    ("targets", ints(2), "is not 0 or 1"),
    ("targets", ints(), "has shape (0,), not (1,)"),
    ("ordered", (), "is not one digest"),
    ("ordered", (DIGEST[1:],), "is not one digest"),
    ("sorted", (DIGEST, DIGEST), "is not one digest"),
    ("sorted", ("0" * 500,), "is not one digest"),
]

SIZES = {"sizes": floats(1, 2, 3, 4, 0)}
BAD_SIZES = [
    ("sizes", floats(1, 2, 3, 4), "has shape (4,), not (5,)"),
    ("sizes", floats(1, 2, 3, 4, -1), "must not be negative"),
    ("sizes", floats(1, 2, 3, 4, NAN), "must be finite"),
    ("sizes", ints(1, 2, 3, 4, 5), "has dtype int64, not float64"),
]

TWO = RowDistances(np.array([0, 1]))
GOOD = {
    ChangeNorms: (ChangeNorms(True, 2), MOVED),
    CoarseDistances: (CoarseDistances(np.array([0, 1])), ROUGH),
    DonorMeans: (DonorMeans(2), MEANS),
    GapMask: (GapMask(), MASK),
    IncompleteColumns: (IncompleteColumns(), GAPPY),
    PairDistances: (PairDistances(np.array([0, 1]), np.array([2, 2])), PAIRS),
    Partial: (Partial(0, 3, 2), PREDICTED),
    RowDistances: (TWO, AWAY),
    RowFactor: (RowFactor(), FACTOR),
    RowKeys: (RowKeys(), KEYS),
    RowNorms: (RowNorms("l2"), SIZES),
    TargetRows: (TargetRows(), TARGET),
}
BAD_OF = {
    ChangeNorms: BAD_NORMS,
    CoarseDistances: BAD_ROUGH,
    DonorMeans: BAD_MEANS,
    GapMask: BAD_MASK,
    IncompleteColumns: BAD_COLUMNS,
    PairDistances: BAD_PAIRS,
    Partial: BAD_PARTIAL,
    RowDistances: BAD_DISTANCES,
    RowFactor: BAD_FACTOR,
    RowKeys: BAD_KEYS,
    RowNorms: BAD_SIZES,
    TargetRows: BAD_TARGET,
}
BAD = [(*GOOD[kind], *bad) for kind, some in BAD_OF.items() for bad in some]
