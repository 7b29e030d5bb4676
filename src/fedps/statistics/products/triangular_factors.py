"""Factors: all inner products of some columns as a triangle, and never as their Gram matrix.

The Gram matrix Z'Z squares the condition number of Z, and with it the error of whatever is solved
from it. A triangle R with R'R = Z'Z contains the same numbers, is as short, is put together from parts
by the same kind of step (stack two, reduce again), and loses no precision: on the raw columns of the
Adult data, regression coefficients agree with the pooled fit to 1e-12 rather than to 2e-9.

A column of ones is included, and a pivot near their means is subtracted from the columns. Both are
needed to centre columns that were never centred together: the first row of the triangle has the sums,
and what is below it belongs to the columns minus their means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array

ROWS_AT_ONCE = 1 << 13  # rows are copied for QR: only so many at a time


class Factor(NamedTuple):
    """All inner products of some columns and of a column of ones.

    ``triangle`` is R with R'R = Z'Z, Z = [1, X - pivot], each row of Z times the root of its weight;
    ``count`` is the number of rows, or the sum of their weights.
    """

    count: float  # type: ignore[assignment]  # tuples have a method of that name
    pivot: Array  # (m,)
    triangle: Array  # (min(n, m + 1), m + 1), upper trapezoidal; the ones come first


def factor_of(cells: Array, weights: Array | None = None) -> Factor:
    """Return the factor of some rows of numbers.

    >>> factor = factor_of(np.array([[1.0], [3.0]]))
    >>> factor.count, factor.pivot
    (2.0, array([2.]))
    >>> (factor.triangle**2).sum(axis=0).round(12)
    array([2., 2.])
    """
    pivot = near_means(cells, weights)
    roots = None if weights is None else np.sqrt(weights)
    triangle = np.empty((0, cells.shape[1] + 1))
    # batches much taller than the triangle, or most of the work would be reducing it again and again
    step = max(ROWS_AT_ONCE, 4 * triangle.shape[1])
    for start in range(0, len(cells), step):
        rows = slice(start, start + step)
        ones = np.ones(len(cells[rows])) if roots is None else roots[rows]
        triangle = reduced(np.vstack([triangle, _beside_ones(cells[rows], pivot, ones)]))
    count = len(cells) if weights is None else weights.sum()
    return Factor(float(count), pivot, triangle)


def moved(factor: Factor, pivot: Array) -> Factor:
    """Return the factor of the same rows with another pivot: only its first row changes."""
    triangle = factor.triangle.copy()
    triangle[:1, 1:] += triangle[:1, :1] * (factor.pivot - pivot)
    return Factor(factor.count, pivot, triangle)


def joined(factors: Sequence[Factor]) -> Factor:
    """Return the factor of all rows together, with a pivot near the means of all."""
    parts = [factor for factor in factors if len(factor.triangle)]
    if len(parts) < 2:
        return (parts or list(factors))[0]
    pivot = _middle(parts)
    rows = np.vstack([moved(part, pivot).triangle for part in parts])
    return Factor(sum(part.count for part in parts), pivot, reduced(rows))


def reduced(rows: Array) -> Array:
    """Return R of the QR decomposition of a matrix, with no negative number on its diagonal."""
    triangle = np.asarray(np.linalg.qr(rows, mode="r"))
    signs = np.where(np.diagonal(triangle) < 0, -1.0, 1.0)
    return np.asarray(triangle * signs[:, None] + 0.0)  # no -0.0, which is long on the wire


def centred(factor: Factor) -> tuple[Array, Array]:
    """Return the means, and R of the centred columns: R'R = (X - means)'(X - means).

    The means of no rows are NaN.
    """
    ones = factor.triangle[:1, 0]
    if not ones.size or ones[0] == 0:
        return np.full(len(factor.pivot), np.nan), np.empty((0, len(factor.pivot)))
    return factor.pivot + factor.triangle[0, 1:] / ones[0], factor.triangle[1:, 1:]


def _beside_ones(cells: Array, pivot: Array, ones: Array) -> Array:
    """Return rows of [1, X - pivot], each times the root of its weight."""
    rows = np.empty((len(cells), len(pivot) + 1))
    np.subtract(cells, pivot, out=rows[:, 1:])
    rows[:, 0] = 1.0
    rows *= ones[:, None]
    return rows


def near_means(cells: Array, weights: Array | None) -> Array:
    """Return a number near each column's mean: an integer if its first cells are, short on the wire."""
    total = len(cells) if weights is None else weights.sum()
    if total == 0:
        return np.zeros(cells.shape[1])
    mean = cells.mean(axis=0, dtype=np.float64) if weights is None else weights / total @ cells
    some = cells[:512]  # a wrong guess only costs bytes: any pivot is right
    whole = (some == np.rint(some)).all(axis=0)
    # the mean of a constant column is rounded: deviations from it would be noise, and not 0
    constant = np.abs(cells[0] - mean) <= 1e-14 * np.abs(mean)
    return np.where(whole, np.rint(mean), np.where(constant, cells[0], mean))


def _middle(parts: Sequence[Factor]) -> Array:
    """Return a pivot near the means of all rows: an integer if those of all parts are."""
    near = [part.count * part.pivot + part.triangle[0, 0] * part.triangle[0, 1:] for part in parts]
    total = sum(part.count for part in parts)
    if total == 0:
        return parts[0].pivot
    mean = np.sum(near, axis=0) / total
    pivots = np.array([part.pivot for part in parts])
    return np.asarray(np.where((pivots == np.rint(pivots)).all(axis=0), np.rint(mean), mean))
