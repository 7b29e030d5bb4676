"""Sketch: what KLL and REQ share, which is everything but the rule of what to drop.

A sketch keeps some cells of a column in levels: an item of level h stands for 2**h cells. When it is
full, part of a level is halved: every other item in order moves up a level, the others are dropped,
and a coin decides which. Merging drops nothing: it puts the levels together, so that it is associative
and commutative to the bit, and errors add up no faster than rows do.
"""

from __future__ import annotations

import secrets
from itertools import zip_longest
from typing import Any, ClassVar, NamedTuple

import numpy as np
from msgspec import structs

from fedps.statistics.base import (
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.demands import demand_columns, demand_counts
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.order.sketch_result import Sketched
from fedps.statistics.order.values_within import unmarked

MOST_LEVELS = 62  # what stands for 2**62 cells still fits into an int64
# Between chunks a client keeps this many times what it sends: nearly all of the error is then that of
# the last halving, as if the column had been sorted as a whole.
SPARE = 8
LARGEST_SEED = 2**63 - 1  # what fits into an int64 on the wire

_PerColumn = tuple[Array, ...]
_Opened = list[tuple[list[Array], list[int]]]


class SketchFacts(NamedTuple):
    """How many numbers of a column were seen so far, the smallest and the largest.

    ``spare`` is by what factor the capacity is larger as long as more rows may come.
    """

    n: int
    low: float
    high: float
    spare: int


class SketchSummary(Summary, frozen=True, array_like=True, tag="sketch"):
    """Per column: items level by level, each level sorted; the length of each level; exact facts.

    ``steps`` counts the halvings per level, for a sketch that needs them. It is not sent.
    """

    width_field: ClassVar[str | None] = "maximum"

    items: tuple[Array, ...]
    lengths: tuple[Array, ...]
    steps: tuple[Array, ...]
    n: Array
    nan: Array
    minimum: Array
    maximum: Array

    def check(self, width: int, rows: int) -> None:
        """Check types, order, and that the items stand for as many cells as there are."""
        demand_columns(self, width, "items", "lengths")
        demand(not self.steps, "steps", "must not be sent")
        for field in ("n", "nan"):
            demand_counts(getattr(self, field), field, (width,), rows)
        demand((self.n <= rows - self.nan).all(), "nan", f"and n are above the {rows} rows")
        for field in ("minimum", "maximum"):
            ends = getattr(self, field)
            demand_array(ends, field, "float64", (width,))
            demand(not np.isinf(ends).any(), field, "must be finite")
            missing = np.isnan(ends) == (self.n == 0)
            demand(missing.all(), field, "must be missing exactly where n is 0")
        columns = zip(self.items, self.lengths, self.n.tolist(), strict=True)
        for j, (items, lengths, n) in enumerate(columns):
            _check_levels(items, lengths, n)
            inside = (items >= self.minimum[j]) & (items <= self.maximum[j])
            demand(inside.all(), "items", "must lie between minimum and maximum")

    def support(self) -> Array:
        """Return how many cells are not missing."""
        return self.n

    def retained(self) -> Array:
        """Return how many cells are shown as they are, extremes included."""
        ends = zip(self.items, self.minimum.tolist(), self.maximum.tolist(), strict=True)
        kept = [len(x) + (not (x == a).any()) + (not (x == b).any()) for x, a, b in ends]
        return np.minimum(np.array(kept, dtype=np.int64), self.n)


class Sketch(Statistic[SketchSummary, list[Sketched]], frozen=True, array_like=True, kw_only=True):
    """A sketch of each column. Subclasses decide what to drop, and when."""

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    summary: ClassVar[type[Summary]] = SketchSummary
    adds_up: ClassVar[bool] = False
    # coins depend on the chunks in which rows are read, so only ranks agree, within the error bound
    exact: ClassVar[bool] = False

    marker: float | None = float("nan")
    stored: bool = False

    def __dir__(self) -> list[str]:
        # what a user chooses and may ask; plans set the rest
        return [
            name for name in ("k", "high_rank_accuracy", "seed", "error") if hasattr(self, name)
        ]

    def of(self, *, marker: float | None, stored: bool) -> Sketch:
        """Return this sketch for columns whose missing cells equal ``marker`` (None: an error).

        ``stored`` leaves out the implied zeros of a sparse table. The sketch also gets a seed, so that
        a client that receives the same message twice gives the same answer.
        """
        seed: int | None = self.seed  # type: ignore[attr-defined]  # each subclass has one
        if seed is None:
            seed = secrets.randbits(63)
        return structs.replace(self, marker=marker, stored=stored, seed=seed)

    def _sorted(self, block: Block, position: int) -> Array:
        """Return the sorted cells of a column that are not missing."""
        cells = block.column(position, stored=self.stored)
        takes_nan = self.marker is not None and self.marker != self.marker
        if not takes_nan and block.gaps(position):
            raise BadCells("missing", position)
        return np.sort(unmarked(cells, self.marker))

    def squeeze(self, levels: list[Array], steps: list[int], facts: SketchFacts) -> None:
        """Halve levels in place until everything fits; coins may depend on the facts only."""
        raise NotImplementedError

    def most_items(self, levels: int) -> int:
        """Return how many items a client may send in ``levels`` levels."""
        raise NotImplementedError

    def empty(self, width: int) -> SketchSummary:
        """Return no items."""
        nothing, none = (np.empty(0),) * width, (np.empty(0, dtype=np.int64),) * width
        zero, missing = np.zeros(width, dtype=np.int64), np.full(width, np.nan)
        return SketchSummary(nothing, none, (), zero, zero, missing, missing)

    def update(self, summary: SketchSummary, block: Block) -> SketchSummary:
        """Fold in a block of rows."""
        n, nan = summary.n.copy(), summary.nan.copy()
        low, high = summary.minimum.copy(), summary.maximum.copy()
        columns = _open(summary)
        for j in range(block.width):
            cells = self._sorted(block, j)
            if len(cells) and not (np.isfinite(cells[0]) and np.isfinite(cells[-1])):
                raise BadCells("infinity", j)
            n[j] += len(cells)
            nan[j] += 0 if self.stored else block.rows - len(cells)
            if len(cells):
                # adding 0.0 turns -0.0 into 0.0: sorting does not distinguish them
                low[j] = np.fmin(low[j], cells[0]) + 0.0
                high[j] = np.fmax(high[j], cells[-1]) + 0.0
            levels, steps = columns[j]
            levels[0] = np.sort(np.concatenate([levels[0], cells])) if len(levels[0]) else cells
            self.squeeze(levels, steps, SketchFacts(int(n[j]), low[j], high[j], SPARE))
        items, lengths, halvings = _closed(columns)
        return SketchSummary(items, lengths, halvings, n, nan, low, high)

    def merge(self, left: SketchSummary, right: SketchSummary) -> SketchSummary:
        """Put the levels together; nothing is dropped, so any order gives the same bits."""
        sides = zip(left.items, left.lengths, right.items, right.lengths, strict=True)
        both = [_union(*columns) for columns in sides]
        return SketchSummary(
            tuple(items for items, _ in both),
            tuple(lengths for _, lengths in both),
            (),
            left.n + right.n,
            left.nan + right.nan,
            np.fmin(left.minimum, right.minimum),
            np.fmax(left.maximum, right.maximum),
        )

    def compact(self, summary: SketchSummary, limits: Limits = OPEN) -> SketchSummary:
        """Return the summary as small as it is sent; spare capacity was for further rows."""
        columns = _open(summary)
        ends = zip(summary.n.tolist(), summary.minimum, summary.maximum, strict=True)
        for (levels, steps), (n, low, high) in zip(columns, ends, strict=True):
            self.squeeze(levels, steps, SketchFacts(n, low, high, 1))
        items, lengths, _ = _closed(columns)
        return structs.replace(summary, items=items, lengths=lengths, steps=())

    def check(self, summary: SketchSummary, width: int, rows: int) -> None:
        """Check also that there are no more items than this sketch keeps."""
        summary.check(width, rows)
        for items, lengths in zip(summary.items, summary.lengths, strict=True):
            most = self.most_items(len(lengths))
            demand(len(items) <= most, "items", f"are {len(items)}, more than {most}")

    def result(self, summary: SketchSummary) -> list[Sketched]:
        """Return an object per column that gives quantiles and ranks."""
        found = []
        for j, (items, lengths) in enumerate(zip(summary.items, summary.lengths, strict=True)):
            level = np.repeat(np.arange(len(lengths)), lengths)
            order = np.lexsort((level, items))
            upto = np.cumsum(np.left_shift(1, level[order], dtype=np.int64))
            facts = (summary.n, summary.nan, summary.minimum, summary.maximum)
            found.append(Sketched(items[order], upto, *(fact[j].item() for fact in facts)))
        return found


def halve(levels: list[Array], h: int, part: slice, coin: int) -> None:
    """Move every other item of a part of level h up a level and drop the others, in place."""
    start, stop, _ = part.indices(len(levels[h]))
    moved = levels[h][start + coin : stop : 2].copy()  # a view would keep the whole column alive
    levels[h] = np.concatenate([levels[h][:start], levels[h][stop:]])
    if h + 1 == len(levels):
        levels.append(moved)
    else:
        levels[h + 1] = np.sort(np.concatenate([levels[h + 1], moved]))


def coins(seed: int | None, facts: SketchFacts) -> np.random.Generator:
    """Return a random generator; with a seed always the same for a column with these facts.

    The summary shows the facts anyway. They make coins of different clients with one seed differ, so
    that errors do not add up, and those of a column independent of its position.
    """
    if seed is None:
        return np.random.default_rng()
    ends = np.array([facts.low, facts.high])
    return np.random.default_rng([seed, facts.spare, facts.n, *ends.view(np.uint64).tolist()])


def demand_option(holds: bool, name: str, rule: str, value: Any) -> None:
    """Raise ValueError that names an option of a sketch unless its rule holds."""
    if not holds:
        raise ValueError(f"{name} must be {rule}, not {value!r}")


def demand_seed(seed: Any) -> None:
    """Raise ValueError unless a seed can be sent to clients."""
    fits = seed is None or (type(seed) is int and 0 <= seed <= LARGEST_SEED)
    demand_option(fits, "seed", f"None or a whole number in 0..{LARGEST_SEED}", seed)


def _open(summary: SketchSummary) -> _Opened:
    """Return the levels of each column as separate arrays, and its halvings so far."""
    opened = []
    for j, (items, lengths) in enumerate(zip(summary.items, summary.lengths, strict=True)):
        parts = np.split(items, np.cumsum(lengths)[:-1]) if len(lengths) else [items]
        opened.append((parts, summary.steps[j].tolist() if summary.steps else []))
    return opened


def _closed(columns: _Opened) -> tuple[_PerColumn, _PerColumn, _PerColumn]:
    """Return the items, the lengths of levels and the halvings of each column."""
    lengths = [[len(items) for items in levels] if levels[-1].size else [] for levels, _ in columns]
    return (
        # here too, -0.0 becomes 0.0
        tuple(np.concatenate(levels, dtype=np.float64) + 0.0 for levels, _ in columns),
        tuple(np.array(column, dtype=np.int64) for column in lengths),
        tuple(np.array(steps, dtype=np.int64) for _, steps in columns),
    )


def _union(left: Array, some: Array, right: Array, more: Array) -> tuple[Array, Array]:
    """Return the items of two columns level by level, each level sorted, and their lengths."""
    pairs = zip_longest(some.tolist(), more.tolist(), fillvalue=0)
    lengths = np.array([a + b for a, b in pairs], dtype=np.int64)
    level = np.concatenate([np.repeat(np.arange(len(x)), x) for x in (some, more)])
    both = np.concatenate([left, right])
    return both[np.lexsort((both, level))], lengths


def _check_levels(items: Array, lengths: Array, n: int) -> None:
    """Check one column's levels: sorted finite numbers that stand for n cells."""
    demand_array(items, "items", "float64", (None,))
    demand_array(lengths, "lengths", "int64", (None,))
    demand(len(lengths) <= MOST_LEVELS, "lengths", f"has {len(lengths)} levels")
    demand((lengths >= 0).all(), "lengths", "must not be negative")
    demand((lengths[-1:] > 0).all(), "lengths", "must not end with an empty level")
    many = lengths.tolist()  # Python's integers: the sum of hostile lengths could wrap around
    demand(sum(many) == len(items), "lengths", f"adds up to {sum(many)}, not {len(items)} items")
    cells = sum(length << h for h, length in enumerate(many))
    demand(cells == n, "lengths", f"stands for {cells} cells, not {n}")
    demand(np.isfinite(items).all(), "items", "must be finite")
    level = np.repeat(np.arange(len(lengths)), lengths)
    rising = (items[1:] >= items[:-1]) | (level[1:] != level[:-1])
    demand(rising.all(), "items", "must be sorted within a level")
