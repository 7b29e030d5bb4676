"""Condensed rows: few rows with the same inner products as all rows that have the same cells missing.

Rows Z = [1, X - pivot] with the same cells missing can be replaced by the triangle R of their QR
decomposition: R'R = Z'Z, and a linear operation on the columns of one (such as imputing a missing
column from the others) is the same operation on those of the other. As a table of rows, R is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array

MOST_BITS = 64  # of a pattern that is one integer, which sorts far faster than a row of booleans


class Condensed(NamedTuple):
    """Rows that replace all rows of a table, pattern by pattern.

    Pattern p replaces ``counts[p]`` rows in which the columns ``seen[p]`` are observed. It has
    min(count, columns observed + 1) of the ``rows``, with ``pivot`` subtracted, and 0 where not
    observed. What replaces the column of ones is the root of the count in the first of these rows, and
    0 in the others.
    """

    counts: Array
    seen: Array
    pivot: Array
    rows: Array

    @property
    def heights(self) -> Array:
        """How many rows each pattern has."""
        return heights_of(self.counts, self.seen)

    @property
    def pattern(self) -> Array:
        """Which pattern each row belongs to."""
        return np.repeat(np.arange(len(self.counts)), self.heights)

    @property
    def ones(self) -> Array:
        """What replaces 1 in each row."""
        ones = np.zeros(len(self.rows))
        heights = self.heights
        ones[np.cumsum(heights) - heights] = np.sqrt(self.counts)
        return ones


def heights_of(counts: Array, seen: Array) -> Array:
    """Return how many rows replace those of each pattern."""
    return np.asarray(np.minimum(counts, seen.sum(axis=1) + 1))


def condense(cells: Array, gaps: Array) -> Condensed:
    """Return the rows condensed; cells must be 0 where they are missing."""
    pivot = _near_means(cells, gaps)
    rows = np.where(gaps, 0.0, cells - pivot)
    ones = np.ones(len(rows))
    return _condensed(ones, rows, ~gaps, ones.astype(np.int64), pivot)


def condense_together(parts: Sequence[Condensed], width: int = 0) -> Condensed:
    """Return the rows of all parts condensed together; ``width`` is used if there are no parts."""
    if not parts:
        none = np.empty((0, width))
        return Condensed(np.zeros(0, np.int64), none.astype(bool), np.zeros(width), none)
    pivot = _middle(parts)
    ones = np.concatenate([part.ones for part in parts])
    seen = np.concatenate([part.seen[part.pattern] for part in parts])
    moved = [part.rows + part.ones[:, None] * (part.pivot - pivot) for part in parts]
    rows = np.where(seen, np.concatenate(moved), 0.0)
    counts = np.concatenate([_at_first_rows(part) for part in parts])
    return _condensed(ones, rows, seen, counts, pivot)


def _at_first_rows(part: Condensed) -> Array:
    """Return the count of each pattern at its first row, and 0 at its other rows."""
    return np.where(part.ones > 0, part.counts[part.pattern], 0)


def _condensed(ones: Array, rows: Array, seen: Array, counts: Array, pivot: Array) -> Condensed:
    """Condense rows that may be condensed already; ``counts`` are added up per pattern."""
    patterns, which = _patterns(seen)
    order = np.argsort(which, kind="stable")
    sizes = np.bincount(which, minlength=len(patterns))
    starts = np.cumsum(sizes) - sizes
    total = np.bincount(which, counts, len(patterns)).astype(np.int64)
    observed = patterns.sum(axis=1)
    heights = heights_of(total, patterns)
    ends = np.cumsum(heights)
    found = np.zeros((int(heights.sum()), rows.shape[1]))
    # one QR for all patterns of the same shape: a table in which each row has a pattern of its own
    # would otherwise take a call for each
    for size, width in np.unique(np.stack([sizes, observed]), axis=1).T.tolist():
        alike = np.flatnonzero((sizes == size) & (observed == width))
        taken = order[starts[alike, None] + np.arange(size)]
        columns = np.nonzero(patterns[alike])[1].reshape(len(alike), width)
        triangles = _triangles(ones, rows, taken, columns)
        height = triangles.shape[1]
        places = (ends - heights)[alike, None] + np.arange(height)
        found[places[:, :, None], columns[:, None, :]] = triangles
    return Condensed(total, patterns, pivot, found)


def _triangles(ones: Array, rows: Array, taken: Array, columns: Array) -> Array:
    """Return the triangle of each group of rows, without its column of ones."""
    groups = np.empty((*taken.shape, columns.shape[1] + 1))
    groups[:, :, 0] = ones[taken]
    groups[:, :, 1:] = rows[taken[:, :, None], columns[:, None, :]]
    triangles = np.asarray(np.linalg.qr(groups, mode="r"))
    # R is unique only up to signs: the same rows must give the same numbers
    signs = np.where(np.diagonal(triangles, axis1=1, axis2=2) < 0, -1.0, 1.0)
    return np.asarray(triangles[:, :, 1:] * signs[:, :, None] + 0.0)  # no -0.0: long on the wire


def _patterns(seen: Array) -> tuple[Array, Array]:
    """Return the distinct patterns, and which of them each row has."""
    width = seen.shape[1]
    if width > MOST_BITS:
        patterns, which = np.unique(seen, axis=0, return_inverse=True)
        return patterns, which.reshape(-1)
    bits = np.left_shift(np.uint64(1), np.arange(width, dtype=np.uint64))
    codes, which = np.unique(seen @ bits, return_inverse=True)
    return (codes[:, None] & bits) > 0, which.reshape(-1)


def _near_means(cells: Array, gaps: Array) -> Array:
    """Return a number near the mean of each column: an integer if all cells are, short on the wire."""
    count = np.maximum((~gaps).sum(axis=0), 1)
    mean = cells.sum(axis=0) / count
    whole = (cells == np.rint(cells)).all(axis=0)
    return np.asarray(np.where(whole, np.rint(mean), mean))


def _middle(parts: Sequence[Condensed]) -> Array:
    """Return a pivot near those of all parts: an integer if all of these are."""
    counts = np.array([part.counts @ part.seen for part in parts])
    pivots = np.array([part.pivot for part in parts])
    middle = (counts * pivots).sum(axis=0) / np.maximum(counts.sum(axis=0), 1)
    whole = (pivots == np.rint(pivots)).all(axis=0)
    return np.asarray(np.where(whole, np.rint(middle), middle))
