"""Good and bad summaries of the statistics under masks."""

from __future__ import annotations

import numpy as np

from fedps.statistics import (
    MaskedColumns,
    MaskedPartial,
    MaskedProducts,
    MaskKeys,
    MaskSeeds,
    PartialKeys,
)
from fedps.statistics.masked.drawn_masks import BOX
from tests.scripts.cells import INF, NAN, floats, ints


def zeros(*shape, dtype=np.uint64):
    return np.zeros(shape, dtype=dtype)


def octets(*shape):
    return zeros(*shape, dtype=np.uint8)


# all of a client with five rows
KEYS = {"keys": octets(1, 32), "sizes": ints([2, 1])}
BAD_KEYS = [
    ("keys", octets(1, 31), "has shape (1, 31), not (1, 32)"),
    ("keys", octets(2, 32), "has shape (2, 32), not (1, 32)"),
    ("keys", octets(32), "has shape (32,), not (1, 32)"),
    ("keys", ints([0] * 32), "has dtype int64, not uint8"),
    ("sizes", ints([-1, 1]), "must not be negative"),
    ("sizes", ints([2, 2]), "must say 0 or 1 of the target"),
    ("sizes", ints(2, 1), "has shape (2,), not (1, 2)"),
    ("sizes", floats([2, 1]), "has dtype float64, not int64"),
]

SEEDS = {"boxes": (octets(3, BOX),)}
BAD_SEEDS = [
    ("boxes", (), "has 0 clients, not 1"),
    ("boxes", (octets(3, BOX),) * 2, "has 2 clients, not 1"),
    ("boxes", (octets(3, BOX - 1),), f"has shape (3, {BOX - 1}), not (any, {BOX})"),
    ("boxes", (zeros(3, BOX),), "has dtype uint64, not uint8"),
]

MASKED = {"cells": (zeros(3, 2, 2),)}
BAD_MASKED = [
    ("cells", (), "has 0 clients, not 1"),
    ("cells", (zeros(3, 2, 2),) * 2, "has 2 clients, not 1"),
    ("cells", (zeros(2, 2, 2),), "has shape (2, 2, 2), not (3, any, 2)"),
    ("cells", (zeros(3, 2, 1),), "has shape (3, 2, 1), not (any, any, 2)"),
    ("cells", (zeros(3, 2),), "has shape (3, 2), not (any, any, 2)"),
    ("cells", (zeros(3, 2, 2, dtype=np.int64),), "has dtype int64, not uint64"),
]

PRODUCTS = {
    "rows": ints(5),
    "pivots": (floats(1.5, -2),),
    "exponents": (ints(3, -40),),
    "sums": (zeros(2, 2),),
    "products": (zeros(2, 7, 2),),
}
BAD_PRODUCTS = [
    ("rows", ints(6), "is not 5"),
    ("rows", ints(5, 5), "has shape (2,), not (1,)"),
    ("rows", floats(5), "has dtype float64, not int64"),
    ("pivots", (), "has 0 clients, not 1"),
    ("pivots", (floats(NAN, 0),), "must be finite and not too large"),
    ("pivots", (floats(INF, 0),), "must be finite and not too large"),
    ("pivots", (floats([1, 2]),), "has shape (1, 2), not (any,)"),
    ("exponents", (ints(3),), "has shape (1,), not (2,)"),
    ("exponents", (ints(3, 501),), "must be those of numbers that can be squared"),
    ("exponents", (ints(3, -(2**60)),), "must be those of numbers that can be squared"),
    ("exponents", (floats(3, 4),), "has dtype float64, not int64"),
    ("sums", (zeros(3, 2),), "has shape (3, 2), not (2, 2)"),
    ("sums", (zeros(2, 2, dtype=np.int64),), "has dtype int64, not uint64"),
    ("products", (zeros(3, 7, 2),), "has shape (3, 7, 2), not (2, any, 2)"),
    ("products", (zeros(2, 7, 3),), "has shape (2, 7, 3), not (2, any, 2)"),
    ("products", (), "has 0 clients, not 1"),
    ("products", (floats([1, 2], [3, 4]),), "has dtype float64, not uint64"),
]

PARTS = {"cells": zeros(3, 2)}
BAD_PARTS = [
    ("cells", zeros(4, 2), "has more rows than were asked for"),
    ("cells", zeros(3, 1), "has shape (3, 1), not (any, 2)"),
    ("cells", zeros(3), "has shape (3,), not (any, 2)"),
    ("cells", floats([1, 2]), "has dtype float64, not uint64"),
]

MARKS = {"keys": octets(1, 64), "rows": ints(7)}
BAD_MARKS = [
    ("keys", octets(1, 32), "has shape (1, 32), not (1, 64)"),
    ("keys", octets(2, 64), "has shape (2, 64), not (1, 64)"),
    ("keys", zeros(1, 64), "has dtype uint64, not uint8"),
    ("rows", ints(-1), "must not be negative"),
    ("rows", ints(1, 1), "has shape (2,), not (1,)"),
    ("rows", floats(1), "has dtype float64, not int64"),
]

GOOD = {
    MaskKeys: (MaskKeys(), KEYS),
    MaskSeeds: (MaskSeeds(), SEEDS),
    MaskedColumns: (MaskedColumns(1, 4), MASKED),
    MaskedPartial: (MaskedPartial(2, 5, -60), PARTS),
    MaskedProducts: (MaskedProducts(), PRODUCTS),
    PartialKeys: (PartialKeys(), MARKS),
}
BAD_OF = {
    MaskKeys: BAD_KEYS,
    MaskSeeds: BAD_SEEDS,
    MaskedColumns: BAD_MASKED,
    MaskedPartial: BAD_PARTS,
    MaskedProducts: BAD_PRODUCTS,
    PartialKeys: BAD_MARKS,
}
BAD = [(*GOOD[kind], *bad) for kind, some in BAD_OF.items() for bad in some]
