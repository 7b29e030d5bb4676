"""Suppression: no hidden count can be computed, by linear programs over all that is shown."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from fedps.statistics.categories import suppression
from fedps.statistics.categories.suppression import suppressed

TABLES, AT_ONCE = 1000, 50


def random_table(rng):
    """Return a table from 1 x 2 to 8 x 8, from sparse to dense, and what is small in it."""
    shape = int(rng.integers(1, 9)), int(rng.integers(1, 9))
    shape = (1, 2) if shape == (1, 1) else shape
    sizes = rng.exponential(size=(shape[0], 1)) * rng.exponential(size=(1, shape[1]))
    counts = rng.poisson(sizes * rng.choice([3, 9, 20, 90]))
    if rng.random() < 0.4:
        counts[rng.random(shape) < rng.choice([0.2, 0.5, 0.8])] = 0
    return counts, int(rng.choice([2, 3, 5, 10]))


class Known:
    """What is known of a table of which some is hidden, as equations of its hidden cells."""

    def __init__(self, counts, hidden):
        self.counts, self.mask = counts, hidden.cells
        lines = [np.eye(len(counts))[~hidden.rows][:, :, None] * np.ones(counts.shape[1])]
        lines += [np.eye(counts.shape[1])[~hidden.columns][:, None, :] * np.ones((len(counts), 1))]
        lines += [np.ones((0 if hidden.total else 1, *counts.shape))]
        sums = np.concatenate(lines)
        self.left = sums[:, self.mask]
        self.right = self.left @ counts[self.mask]

    def most(self, cells, sign=1):
        """Return the largest sum that some hidden cells can have; with -1, the smallest."""
        wanted = -sign * cells[self.mask].astype(float)
        found = linprog(wanted, A_eq=self.left, b_eq=self.right, method="highs")
        assert found.status in (0, 3)
        return sign * (np.inf if found.status == 3 else -found.fun)


def stays_hidden(counts, least):
    """Check all that the docstring promises, and return the cells of rows and columns that are not rare."""
    hidden = suppressed(counts, least)
    rare = counts.sum(axis=1) < least, counts.sum(axis=0) < least
    small = (counts > 0) & (counts < least)
    assert hidden.cells[small].all()
    assert hidden.cells[rare[0]].all()
    assert hidden.cells[:, rare[1]].all()
    if not hidden.cells.any():
        assert not any(np.any(mask) for mask in hidden)
        return hidden, ~small
    known = Known(counts, hidden)
    named = ~rare[0][:, None] & ~rare[1]
    for at in np.argwhere(hidden.cells & named).tolist():
        cell = np.zeros(counts.shape, dtype=bool)
        cell[tuple(at)] = True
        count = counts[tuple(at)]
        most = known.most(cell)
        if small[tuple(at)]:
            assert most >= least - 1e-7
        elif most < count + 1e-7:
            assert known.most(cell, -1) < count - 1e-7
    for cells in together(counts.shape, rare):
        if 0 < counts[cells].sum() < least:
            assert known.most(cells) >= least - 1e-7
    return hidden, named


def together(shape, rare):
    """Yield the cells of all rare rows in a column, of all rare columns in a row, and of both."""
    rows, columns = rare[0][:, None], rare[1][None, :]
    everywhere = np.ones(shape, dtype=bool)
    yield everywhere & rows & columns
    for j in np.flatnonzero(~rare[1]):
        yield rows & (np.arange(shape[1]) == j)
    for i in np.flatnonzero(~rare[0]):
        yield columns & (np.arange(shape[0]) == i)[:, None]


@pytest.mark.parametrize("start", range(0, TABLES, AT_ONCE))
def test_no_hidden_count_can_be_computed(start):
    for seed in range(start, start + AT_ONCE):
        stays_hidden(*random_table(np.random.default_rng(seed)))


def test_not_much_more_is_hidden_than_needed():
    shares = []
    for seed in range(TABLES):
        counts, least = random_table(np.random.default_rng(seed))
        hidden = suppressed(counts, least).cells
        named = np.ix_(counts.sum(axis=1) >= least, counts.sum(axis=0) >= least)
        small = (counts[named] > 0) & (counts[named] < least)
        if small.any():
            # a simple way, for comparison: the row and the column of each small cell
            lines = small.any(axis=1)[:, None] | small.any(axis=0)
            shares.append([small.mean(), hidden[named].mean(), lines.mean()])
    needed, found, simple = np.mean(shares, axis=0)
    assert len(shares) > TABLES / 2
    assert needed < found < simple
    assert found < 2 * needed


@pytest.mark.parametrize("counts", [[[3]], [[3, 20]], [[3, 0], [0, 3]], [[1, 1, 1]], [[4], [9]]])
def test_where_cells_are_not_enough_totals_are_hidden(counts):
    hidden, _ = stays_hidden(np.array(counts), 5)
    assert hidden.columns.any() or hidden.rows.any()


@pytest.mark.parametrize("least", [0, 1, 5])
def test_large_counts_and_zeros_stay(least):
    counts = np.array([[5, 0, 7], [0, 90, 5]])
    assert not any(np.any(hidden) for hidden in suppressed(counts, least))
    nothing = suppressed(np.zeros((0, 3), dtype=int), least)
    assert nothing.cells.shape == (0, 3)


def test_whole_tables_are_hidden_where_it_would_take_long(monkeypatch):
    monkeypatch.setattr(suppression, "_MOST_WORK", 8)
    hidden = suppressed(np.array([[20, 3, 40], [30, 25, 50], [8, 9, 70]]), 5)
    assert all(np.all(mask) for mask in hidden)
