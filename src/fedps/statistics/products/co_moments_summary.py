"""What a client sends for correlations: moments of its complete rows and, with gaps, of pairs of columns."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from msgspec import Struct

from fedps.statistics.base import (
    Array,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.demands import demand_counts, demand_sizes
from fedps.statistics.products.pair_moments import PairMoments, complete_moments

# Squares of deviations between clients, times their rows, stay far below the largest double.
LARGEST_PIVOT, LARGEST_SQUARE = 1e140, 1e300


class CoPairs(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Moments of pairs of columns: ``count`` and ``product`` as a triangle, the others as a square matrix."""

    count: Array
    pivot: Array
    deviation: Array
    square: Array
    product: Array

    def check(self, width: int, rows: int) -> None:
        """Check shapes and sizes, and that sums of no rows are 0."""
        size = width * (width + 1) // 2
        demand_counts(self.count, "parts", (size,), rows)
        for numbers in (self.pivot, self.deviation):
            _demand_moderate(numbers, (width, width), LARGEST_PIVOT)
        demand_sizes(self.square, "parts", (width, width))
        _demand_moderate(self.square, (width, width), LARGEST_SQUARE)
        _demand_moderate(self.product, (size,), LARGEST_SQUARE)
        nothing = _square(self.count, width) == 0
        sums = np.stack([self.pivot, self.deviation, self.square, _square(self.product, width)])
        demand((sums[:, nothing] == 0).all(), "parts", "must be 0 where there are no rows")


class CoPart(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Moments of some rows: of those without gaps and, if some have gaps, of pairs over all of these rows."""

    rows: int
    pivot: Array
    deviation: Array
    product: Array
    gaps: list[CoPairs]

    @classmethod
    def of(cls, complete: PairMoments, pairs: PairMoments | None) -> CoPart:
        """Return a part as it is sent; ``pairs`` is None where no row has a gap."""
        upper = np.triu_indices(len(complete.product))
        gaps = []
        if pairs is not None:
            wide = pairs.wide()
            some = wide.count > 0
            pivot, deviation, square, product = (np.where(some, x, 0.0) for x in wide[1:])
            counts = np.rint(wide.count[upper]).astype(np.int64)
            gaps = [CoPairs(counts, pivot, deviation, square, product[upper])]
        lines = complete.pivot[:, 0], complete.deviation[:, 0]
        return cls(int(complete.count[0, 0]), *lines, complete.product[upper], gaps)

    def complete(self) -> PairMoments:
        """Return the moments of the rows without gaps."""
        product = _square(self.product, len(self.pivot))
        return complete_moments(float(self.rows), self.pivot, self.deviation, product)

    def pairs(self) -> PairMoments:
        """Return the moments of pairs of columns over all rows."""
        if not self.gaps:
            return self.complete()
        found, width = self.gaps[0], len(self.pivot)
        count = _square(found.count, width).astype(np.float64)
        product = _square(found.product, width)
        return PairMoments(count, found.pivot, found.deviation, found.square, product)

    def check(self, width: int, rows: int) -> None:
        """Check shapes and sizes, and that sums of no rows are 0."""
        size = width * (width + 1) // 2
        demand(0 <= self.rows <= rows, "parts", f"is not in 0..{rows}")
        for numbers in (self.pivot, self.deviation):
            _demand_moderate(numbers, (width,), LARGEST_PIVOT)
        _demand_moderate(self.product, (size,), LARGEST_SQUARE)
        squares = np.diagonal(_square(self.product, width))
        demand((squares >= 0).all(), "parts", "has negative squares")
        nothing = all((x == 0).all() for x in (self.pivot, self.deviation, self.product))
        demand(self.rows > 0 or nothing, "parts", "must be 0 where there are no rows")
        demand(len(self.gaps) <= 1, "parts", "has pairs more than once")
        for pairs in self.gaps:
            pairs.check(width, rows)


class CoMomentsSummary(Summary, frozen=True, array_like=True, tag="co_moments"):
    """Moments of some parts of the rows; ``cells`` is how many cells of each column are not missing.

    The numbers of a part are in its client's order of columns, as a matrix has columns on both axes;
    ``place`` has a line for each part, with each column's position there.
    """

    width_field: ClassVar[str | None] = "cells"

    cells: Array
    place: Array
    parts: list[CoPart]

    def check(self, width: int, rows: int) -> None:
        """Check sizes, and that there is one part in its own order, or none."""
        demand_counts(self.cells, "cells", (width,), rows)
        demand(len(self.parts) <= 1, "parts", f"has {len(self.parts)} parts, not one")
        demand_array(self.place, "place", "int64", (len(self.parts), width))
        demand((self.place == np.arange(width)).all(), "place", "is not in order")
        for part in self.parts:
            part.check(width, rows)

    def in_place(self) -> list[CoPart]:
        """Return all parts in one order of columns, sorted: sums are rounded in the same way at any server."""
        placed = [
            part if (place == np.arange(len(place))).all() else _moved(part, place)
            for part, place in zip(self.parts, self.place, strict=True)
        ]
        return sorted(placed, key=_key)

    def support(self) -> Array:
        """Return how many cells of each column are not missing."""
        return self.cells

    def told(self, width: int) -> Array:
        """Return how many numbers about each column it tells: of each pair, and of complete rows."""
        told = np.zeros(width, dtype=np.int64)
        for part in self.parts:
            told += (width + 1) * (part.rows > 0)
            for pairs in part.gaps:
                told += 3 * (_square(pairs.count, width) > 0).sum(axis=0)
        return told

    def columns_per_row(self) -> float:
        """Return the number of columns, with one of ones, per row of the pair with the fewest rows."""
        counts = [part.count for parts in self.parts for part in parts.gaps]
        counts += [np.array([part.rows]) for part in self.parts]
        fewest = min((int(n[n > 0].min()) for n in counts if (n > 0).any()), default=0)
        return min((len(self.cells) + 1) / fewest, 1.0) if fewest else 0.0


def _moved(part: CoPart, place: Array) -> CoPart:
    """Return a part with its columns in another order."""
    complete, pairs = part.complete(), part.pairs()
    both = np.ix_(place, place)
    lines = complete.pivot[place, 0], complete.deviation[place, 0]
    moved = complete_moments(float(part.rows), *lines, complete.product[both])
    wide = PairMoments(*(field[both] for field in pairs.wide())) if part.gaps else None
    return CoPart.of(moved, wide)


def _key(part: CoPart) -> bytes:
    fields = [part.pivot, part.deviation, part.product]
    for pairs in part.gaps:
        fields += [pairs.count, pairs.pivot, pairs.deviation, pairs.square, pairs.product]
    return b"".join([part.rows.to_bytes(8), *(field.tobytes() for field in fields)])


def _square(triangle: Array, width: int) -> Array:
    """Return the symmetric matrix of a triangle."""
    upper = np.triu_indices(width)
    matrix = np.empty((width, width), dtype=triangle.dtype)
    matrix[upper] = matrix.T[upper] = triangle
    return matrix


def _demand_moderate(numbers: Array, shape: tuple[int, ...], most: float) -> None:
    """Demand doubles of which sums over all clients are finite."""
    demand_array(numbers, "parts", "float64", shape)
    largest = np.abs(numbers).max(initial=0.0)
    demand(bool(largest <= most), "parts", "must be finite and not too large")
