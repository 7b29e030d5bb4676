"""Patterns: the inner products of the rows with the same cells missing, for each such pattern.

Why one answer is enough for all sweeps of an IterativeImputer: docs/decisions/010.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.base import (
    LARGEST_TO_SQUARE,
    Array,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    refuse_columns,
)
from fedps.statistics.limits import OPEN, Disclosure, Limits
from fedps.statistics.products.condensed_rows import (
    Condensed,
    condense,
    condense_together,
    heights_of,
)
from fedps.statistics.products.imputation import observed

# 8 MB, half of a message. If patterns need more, the fit goes step by step instead.
MOST_PATTERN_NUMBERS = 1 << 20


class PatternsSummary(Summary, frozen=True, array_like=True, tag="patterns"):
    """Condensed rows of some parts of the data (see condensed_rows.py).

    ``parts`` has the number of patterns of each part and ``counts`` the rows of each pattern; ``seen``
    and ``pivot`` have a line for each pattern and each part. If not ``whole``, all of these are empty:
    some pattern has too few rows to be shown, or there are too many patterns. ``largest`` is the
    largest absolute number, if requested, and ``observed`` the number of cells of each column that are
    not missing.
    """

    width_field: ClassVar[str | None] = "observed"

    whole: bool
    largest: list[float]
    parts: list[int]
    counts: list[int]
    seen: Array
    pivot: Array
    rows: Array
    observed: Array

    def check(self, width: int, rows: int) -> None:
        """Check shapes, sizes and that all rows are in some pattern, if there are patterns."""
        demand_array(self.observed, "observed", "int64", (width,))
        inside = (self.observed >= 0) & (self.observed <= rows)
        demand(inside.all(), "observed", f"is not in 0..{rows}")
        demand(len(self.largest) <= 1, "largest", "has more than one number")
        moderate = all(0 <= number <= LARGEST_TO_SQUARE for number in self.largest)
        demand(moderate, "largest", "must be finite and not negative")
        parts = 1 if rows and self.whole else 0
        demand(len(self.parts) == parts, "parts", f"has {len(self.parts)} parts, not {parts}")
        patterns = len(self.counts)
        demand(sum(self.parts) == patterns, "parts", f"is not {patterns}")
        demand(all(count > 0 for count in self.counts), "counts", "must be positive")
        if self.whole:
            demand(sum(self.counts) == rows, "counts", f"does not add up to {rows}")
        demand_array(self.seen, "seen", "bool", (patterns, width))
        demand_array(self.pivot, "pivot", "float64", (parts, width))
        heights = self._heights()
        demand_array(self.rows, "rows", "float64", (int(heights.sum()), width))
        for field in ("pivot", "rows"):
            numbers = np.abs(getattr(self, field)).max(initial=0.0)
            demand(bool(numbers <= LARGEST_TO_SQUARE), field, "must be finite and not too large")
        shown = np.repeat(self.seen, heights, axis=0)
        demand((self.rows[~shown] == 0).all(), "rows", "must be 0 where seen is false")
        if self.whole:
            cells = np.array(self.counts, dtype=np.int64) @ self.seen
            demand((cells == self.observed).all(), "observed", "does not fit counts and seen")

    def support(self) -> Array:
        """Return the number of cells per column."""
        return self.observed

    def _heights(self) -> Array:
        return heights_of(np.array(self.counts, dtype=np.int64), self.seen)

    def condensed(self) -> Iterator[Condensed]:
        """Yield the condensed rows of each part."""
        heights = self._heights()
        first = height = 0
        for number, pivot in zip(self.parts, self.pivot, strict=True):
            some = slice(first, first + number)
            counts = np.array(self.counts[some], dtype=np.int64)
            stop = height + int(heights[some].sum())
            yield Condensed(counts, self.seen[some], pivot, self.rows[height:stop])
            first, height = first + number, stop


class Patterned(NamedTuple):
    """What a plan receives: condensed rows, or None if some client does not send its patterns."""

    condensed: Condensed | None
    observed: Array
    largest: float


class Patterns(Statistic[PatternsSummary, Patterned], frozen=True, array_like=True, tag="patterns"):
    """Sums and inner products of the observed columns, for each pattern of missing cells.

    From these a server can impute missing cells by regressions, in any number of sweeps, and knows the
    sums of the imputed rows. ``missing`` is scikit-learn's ``missing_values``.

    Level SUMMARY: shows, for each pattern, the number of its rows and a triangle R with R'R = Z'Z,
    Z = [1, X - pivot] of its observed columns; with ``largest`` also the largest absolute number. A
    triangle of few rows nearly shows the rows: if some pattern has fewer rows than the policy's
    ``min_rows``, or more columns per row than its ``max_share``, the client sends no pattern at all,
    since the small one would follow from the others and later sums. Costs half the square of the
    number of columns for each pattern, and at most 8 MB: if more are needed, none are sent.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.SUMMARY
    multiplies: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = PatternsSummary

    missing: float = float("nan")
    largest: bool = True

    @property
    def least(self) -> Disclosure:
        """Counts of observed cells can be sent at any level."""
        return Disclosure.SUMMARY if self.largest else Disclosure.AGGREGATE

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        sums = (
            "count, sum, and sum of products with each column, of rows with the same cells missing"
        )
        return f"{sums}; largest absolute value of all columns" if self.largest else sums

    def empty(self, width: int) -> PatternsSummary:
        """Return no parts."""
        return _with_patterns(np.zeros(width, dtype=np.int64), [0.0] if self.largest else [], [])

    def update(self, summary: PatternsSummary, block: Block) -> PatternsSummary:
        """Fold in a block of rows."""
        parts, largest = list(summary.condensed()), list(summary.largest)
        seen = summary.observed
        for cells, gaps in observed(block, self.missing):
            seen = seen + (~gaps).sum(axis=0)
            if self.largest:
                largest = [float(np.abs(cells).max(initial=largest[0]))]
            if summary.whole:
                parts.append(condense(cells, gaps))
        if summary.whole and len(parts) > 1:
            parts = [condense_together(parts)]
        for part in parts:
            large = np.abs(part.rows).max(axis=0, initial=0.0) > LARGEST_TO_SQUARE
            refuse_columns(large, "range")
        if not summary.whole or sum(part.rows.size for part in parts) > MOST_PATTERN_NUMBERS:
            return _without_patterns(seen, largest)
        return _with_patterns(seen, largest, parts)

    def merge(self, left: PatternsSummary, right: PatternsSummary) -> PatternsSummary:
        """Keep the parts of both: the result puts them together. One without patterns is enough."""
        seen = left.observed + right.observed
        largest = [max(pair) for pair in zip(left.largest, right.largest, strict=True)]
        if not (left.whole and right.whole):
            return _without_patterns(seen, largest)
        return PatternsSummary(
            True,
            largest,
            [*left.parts, *right.parts],
            [*left.counts, *right.counts],
            np.concatenate([left.seen, right.seen]),
            np.concatenate([left.pivot, right.pivot]),
            np.concatenate([left.rows, right.rows]),
            seen,
        )

    def compact(self, summary: PatternsSummary, limits: Limits = OPEN) -> PatternsSummary:
        """Return the same, without any pattern if some would show too much of their rows."""
        if not summary.whole or not summary.counts:
            return summary
        counts = np.array(summary.counts)
        heights = heights_of(counts, summary.seen)
        # the same rules as the policy has for groups and for products, here for each pattern
        thin = (counts < limits.rows) | (heights > limits.share * counts)
        if thin.any() or limits.level < Disclosure.SUMMARY:
            return _without_patterns(summary.observed, summary.largest)
        return summary

    def check(self, summary: PatternsSummary, width: int, rows: int) -> None:
        """Check also that the largest number is there exactly if requested."""
        summary.check(width, rows)
        demand(len(summary.largest) == self.largest, "largest", f"is not {int(self.largest)} long")

    def result(self, summary: PatternsSummary) -> Patterned:
        """Return the condensed rows of all clients."""
        largest = max(summary.largest, default=0.0)
        if not summary.whole:
            return Patterned(None, summary.observed, largest)
        parts = sorted(summary.condensed(), key=_key)  # QR rounds: the same in any order of clients
        return Patterned(condense_together(parts, len(summary.observed)), summary.observed, largest)


def _with_patterns(
    seen: Array, largest: list[float], parts: Sequence[Condensed]
) -> PatternsSummary:
    width = len(seen)
    return PatternsSummary(
        True,
        largest,
        [len(part.counts) for part in parts],
        [count for part in parts for count in part.counts.tolist()],
        np.concatenate([np.empty((0, width), dtype=bool), *(part.seen for part in parts)]),
        np.array([part.pivot for part in parts]).reshape(len(parts), width),
        np.concatenate([np.empty((0, width)), *(part.rows for part in parts)]),
        seen,
    )


def _without_patterns(seen: Array, largest: list[float]) -> PatternsSummary:
    nothing = np.empty((0, len(seen)))
    return PatternsSummary(False, largest, [], [], nothing.astype(bool), nothing, nothing, seen)


def _key(part: Condensed) -> bytes:
    return b"".join(np.ascontiguousarray(field).tobytes() for field in part)
