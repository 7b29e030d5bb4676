"""Columns sorted by buckets are sorted as NumPy sorts them, whatever is in them."""

from __future__ import annotations

import numpy as np
import pytest

from fedps.client.tables.cells.sorted_lines import sort_lines

ROWS = 10_000
RNG = np.random.default_rng(0)
COLUMNS = {
    "normal": RNG.normal(size=ROWS),
    "equal": np.ones(ROWS),
    "two": RNG.integers(0, 2, ROWS).astype(float),
    "repeated": RNG.normal(size=ROWS).round(1),
    "heavy tails": RNG.standard_cauchy(ROWS) ** 3,
    "far apart": np.where(np.arange(ROWS) % 2, 1e300, -1e300) * RNG.random(ROWS),
    "close together": 1.0 + np.spacing(1.0) * RNG.integers(0, 40, ROWS),
    "tiny": 5e-324 * RNG.integers(0, 9, ROWS),
    "gaps": np.where(RNG.random(ROWS) < 0.1, np.nan, RNG.normal(size=ROWS)),
    "infinite": np.where(RNG.random(ROWS) < 0.1, np.inf, RNG.normal(size=ROWS)),
    "sorted": np.arange(ROWS, dtype=float),
    "falling": -np.arange(ROWS, dtype=float),
    "zeros of both signs": np.where(np.arange(ROWS) % 2, 0.0, -0.0) * RNG.random(ROWS),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rows", [0, 1, 300, ROWS])
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_as_numpy_sorts(rows, dtype):
    lines = np.array([column[:rows] for column in COLUMNS.values()]).astype(dtype)
    expected = np.sort(lines, axis=1)
    sort_lines(lines)
    np.testing.assert_array_equal(lines, expected)
