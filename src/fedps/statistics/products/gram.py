"""Gram: the inner products of all columns and of the target, as a triangular factor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from fedps.statistics.base import (
    LARGEST_TO_SQUARE,
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    refuse_columns,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.products.triangular_factors import (
    ROWS_AT_ONCE,
    Factor,
    factor_of,
    joined,
    reduced,
)
from fedps.statistics.ragged import Ragged
from fedps.statistics.target.numeric_target import numeric_target


class GramSummary(Summary, frozen=True, array_like=True, tag="gram"):
    """Factors of some parts of the rows, column by column: in any order of columns they stay factors.

    A part has a number in ``rows`` and one in ``count`` (the sum of the weights), a line of
    ``pivot``, and in ``target`` the pivot of the target and its column of the triangle. ``triangle``
    has for each column that of all parts, one below the other, without the zeros at its end. The
    column of ones is not sent: it is the root of ``count``, and zeros.
    """

    width_field: ClassVar[str | None] = "triangle"
    told_fields: ClassVar[tuple[str, ...]] = ("triangle",)

    rows: list[int]
    count: list[float]
    target: list[Array]
    pivot: Array
    triangle: Ragged

    def check(self, width: int, rows: int) -> None:
        """Check shapes and sizes, and that there is one part, of all rows."""
        parts = 1 if rows else 0
        for field in ("rows", "count", "target"):
            have = len(getattr(self, field))
            demand(have == parts, field, f"has {have} parts, not {parts}")
        demand(self.rows in ([], [rows]), "rows", f"is not {rows}")
        demand(
            all(0 <= c <= LARGEST_TO_SQUARE for c in self.count),
            "count",
            "must be finite and not negative",
        )
        demand_array(self.pivot, "pivot", "float64", (parts, width))
        _demand_moderate(self.pivot, "pivot")
        height = min(rows, width + 2)
        for column in self.target:
            demand_array(column, "target", "float64", (height + 1,))
            _demand_moderate(column, "target")
        demand(len(self.triangle) == width, "triangle", f"has {len(self.triangle)} columns")
        for j, column in enumerate(self.triangle):
            demand_array(column, "triangle", "float64", (None,))
            below = len(column) <= min(j + 2, height)
            demand(below, "triangle", "has numbers below its diagonal")
            _demand_moderate(column, "triangle")

    def support(self) -> Array:
        """Return the number of rows."""
        return np.full(len(self.triangle), sum(self.rows))

    def columns_per_row(self) -> float:
        """Return the number of columns, with the column of ones, per row."""
        rows = sum(self.rows)
        return min((len(self.triangle) + 1) / rows, 1.0) if rows else 0.0


class Gram(Statistic[GramSummary, Factor], frozen=True, array_like=True, tag="gram"):
    """Means of all columns and of the target, and the inner products of any two of them.

    A client sends a triangle R with R'R = Z'Z, Z = [1, X - pivot, y - pivot], and not Z'Z: see
    :mod:`fedps.statistics.products.triangular_factors`. It takes as many bytes. The factor that a plan
    receives has the target as its last column. ``weight`` is a column of row weights.

    Level AGGREGATE: shows sums over all rows. But sums over few rows determine the rows up to a
    rotation, so a client refuses it if there are more columns than its policy's ``max_share`` of the
    rows. Costs m min(n, m) / 2 numbers for m columns and n rows.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    multiplies: ClassVar[bool] = True
    of_target: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = GramSummary

    weight: str | None = None

    @property
    def shows(self) -> str:
        """What of each column an answer shows."""
        return "count, sum, and sum of its products with each column and with the target"

    def empty(self, width: int) -> GramSummary:
        """Return no parts."""
        return GramSummary([], [], [], np.empty((0, width)), Ragged([np.empty(0)] * width))

    def update(self, summary: GramSummary, block: Block) -> GramSummary:
        """Fold in a block of rows."""
        cells = _sound(block.numbers())
        target = numeric_target(block)
        weights = None if self.weight is None else block.weights(self.weight)
        if block.rows == 0:
            return summary
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            whole = joined([*_factors(summary), *_in_pieces(cells, target, weights)])
        rows = sum(summary.rows) + block.rows
        return _as_sent(rows, self._moderate(whole))

    def _moderate(self, factor: Factor) -> Factor:
        """Return the factor, or refuse the first column that is too large to square."""
        if self.weight is not None and not factor.count <= LARGEST_TO_SQUARE:
            raise BadCells("bad weights", what=self.weight)
        numbers = np.vstack([factor.pivot, factor.triangle[:, 1:]])
        large = np.flatnonzero(~(np.abs(numbers).max(axis=0) <= LARGEST_TO_SQUARE))
        if large.size == 0:
            return factor
        if large[0] == len(factor.pivot) - 1:
            raise BadCells("range", what="target")
        raise BadCells("range", int(large[0]))

    def merge(self, left: GramSummary, right: GramSummary) -> GramSummary:
        """Keep the parts of both: the result puts them together."""
        height = sum(len(column) - 1 for column in left.target)
        columns = zip(left.triangle, right.triangle, strict=True)
        return GramSummary(
            [*left.rows, *right.rows],
            [*left.count, *right.count],
            [*left.target, *right.target],
            np.concatenate([left.pivot, right.pivot]),
            Ragged(np.append(_filled(a, height), b) for a, b in columns),
        )

    def check(self, summary: GramSummary, width: int, rows: int) -> None:
        """Check also that rows without weights are counted once each."""
        summary.check(width, rows)
        if self.weight is None:
            demand(summary.count in ([], [rows]), "count", f"is not {rows}")

    def result(self, summary: GramSummary) -> Factor:
        """Return the factor of all rows, the target last."""
        parts = sorted(_factors(summary), key=_key)  # QR rounds: the same in any order of clients
        if not parts:
            width = len(summary.triangle) + 1
            return Factor(0.0, np.zeros(width), np.empty((0, width + 1)))
        whole = joined(parts)
        # columns of a triangle that were put into another order are a factor, but not a triangle
        return whole._replace(triangle=reduced(whole.triangle))


