"""One table of examples for the laws: which statistics there are, and rows of every kind."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec
import numpy as np
import pandas as pd
from hypothesis import settings
from hypothesis import strategies as st
from scipy import sparse

from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.statistics import (
    KLL,
    REQ,
    ByCategory,
    ByKnown,
    Categories,
    Changes,
    Clusters,
    CoMoments,
    Completed,
    Cubes,
    Donors,
    Extremes,
    Farthest,
    FarthestRows,
    Finite,
    FrequentItems,
    Gram,
    Heaviest,
    Incomplete,
    Known,
    Missing,
    Moments,
    Neighbours,
    PairCounts,
    Patterns,
    PickedRows,
    Positive,
    Potentials,
    PowerSums,
    RowClusters,
    RowCounts,
    Spread,
    Statistic,
    Stored,
    Turns,
    Within,
)
from fedps.statistics.products.imputation import Imputation
from fedps.statistics.ragged import Ragged
from fedps.statistics.sums.power_curves import Curve, PowerForm
from fedps.statistics.sums.power_sum_parts import Trial

WIDTH = 3
NAN = float("nan")
WORDS = ["a", "b", "zoë", "日本", ""]

# Cells by kind of table. Each kind is also what it becomes: an array, a sparse matrix, a frame.
NUMBERS = {
    "plain": st.floats(-1e3, 1e3),
    "gaps": st.floats(-1e3, 1e3) | st.just(NAN),
    "nothing": st.just(NAN),
    "constant": st.just(2.5),
    "far from zero": st.integers(0, 10**6).map(lambda i: 1e9 + i / 1e3),
    "huge and tiny": st.sampled_from([1e150, -1e150, 1e-160, 5e-324, -5e-324, 0.0, -0.0, 1.0]),
    "whole": st.integers(-5, 5).map(float),
    "whole gaps": st.integers(-5, 5).map(float) | st.just(NAN),
    "float32": st.floats(-1e3, 1e3, width=32),
    "integers": st.integers(-(2**40), 2**40),
    "sparse": st.sampled_from([0.0, 0.0, 0.0, -2.0, 7.5]),
}
OTHERS = {
    "text": st.sampled_from(WORDS),
    "text gaps": st.sampled_from([*WORDS, None, NAN]),
    "frame": st.sampled_from([*WORDS, None]),
    "truth": st.booleans(),
    "objects": st.sampled_from([1, 2, 2.5, -0.0, 0.0, NAN]),
    "dates": st.dates() | st.none(),
    "decimals": st.sampled_from([Decimal("1.0"), Decimal("1.00"), Decimal("2.5"), 3, 0.1, NAN]),
}
WITH_GAPS = ("gaps", "nothing", "whole gaps")
ALL = (*NUMBERS, *OTHERS)
WITHOUT_GAPS = tuple(kind for kind in NUMBERS if kind not in WITH_GAPS)

CENTRES = np.array([2.0, -1.5, 0.25])
# larger ones cannot be squared, and sparse tables are not taken
MULTIPLIED = tuple(kind for kind in WITHOUT_GAPS if kind not in ("huge and tiny", "sparse"))
# of these squares are exact, too
ROW_CENTRES, ROW_MEAN = (
    np.array([[2.0, -1.5, 0.25], [0.0, 1.0, -3.0], [5.0, 5.0, 5.0]]),
    np.full(3, 0.5),
)
GIVEN = np.array([0.0, NAN, 2.5, 40.0])  # where rows lie that one client alone is asked for
EXACT_ROWS = ("whole", "constant", "sparse")
QUERIES = np.array([[0.0, NAN, 2.0], [NAN, 1.5, NAN], [4.0, NAN, 1e9], [NAN, NAN, NAN]])
EXACT_SUMS = ("whole", "whole gaps", "constant", "nothing", "integers", "sparse")

# the second column from both others, then the first from the second, twice each; the first has bounds
IMPUTATION = Imputation(
    NAN,
    np.array([1.0, 2.0, 0.5]),
    np.array([0.5, 0.0, -1.0]),
    np.array([1, 0, 1, 0]),
    np.array([[0.5, 0.0, -0.25], [0.0, 2.0, 0.0], [0.25, 0.0, 1.0], [0.0, -1.0, 0.0]]),
    np.array([1.0, 0.5, 0.0, -3.0]),
    np.array([-5.0, -np.inf, -np.inf]),
    np.array([]),
)

KNOWN = ((0.0, 2.5, NAN), (1.0,), (-1.0, 2.0, 7.5))
LABELS = (0.0, 1.0, 2.0, 6.0)
KNOWN_WORDS = (("a", "b", None, NAN), ("zoë",), ("", "日本", "x"))
MIXED = Trial(Curve(PowerForm.MIXED, 0.0, 2.5), (-1.0, 0.0, 2.5, 9.0))
FAR = Trial(Curve(PowerForm.POSITIVE, 1e9 + 500, 5e-7), (-400.0, 0.0, 1e-7, 2.0))

CUBE_PIVOTS = np.array([0.0, 1.5, -2.0])
INTERVALS = (np.array([[-2.5, 0.0], [-1.0, 3.0]]), np.empty((2, 0)), np.array([[-1e9], [1e3]]))

# Every statistic, with settings that change what it does, and the tables that it can be of.
SETTINGS: dict[type[Any], list[tuple[Statistic[Any, Any], tuple[str, ...]]]] = {
    ByCategory: [
        (ByCategory(), ALL),
        (ByCategory("numbers"), ALL),
        (ByCategory("numbers", squares=False), ALL),
    ],
    ByKnown: [
        (ByKnown(KNOWN), (*NUMBERS, "objects")),
        (ByKnown(KNOWN_WORDS, "numbers", folds=3), ("text gaps", "frame")),
        (ByKnown(KNOWN_WORDS, "labels", labels=LABELS, folds=3), ("text gaps", "frame")),
    ],
    Categories: [(Categories(), ALL), (Categories(counts=True), ALL)],
    # sums of other numbers are rounded per chunk (tests/laws/test_lloyd.py)
    Clusters: [
        (Clusters(Ragged([CENTRES] * 3), np.full(3, 0.5)), EXACT_SUMS),
        (Clusters(Ragged([CENTRES, CENTRES[:0], CENTRES[:2]]), np.array([0.5, -1.0])), EXACT_SUMS),
        (Clusters(Ragged([CENTRES.astype(np.float32)] * 3), np.full(3, 0.5)), EXACT_SUMS[:3]),
    ],
    # sums of other numbers are rounded per chunk
    Cubes: [(Cubes(CUBE_PIVOTS), ("whole", "whole gaps", "constant", "nothing", "sparse"))],
    CoMoments: [(CoMoments(), (*MULTIPLIED, *WITH_GAPS, "sparse"))],
    Changes: [
        (Changes(IMPUTATION, 2), (*MULTIPLIED, *WITH_GAPS)),
        (Changes(IMPUTATION, 1, 2), WITH_GAPS),
    ],
    Completed: [
        (Completed(IMPUTATION, (-1, 0, 2)), (*MULTIPLIED, *WITH_GAPS)),
        (Completed(IMPUTATION, ()), WITH_GAPS),
    ],
    Donors: [
        (Donors(QUERIES, 2), (*MULTIPLIED, *WITH_GAPS)),
        (Donors(QUERIES.astype(np.float32), 100), (*MULTIPLIED, *WITH_GAPS)),
        (Donors(QUERIES, 1, 2.5), MULTIPLIED),
        (Donors(np.empty((0, 0)), 1), (*MULTIPLIED, *WITH_GAPS)),
    ],
    Extremes: [
        (Extremes(), tuple(NUMBERS)),
        (Extremes(absolute=True), tuple(NUMBERS)),
        (Extremes(weight="w"), tuple(NUMBERS)),
    ],
    Farthest: [
        (Farthest(CENTRES, 0.5, 1), tuple(NUMBERS)),
        (Farthest(CENTRES.astype(np.float32), -1.0, 3), ("whole gaps", "float32", "sparse")),
    ],
    FarthestRows: [
        (FarthestRows(ROW_CENTRES, ROW_MEAN, 1), EXACT_ROWS),
        (FarthestRows(ROW_CENTRES, ROW_MEAN, 3), EXACT_ROWS),
    ],
    Finite: [(Finite(), WITHOUT_GAPS)],
    FrequentItems: [(FrequentItems(k=1), ALL), (FrequentItems(k=3), ALL)],
    Gram: [(Gram(), MULTIPLIED), (Gram("w"), MULTIPLIED)],
    Heaviest: [
        (Heaviest(), ALL),
        (Heaviest(top=2, whole=64), ALL),
        (Heaviest(at_least=2, whole=0), ALL),
        (Heaviest(at_least=0.5, whole=0, limit=100), ALL),
        (Heaviest(gap=0), ("text gaps",)),
    ],
    Incomplete: [
        (Incomplete(), ("gaps", "nothing", "whole gaps", "plain", "float32")),
        (Incomplete(2.0), ("whole", "integers")),
        (Incomplete(NAN, ()), ("gaps", "nothing")),
    ],
    Known: [(Known(KNOWN), (*NUMBERS, "objects")), (Known(KNOWN_WORDS), ("text gaps", "frame"))],
    Missing: [(Missing(), ALL), (Missing(1.0), WITHOUT_GAPS), (Missing("a"), ("text",))],
    Moments: [
        (Moments(), tuple(NUMBERS)),
        (Moments(order=1), tuple(NUMBERS)),
        (Moments(missing=1.0), WITHOUT_GAPS),
        (Moments(weight="w"), tuple(NUMBERS)),
    ],
    # with little room the few rows here are already too many, and coins are tossed
    KLL: [(KLL(), tuple(NUMBERS)), (KLL(k=8, seed=1), tuple(NUMBERS))],
    REQ: [
        (REQ(), tuple(NUMBERS)),
        (REQ(k=4, seed=1), tuple(NUMBERS)),
        (REQ(k=4, high_rank_accuracy=False, seed=2), tuple(NUMBERS)),
    ],
    Neighbours: [
        (Neighbours(np.nan_to_num(QUERIES), 2, "euclidean", 2.0, np.empty(0)), MULTIPLIED),
        (Neighbours(np.nan_to_num(QUERIES), 3, "cityblock", 2.0, np.empty(0)), MULTIPLIED),
        (Neighbours(np.empty((0, 0)), 1, "minkowski", 3.0, np.empty(0)), MULTIPLIED),
    ],
    PairCounts: [(PairCounts(), ALL)],
    Patterns: [
        (Patterns(), (*MULTIPLIED, *WITH_GAPS)),
        (Patterns(2.0, largest=False), MULTIPLIED),
    ],
    PickedRows: [
        (PickedRows(ROW_CENTRES, ROW_MEAN, 4), EXACT_ROWS),
        (PickedRows(ROW_CENTRES[:0], ROW_MEAN, 4), EXACT_ROWS),
    ],
    Positive: [(Positive(), ("constant", "far from zero"))],
    Potentials: [
        (Potentials(ROW_CENTRES, ROW_CENTRES[:2] + 1, ROW_MEAN), EXACT_ROWS),
        (Potentials(ROW_CENTRES[:0], ROW_CENTRES, ROW_MEAN), EXACT_ROWS),
    ],
    PowerSums: [
        (PowerSums((MIXED, MIXED, Trial(MIXED.curve, ()))), ("whole", "whole gaps", "sparse")),
        (PowerSums((FAR, FAR, FAR)), ("far from zero",)),
    ],
    RowClusters: [
        (RowClusters(ROW_CENTRES, ROW_MEAN), EXACT_ROWS),
        (RowClusters(ROW_CENTRES.astype(np.float32), ROW_MEAN), EXACT_ROWS),
    ],
    RowCounts: [(RowCounts(), tuple(NUMBERS))],
    Spread: [
        (Spread(), tuple(NUMBERS)),
        (Spread(targets=1, price=0), tuple(NUMBERS)),
        (Spread(marker=1.0), WITHOUT_GAPS),
        (Spread(marker=None, stored=True), ("sparse", "whole")),
    ],
    Stored: [(Stored(), ALL)],
    Turns: [(Turns(), ALL), (Turns("numbers"), ALL)],
    Within: [(Within(INTERVALS), tuple(NUMBERS)), (Within(INTERVALS, marker=1.0), WITHOUT_GAPS)],
}
CASES = [pair for pairs in SETTINGS.values() for pair in pairs]
# of hypothesis, than its profile says
FEWER = settings(max_examples=settings().max_examples // 3)


def width_of(statistic: Any) -> int:
    """Return how many columns a statistic is of in these examples."""
    return 2 if isinstance(statistic, PairCounts) else WIDTH


def case_id(value: Any) -> str:
    return "tables" if isinstance(value, tuple) else repr(value).replace(" ", "")


@dataclass
class Rows:
    """Some rows of one kind, with a weight each."""

    kind: str
    cells: np.ndarray
    weights: np.ndarray

    def block(self, columns: Any = slice(None)) -> TableBlock:
        cells: Any = np.ascontiguousarray(self.cells[:, columns])
        if self.kind == "sparse":
            cells = sparse.csr_array(cells)
        if self.kind == "frame":
            cells = pd.DataFrame(cells, columns=list("abc")[: cells.shape[1]], dtype="str")
        # a target of whole numbers: sums of others are rounded per chunk (test_by_category.py)
        target = self.weights * 2
        chunk = Chunk(cells, target, pd.DataFrame({"w": self.weights}))
        return TableBlock(cells, chunk, folds=target.astype(int) % 3, given=GIVEN)


def pooled(parts: list[Rows]) -> Rows:
    cells = np.concatenate([part.cells for part in parts])
    return Rows(parts[0].kind, cells, np.concatenate([part.weights for part in parts]))


@st.composite
def rows(draw: Any, kind: str, most: int = 4) -> Rows:
    count = draw(st.integers(1, most))
    cell = {**NUMBERS, **OTHERS}[kind]
    flat = draw(st.lists(cell, min_size=count * WIDTH, max_size=count * WIDTH))
    special = {"float32": np.float32, "integers": np.int64, "truth": np.bool_}
    dtype = special.get(kind, object if kind in OTHERS else np.float64)
    cells = np.array(flat, dtype=dtype).reshape(count, WIDTH)
    weight = st.sampled_from([0.0, 0.5, 1.0, 3.0])
    weights = draw(st.lists(weight, min_size=count, max_size=count))
    return Rows(kind, cells, np.array(weights))


def fold(statistic: Any, *parts: Rows) -> Any:
    """Return what a client would send of some rows that it reads in parts."""
    width = width_of(statistic)
    summary = statistic.empty(width)
    for part in parts:
        summary = statistic.update(summary, part.block(slice(width)))
    return statistic.compact(summary)


def bits(value: Any) -> Any:
    """Return something that is equal exactly where all bits and types of two values are."""
    if isinstance(value, np.ndarray):
        cells = list(map(bits, value.ravel().tolist())) if value.dtype == object else None
        return value.dtype.str, value.shape, value.tobytes() if cells is None else cells
    if isinstance(value, msgspec.Struct):
        return type(value), bits(msgspec.structs.astuple(value))
    if hasattr(value, "_fields") or isinstance(value, list | tuple | Ragged):
        return [bits(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: bits(getattr(value, name)) for name in value.__dataclass_fields__}
    return type(value), np.float64(value).tobytes() if isinstance(value, float) else value
