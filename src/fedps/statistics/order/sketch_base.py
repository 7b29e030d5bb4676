"""Sketch: what KLL and REQ share, which is all but the rule of what to drop.

A sketch keeps some cells of a column in levels: an item of level h stands for 2**h cells. Where a
client runs out of room it halves part of a level: every other item in order goes up a level, the
others are dropped, and a coin says which. Merging drops nothing: it puts levels side by side, so
that it is associative and commutative to the bit, and errors add no faster than rows do.
"""

from __future__ import annotations

import secrets
from itertools import zip_longest
from typing import Any, ClassVar, NamedTuple

import numpy as np
from msgspec import structs

from fedps.statistics.base import (
    OPEN,
    Array,
    BadCells,
    Block,
    Disclosure,
    Limits,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.order.sketch_result import Sketched
from fedps.statistics.order.values_within import unmarked

MOST_LEVELS = 62  # what stands for 2**62 cells still fits into an int64
SPARE = 8  # between chunks a client has so many times the room, so that only the last coins count
LARGEST_SEED = 2**63 - 1

_PerColumn = tuple[Array, ...]
_Opened = list[tuple[list[Array], list[int]]]


class ColumnFacts(NamedTuple):
    """How many numbers were seen so far in a column, the smallest and the largest.

    ``spare`` is how many times the room there is for them, as long as more rows may come.
    """

    n: int
    low: float
    high: float
    spare: int


class SketchSummary(Summary, frozen=True, array_like=True, tag="sketch"):
    """Per column: items level by level, each level sorted; how many a level; and exact facts.

    ``steps`` counts halvings per level where the sketch goes by them, until it is sent.
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
        for field in ("items", "lengths"):
            have = len(getattr(self, field))
            demand(have == width, field, f"has {have} columns, not {width}")
        demand(not self.steps, "steps", "must not be sent")
        for field in ("n", "nan"):
            cells = getattr(self, field)
            demand_array(cells, field, "int64", (width,))
            demand(((cells >= 0) & (cells <= rows)).all(), field, f"is not in 0..{rows}")
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
        """Return how many of the cells themselves stand in the summary, extremes included."""
        ends = zip(self.items, self.minimum.tolist(), self.maximum.tolist(), strict=True)
        kept = [len(x) + (not (x == a).any()) + (not (x == b).any()) for x, a, b in ends]
        return np.minimum(np.array(kept, dtype=np.int64), self.n)


class Sketch(Statistic[SketchSummary, list[Sketched]], frozen=True, array_like=True, kw_only=True):
    """A sketch of each column. Subclasses say what to drop when."""

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    summary: ClassVar[type[Summary]] = SketchSummary
    # coins fall otherwise where rows come in other chunks, so only ranks agree, within the bound
    exact: ClassVar[bool] = False

    marker: float | None = float("nan")
    stored: bool = False

    def of(self, *, marker: float | None, stored: bool) -> Sketch:
        """Return this sketch for cells of which ``marker`` is the missing one (None: none may be).

        ``stored`` leaves out the implied zeros of a sparse table. It also has a seed, so that a
        client that is asked twice answers the same.
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

    def squeeze(self, levels: list[Array], steps: list[int], facts: ColumnFacts) -> None:
        """Halve levels in place until there is room again; facts are what coins may depend on."""
        raise NotImplementedError

    def most_items(self, levels: int) -> int:
        """Return how many items a client may send in so many levels."""
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
                # adding 0.0 turns -0.0 into 0.0: sorting does not tell one from the other
                low[j] = np.fmin(low[j], cells[0]) + 0.0
                high[j] = np.fmax(high[j], cells[-1]) + 0.0
            levels, steps = columns[j]
            levels[0] = np.sort(np.concatenate([levels[0], cells])) if len(levels[0]) else cells
            self.squeeze(levels, steps, ColumnFacts(int(n[j]), low[j], high[j], SPARE))
        items, lengths, halvings = _closed(columns)
        return SketchSummary(items, lengths, halvings, n, nan, low, high)

    def merge(self, left: SketchSummary, right: SketchSummary) -> SketchSummary:
        """Put the levels side by side; nothing is dropped, so any order gives the same bits."""
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
        """Return the summary as small as it is sent; the room to spare was for further rows."""
        columns = _open(summary)
        ends = zip(summary.n.tolist(), summary.minimum, summary.maximum, strict=True)
        for (levels, steps), (n, low, high) in zip(columns, ends, strict=True):
            self.squeeze(levels, steps, ColumnFacts(n, low, high, 1))
        items, lengths, _ = _closed(columns)
        return structs.replace(summary, items=items, lengths=lengths, steps=())

    def check(self, summary: SketchSummary, width: int, rows: int) -> None:
        """Check also that there are no more items than this sketch keeps."""
        summary.check(width, rows)
        for items, lengths in zip(summary.items, summary.lengths, strict=True):
            most = self.most_items(len(lengths))
            demand(len(items) <= most, "items", f"are {len(items)}, more than {most}")

    def result(self, summary: SketchSummary) -> list[Sketched]:
        """Return a column each that can be asked for quantiles and ranks."""
        found = []
        for j, (items, lengths) in enumerate(zip(summary.items, summary.lengths, strict=True)):
            level = np.repeat(np.arange(len(lengths)), lengths)
            order = np.lexsort((level, items))
            upto = np.cumsum(np.left_shift(1, level[order], dtype=np.int64))
            facts = (summary.n, summary.nan, summary.minimum, summary.maximum)
            found.append(Sketched(items[order], upto, *(fact[j].item() for fact in facts)))
        return found


def halve(levels: list[Array], h: int, part: slice, coin: int) -> None:
    """Move every other item of a part of level h up a level, in place, and drop the others."""
    start, stop, _ = part.indices(len(levels[h]))
    moved = levels[h][start + coin : stop : 2].copy()  # a view would keep the whole column alive
    levels[h] = np.concatenate([levels[h][:start], levels[h][stop:]])
    if h + 1 == len(levels):
        levels.append(moved)
    else:
        levels[h + 1] = np.sort(np.concatenate([levels[h + 1], moved]))


def coins(seed: int | None, facts: ColumnFacts) -> np.random.Generator:
    """Return fresh coins, or with a seed always the same for a column of such facts.

    A summary shows the facts anyway. By them clients with one seed toss differently, and a column
    tosses alike wherever it stands in a table.
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
    """Return the levels of each column one by one, and the halvings of each so far."""
    opened = []
    for j, (items, lengths) in enumerate(zip(summary.items, summary.lengths, strict=True)):
        parts = np.split(items, np.cumsum(lengths)[:-1]) if len(lengths) else [items]
        opened.append((parts, summary.steps[j].tolist() if summary.steps else []))
    return opened


def _closed(columns: _Opened) -> tuple[_PerColumn, _PerColumn, _PerColumn]:
    """Return the items, the lengths of levels and the halvings of each column."""
    lengths = [[len(items) for items in levels] if levels[-1].size else [] for levels, _ in columns]
    return (
        # here too, -0.0 turns into 0.0
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
    # one by one: the sum of hostile lengths could wrap around
    many = lengths.tolist()
    demand(sum(many) == len(items), "lengths", f"adds up to {sum(many)}, not {len(items)} items")
    cells = sum(length << h for h, length in enumerate(many))
    demand(cells == n, "lengths", f"stands for {cells} cells, not {n}")
    demand(np.isfinite(items).all(), "items", "must be finite")
    level = np.repeat(np.arange(len(lengths)), lengths)
    rising = (items[1:] >= items[:-1]) | (level[1:] != level[:-1])
    demand(rising.all(), "items", "must be sorted within a level")
