"""Factors of rows: the same products, whatever the parts, the pivots and the order."""

from __future__ import annotations

import numpy as np
import pytest

from fedps.statistics.products.triangular_factors import centred, factor_of, joined, moved, reduced


def table(rows, width, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, width)) @ rng.normal(size=(width, width)) + 3


def products(cells, pivot, weights=None):
    rows = np.column_stack([np.ones(len(cells)), cells - pivot])
    return rows.T @ (rows if weights is None else rows * weights[:, None])


TABLES = {
    "tall": table(50, 4),
    "very tall": table(20_000, 3),
    "few rows": table(3, 6),
    "one row": table(1, 4),
    "one column": table(9, 1),
    "no rows": np.empty((0, 3)),
    "no columns": np.empty((5, 0)),
    "constant": np.full((8, 2), 0.1),
    "collinear": np.repeat(table(30, 2), 2, axis=1),
    "whole": np.arange(24).reshape(8, 3),
    "float32": table(40, 3).astype(np.float32),
}


@pytest.mark.parametrize("cells", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("weighted", [False, True])
def test_products(cells, weighted):
    weights = np.random.default_rng(1).integers(0, 4, len(cells)) / 2 if weighted else None
    factor = factor_of(cells, weights)
    assert factor.count == (weights.sum() if weighted else len(cells))
    assert factor.triangle.shape == (min(len(cells), cells.shape[1] + 1), cells.shape[1] + 1)
    np.testing.assert_array_equal(factor.triangle, np.triu(factor.triangle))
    expected = products(cells.astype(float), factor.pivot, weights)
    found = factor.triangle.T @ factor.triangle
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * expected.max(initial=0))


@pytest.mark.parametrize("cells", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("cuts", [[], [1], [0, 2, 2, 5]])
def test_joined_and_centred(cells, cuts):
    parts = [factor_of(part) for part in np.split(cells, cuts)]
    means, below = centred(joined(parts))
    if len(cells) == 0:
        assert np.isnan(means).all()
        assert len(below) == 0
        return
    np.testing.assert_allclose(means, cells.mean(axis=0, dtype=float), rtol=1e-14)
    away = cells - cells.mean(axis=0, dtype=float)
    expected = away.T @ away
    found = below.T @ below
    scale = max(expected.max(initial=0), 1e-18)  # a rounded mean leaves noise of a constant
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * scale)


def test_far_from_zero_nothing_is_lost():
    cells = table(90, 3)
    cells -= cells.mean(axis=0)
    cells = np.rint(cells * 2**20) / 2**20  # so that the offset is exact
    parts = [factor_of(part + 2.0**30) for part in np.split(cells, [20, 21])]
    _, below = centred(joined(parts))
    away = cells - cells.mean(axis=0)
    np.testing.assert_allclose(below.T @ below, away.T @ away, rtol=1e-13, atol=1e-12)


def test_moving_there_and_back():
    factor = factor_of(table(30, 4))
    there = moved(factor, np.array([10.0, -5, 0, 1e3]))
    np.testing.assert_array_equal(there.triangle, np.triu(there.triangle))
    np.testing.assert_allclose(
        moved(there, factor.pivot).triangle, factor.triangle, rtol=1e-12, atol=1e-11
    )


def test_a_triangle_is_found_again():
    rows = table(7, 4)
    triangle = reduced(rows)
    np.testing.assert_allclose(reduced(triangle), triangle, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(reduced(rows[::-1]), triangle, rtol=1e-12, atol=1e-12)
    assert (np.diagonal(triangle) >= 0).all()


def test_weights_of_nothing():
    factor = factor_of(table(5, 2), np.zeros(5))
    assert factor.count == 0
    means, below = centred(joined([factor, factor]))
    assert np.isnan(means).all()
    assert below.shape == (0, 2)
    rest = factor_of(table(5, 2, seed=3))
    np.testing.assert_allclose(centred(joined([factor, rest]))[0], centred(rest)[0], rtol=1e-14)
