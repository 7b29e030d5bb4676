"""What a server may not ask of rows, and rotations that only their owner can undo."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.statistics import (
    BadCells,
    ChangeNorms,
    CoarseDistances,
    DonorMeans,
    GapMask,
    IncompleteColumns,
    PairDistances,
    Partial,
    RowDistances,
    RowFactor,
    TargetRows,
)
from fedps.statistics.aligned.rotation import rotated
from fedps.statistics.aligned.row_distances import distances_to_all_rows


class Ones:
    """A part of a model that gives two numbers a row."""

    def partial(self, rows):
        return np.ones((len(rows), 2))


def block(table, y=None, **more):
    table = np.asarray(table, dtype=float)
    return TableBlock(table, Chunk(table, y), **more)


TABLE = np.arange(12.0).reshape(4, 3)
Y = np.arange(4.0)


def answer(statistic, some):
    return statistic.update(statistic.empty(some.width), some)


BAD = [
    (RowDistances(np.array([4])), block(TABLE), "aligned"),
    (RowDistances(np.array([-1])), block(TABLE), "aligned"),
    (RowDistances(np.array([0.0])), block(TABLE), "aligned"),
    (RowDistances(np.array([[0]])), block(TABLE), "aligned"),
    (RowDistances(np.zeros(2**20, dtype=np.int64)), block(TABLE), "too large"),
    (RowDistances(np.array([0])), block(TABLE * 1e200), "range"),
    (RowDistances(np.array([0]), None), block(TABLE * np.nan), "missing"),
    (RowDistances(np.array([0])), block(TABLE + np.inf), "infinity"),
    (CoarseDistances(np.array([4])), block(TABLE), "aligned"),
    (CoarseDistances(np.array([0.0])), block(TABLE), "aligned"),
    (CoarseDistances(np.zeros(2**20, dtype=np.int64)), block(TABLE), "too large"),
    (CoarseDistances(np.array([0])), block(TABLE * 1e200), "range"),
    (CoarseDistances(np.array([0]), 1.0), block(TABLE * np.nan), "missing"),
    (PairDistances(np.array([0]), np.array([4])), block(TABLE), "aligned"),
    (PairDistances(np.array([-1]), np.array([0])), block(TABLE), "aligned"),
    (PairDistances(np.array([0]), np.array([0, 1])), block(TABLE), "aligned"),
    (PairDistances(np.array([0]), np.array([1.0])), block(TABLE), "aligned"),
    (PairDistances(*[np.zeros(2**21, dtype=np.int64)] * 2), block(TABLE), "too large"),
    (PairDistances(np.array([0]), np.array([1])), block(TABLE * 1e200), "range"),
    (PairDistances(np.array([0]), np.array([1]), None), block(TABLE * np.nan), "missing"),
    (RowFactor(), block(TABLE * np.nan), "missing"),
    (RowFactor(True, 1.0), block(TABLE * np.nan), "missing"),
    (RowFactor(), block(TABLE + np.inf), "infinity"),
    (RowFactor(), block(TABLE * 1e200), "range"),
    (GapMask(1.0), block(TABLE * np.nan), "missing"),
    (IncompleteColumns(), block(TABLE + np.inf), "infinity"),
    (Partial(0, 2**40), block(TABLE, part=Ones()), "too large"),
    (Partial(3, 3), block(TABLE, part=Ones()), "too large"),
    (Partial(0, 3, 1), block(TABLE, part=Ones()), "aligned"),
    (Partial(0, 3, 2), block(TABLE), "no model"),
    (TargetRows(), block(TABLE, np.array(["a", "b", "c", "d"], dtype=object)), "text target"),
    (TargetRows(), block(TABLE, Y * np.nan), "missing target"),
    (ChangeNorms(True, 1), block(TABLE), "journal"),
    (ChangeNorms(True, 1), block(TABLE, given=np.zeros((2, 3))), "aligned"),
    (ChangeNorms(True, 1), block(TABLE, given=np.zeros((1, 4))), "aligned"),
    (ChangeNorms(True, 1), block(TABLE, given=np.full((1, 3), np.nan)), "aligned"),
    (ChangeNorms(True, 1), block(TABLE, given=np.zeros((1, 3), dtype=object)), "aligned"),
    (DonorMeans(1), block(TABLE, Y), "journal"),
    (DonorMeans(1), block(TABLE, Y, given=np.zeros((1, 1, 1))), "aligned"),
    (DonorMeans(1), block(TABLE, Y, given=np.zeros((2, 2, 1))), "aligned"),
    (DonorMeans(1), block(TABLE, Y, given=np.full((2, 1, 1), 4.0)), "aligned"),
    (DonorMeans(1), block(TABLE, Y, given=np.full((2, 1, 1), 0.5)), "aligned"),
    (DonorMeans(1), block(TABLE, Y, given=np.full((2, 1, 1), -1.0)), "aligned"),
    (DonorMeans(1), block(TABLE, Y, given=np.full((2, 1, 1), np.nan)), "aligned"),
    (DonorMeans(1), block(TABLE, Y, given=np.zeros((2, 1, 1))), "range"),
]


@pytest.mark.parametrize(
    ("statistic", "some", "rule"),
    BAD,
    ids=[f"{type(case[0]).__name__}-{case[2]}-{i}" for i, case in enumerate(BAD)],
)
def test_what_may_not_be_asked(statistic, some, rule):
    with pytest.raises(BadCells) as caught:
        answer(statistic, some)
    assert caught.value.rule == rule


@pytest.mark.parametrize("statistic", [RowFactor(), GapMask(), RowDistances(np.array([0]))])
def test_sparse_tables_are_not_taken(statistic):
    table = sparse.csr_array(TABLE)
    with pytest.raises(BadCells) as caught:
        answer(statistic, TableBlock(table, Chunk(table)))
    assert caught.value.rule == "sparse"


@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (5, 5), (1, 3), (3, 1), (6, 0), (1, 1)])
@pytest.mark.parametrize("centred", [True, False])
def test_a_rotation_keeps_lengths_and_angles(shape, centred):
    columns = np.random.default_rng(0).normal(size=shape) + 3
    found = rotated(columns, centred=centred)
    rest = columns - (columns.mean(axis=0) if centred else 0)
    assert found.cells.shape == (shape[0], min(shape))
    np.testing.assert_allclose(found.cells @ found.cells.T, rest @ rest.T, atol=1e-12)
    np.testing.assert_allclose(found.cells @ found.rotation.T + found.means, columns, atol=1e-12)
    again = rotated(np.asfortranarray(columns), centred=centred)
    np.testing.assert_array_equal(again.rotation, found.rotation)


def test_equal_rows_and_columns_turn_the_same_again():
    columns = np.kron(np.array([[1.0, 1], [1, -1], [1, 1]]), np.eye(3))
    for table in (columns, columns.T.copy(), np.zeros((4, 2)), np.zeros((2, 4))):
        one, other = rotated(table, centred=True), rotated(table + 0.0, centred=True)
        np.testing.assert_array_equal(one.rotation, other.rotation)
        np.testing.assert_allclose(one.cells @ one.rotation.T + one.means, table, atol=1e-12)


def test_other_cells_are_turned_otherwise():
    columns = np.random.default_rng(0).normal(size=(9, 4))
    changed = columns.copy()
    changed[0, 0] += 1e-9
    one, other = (rotated(table, centred=True).rotation for table in (columns, changed))
    assert np.abs(one - other).max() > 0.1


@pytest.mark.parametrize("size", [1e-100, 1e-8, 1.0, 1e100])
def test_rough_distances_bound_exact_ones(size):
    rng = np.random.default_rng(1)
    columns = rng.standard_cauchy((60, 5)) ** 3
    columns[rng.random(columns.shape) < 0.2] = np.nan
    columns[3] = columns[4]
    rows = np.arange(0, 60, 2)
    exact = sum(
        distances_to_all_rows(own, np.isnan(own), rows) for own in np.split(columns, [1, 3], axis=1)
    )
    statistic = CoarseDistances(rows)
    parts = [answer(statistic, block(own * size)) for own in np.split(columns, [1, 3], axis=1)]
    whole = statistic.merge(statistic.merge(*parts[:2]), parts[2])
    found = statistic.result(whole)
    unit = whole.tops.sum() / size**2
    assert (found.low * unit * (1 - 1e-6) <= exact).all()
    assert (exact <= (found.low * found.stretch + found.extra) * unit).all()
    assert (found.low[exact > found.extra * unit * 4] > 0).all()


def test_cells_too_small_to_be_squared_are_all_equally_far():
    statistic = CoarseDistances(np.array([0, 1]))
    found = statistic.result(answer(statistic, block(TABLE * 1e-200)))
    assert (found.low == 0).all()