def _sound(cells: Any) -> Array:
    """Return the cells, or refuse those that have no products."""
    if hasattr(cells, "indptr"):
        raise BadCells("sparse")
    largest = np.maximum(cells.max(axis=0, initial=0), -cells.min(axis=0, initial=0))  # or NaN
    refuse_columns(np.isnan(largest), "missing")
    refuse_columns(np.isinf(largest), "infinity")
    return np.asarray(cells)


def _in_pieces(cells: Array, target: Array, weights: Array | None) -> Iterator[Factor]:
    """Yield factors of some rows at a time, so that a large table is not copied as a whole."""
    for start in range(0, len(cells), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        some = None if weights is None else weights[rows]
        yield factor_of(np.column_stack([cells[rows], target[rows]]), some)


def _as_sent(rows: int, factor: Factor) -> GramSummary:
    """Return a factor, whose last column is the target, as a summary of one part."""
    columns = (factor.triangle[:, j + 1] for j in range(len(factor.pivot) - 1))
    target = np.append(factor.pivot[-1], factor.triangle[:, -1])
    pivot = factor.pivot[None, :-1]
    return GramSummary([rows], [factor.count], [target], pivot, Ragged(map(_ended, columns)))


def _factors(summary: GramSummary) -> Iterator[Factor]:
    """Yield the factor of each part, the target last."""
    height = sum(len(column) - 1 for column in summary.target)
    columns = [_filled(column, height) for column in summary.triangle]
    triangles = np.stack(columns, axis=1) if columns else np.empty((height, 0))
    start = 0
    for count, target, pivot in zip(summary.count, summary.target, summary.pivot, strict=True):
        stop = start + len(target) - 1
        ones = np.zeros(stop - start)
        ones[0] = np.sqrt(count)
        triangle = np.column_stack([ones, triangles[start:stop], target[1:]])
        yield Factor(count, np.append(pivot, target[0]), triangle)
        start = stop


def _key(part: Factor) -> bytes:
    return part.pivot.tobytes() + part.triangle.tobytes()


def _ended(column: Array) -> Array:
    """Return a column without the zeros at its end."""
    return column[: np.flatnonzero(column).max(initial=-1) + 1]


def _filled(column: Array, height: int) -> Array:
    """Return a column with the zeros that :func:`_ended` cut off."""
    return np.append(column, np.zeros(height - len(column)))


def _demand_moderate(numbers: Array, field: str) -> None:
    """Demand numbers whose squares, summed over all clients, are finite."""
    largest = np.abs(numbers).max(initial=0.0)
    demand(bool(largest <= LARGEST_TO_SQUARE), field, "must be finite and not too large")
