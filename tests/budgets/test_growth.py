"""The paper's theorem on Bayesian regression, rows split: a client sends O(m min(n, m)) numbers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import BayesianRidge

import fedps

ROWS = (2, 8, 32, 128, 512)
COLUMNS = (1, 4, 16, 64)
NUMBER = 8  # bytes


def upload(rows, width, clients=2):
    """Return what one client uploads, its schema included."""
    rng = np.random.default_rng(0)
    tables = [(rng.normal(size=(rows, width)), rng.normal(size=rows)) for _ in range(clients)]
    federation = fedps.Federation(tables, progress=False)
    federation.fit(BayesianRidge())
    assert federation.run.rounds == 1
    return max(federation.run.bytes_up.values())


@pytest.mark.parametrize("width", COLUMNS)
@pytest.mark.parametrize("rows", ROWS)
def test_bytes_are_those_of_the_triangle(rows, width):
    """Column j of [1, X, y] has min(j + 1, n) numbers, and each but the ones a pivot."""
    numbers = sum(min(j + 2, rows) for j in range(width + 1)) + width + 1
    found = upload(rows, width)
    assert 0.85 * NUMBER * numbers <= found <= NUMBER * numbers + 2 * width + 90


@pytest.mark.parametrize("width", COLUMNS)
@pytest.mark.parametrize("rows", ROWS)
def test_growth(rows, width):
    """It is m min(n, m) numbers but for a factor, the ones and the target; more rows add nothing."""
    found = upload(rows, width)
    assert found >= 0.85 * NUMBER * width * min(rows, width) / 2
    assert found <= NUMBER * (width + 2) * (min(rows, width + 2) + 1) + 100
    if rows > width + 2:
        assert upload(4 * rows, width) == pytest.approx(found, rel=0.05, abs=8)


def test_more_clients_send_no_more_each():
    assert upload(100, 10, clients=20) == pytest.approx(upload(100, 10), abs=12)
