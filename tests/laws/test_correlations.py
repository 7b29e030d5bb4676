"""CoMoments: correlations and variance inflation factors, beside pandas and exact numbers, and under limits."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.statistics import BadCells, CoMoments, Disclosure, Limits, in_order
from fedps.statistics.limits import OPEN

ASKED = CoMoments()
ROWS = 900


def sent(*blocks, limits=OPEN):
    """Return what a client sends of some blocks of rows."""
    summary = ASKED.empty(blocks[0].shape[1])
    for cells in blocks:
        summary = ASKED.update(summary, TableBlock(cells, Chunk(cells, None)))
    summary = ASKED.compact(summary, limits)
    ASKED.check(summary, blocks[0].shape[1], sum(cells.shape[0] for cells in blocks))
    return summary


def found(cells):
    """Return the correlations of three clients, of which one reads two blocks."""
    one, two, three, four = np.split(cells, [200, 350, 700])
    return ASKED.result(ASKED.merge_all([sent(one), sent(two, three), sent(four)]))


def exact(cells):
    """Return pairwise correlations in extended precision."""
    wide = cells.astype(np.longdouble)
    matrix = np.full((cells.shape[1],) * 2, np.nan)
    for i, j in np.ndindex(matrix.shape):
        both = wide[~np.isnan(wide[:, [i, j]]).any(axis=1)][:, [i, j]]
        if len(both) > 1:
            off = both - both[0]
            x, y = (off - off.mean(axis=0)).T
            if (x @ x) * (y @ y) > 0:
                matrix[i, j] = (x @ y) / np.sqrt((x @ x) * (y @ y))
    return matrix


def inflation(cells):
    """Return 1 / (1 - R²) of a regression of each column on the others and a constant."""
    rows = cells[~np.isnan(cells).any(axis=1)] / np.nanstd(cells, axis=0)
    factors = []
    for j in range(rows.shape[1]):
        others = np.column_stack([np.ones(len(rows)), np.delete(rows, j, axis=1)])
        y = rows[:, j]
        rest = y - others @ np.linalg.lstsq(others, y, rcond=None)[0]
        factors.append(((y - y.mean()) ** 2).sum() / (rest @ rest))
    return np.array(factors)


def table(seed=0):
    rng = np.random.default_rng(seed)
    cells = rng.normal(size=(ROWS, 5))
    cells[:, 4] += cells[:, 0] - 0.5 * cells[:, 1]
    return cells


def with_gaps(cells, share=0.2, seed=1):
    gone = np.random.default_rng(seed).random(cells.shape) < share
    return np.where(gone, np.nan, cells)


def sites():
    """Clients with very different means."""
    cells = table()
    cells[:200] += 1e9
    cells[700:] -= 1e6
    return cells


def far_pairs():
    """Columns whose rows that another column has lie far from all their others."""
    cells = table()
    cells[::2, 0] += 1e9
    cells[::2, 1] = cells[1::2, 3] = np.nan
    return cells


TABLES = {
    "plain": table(),
    "gaps": with_gaps(table()),
    "far from zero": table() + 1e9,
    "gaps far from zero": with_gaps(table() + 1e9),
    "tiny": table() * 1e-60,
    "tiny beside": with_gaps(table() * 1e-4 + 1e9),
    "large": table() * 1e130,
    "sites": sites(),
    "gaps and sites": with_gaps(sites()),
    "far pairs": far_pairs(),
    "nearly all gone": with_gaps(table(), 0.97),
}


@pytest.mark.parametrize("name", TABLES)
def test_equal_to_exact_correlations(name):
    cells = TABLES[name]
    result = found(cells)
    known = (~np.isnan(cells)).astype(int)
    np.testing.assert_array_equal(result.counts, known.T @ known)
    np.testing.assert_allclose(result.correlation, exact(cells), rtol=0, atol=1e-12)
    assert result.complete == int(known.all(axis=1).sum())
    assert result.correlation.tobytes() == result.correlation.T.copy().tobytes()


@pytest.mark.parametrize("name", ["plain", "gaps", "tiny", "nearly all gone"])
def test_equal_to_pandas(name):
    # far from zero pandas itself is off by up to 1e-4, which is why the test above has exact numbers
    frame = pd.DataFrame(TABLES[name])
    result = found(TABLES[name])
    np.testing.assert_allclose(result.correlation, frame.corr(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.means, frame.mean(), rtol=0, atol=1e-13)
    np.testing.assert_allclose(result.sd, frame.std(), rtol=1e-12)


@pytest.mark.parametrize("name", ["plain", "gaps", "tiny"])
def test_variance_inflation(name):
    np.testing.assert_allclose(found(TABLES[name]).vif, inflation(TABLES[name]), rtol=1e-12)


def test_constant_and_determined_columns():
    cells = table()
    cells[:, 2] = 0.1
    cells[:, 4] = cells[:, 0] - 3 * cells[:, 1]
    result = found(cells)
    np.testing.assert_array_equal(
        np.isnan(result.correlation), np.isnan(pd.DataFrame(cells).corr())
    )
    np.testing.assert_array_equal(np.diagonal(result.correlation), [1, 1, np.nan, 1, 1])
    np.testing.assert_allclose(result.vif[3], inflation(cells[:, [0, 1, 3]])[2], rtol=1e-12)
    assert np.isinf(result.vif[[0, 1, 4]]).all()
    assert np.isnan(result.vif[2])


def test_constant_where_both_are_there():
    cells = with_gaps(table(), 0.3)
    cells[~np.isnan(cells[:, 0]), 1] = 0.3
    cells[5:, 3] = np.nan
    matrix = found(cells).correlation
    np.testing.assert_array_equal(np.isnan(matrix), np.isnan(pd.DataFrame(cells).corr()))
    assert np.isnan(matrix[0, 1])
    assert not np.isnan(matrix[1, 2])


def test_nothing_and_one_row():
    nothing = ASKED.result(ASKED.empty(2))
    assert nothing.complete == 0
    assert np.isnan([*nothing.correlation.ravel(), *nothing.vif, *nothing.means, *nothing.sd]).all()
    one = ASKED.result(sent(np.array([[1.0, 2.0]])))
    assert one.means.tolist() == [1.0, 2.0]
    assert np.isnan([*one.correlation.ravel(), *one.vif, *one.sd]).all()


@pytest.mark.parametrize(
    "as_table",
    [
        sparse.csr_array,
        sparse.csc_matrix,
        lambda cells: cells.astype(np.float32),
        lambda cells: cells.astype(np.int64),
        pd.DataFrame,
        lambda cells: cells > 0,
    ],
)
def test_containers(as_table):
    cells = np.rint(table() * 3)
    given = as_table(cells)
    dense = given.toarray() if sparse.issparse(given) else np.asarray(given)
    expected = pd.DataFrame(dense.astype(float)).corr()
    result = ASKED.result(sent(given))
    np.testing.assert_allclose(result.correlation, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("cell", "rule"), [(np.inf, "infinity"), (-1e150, "range")])
def test_refused_cells(cell, rule):
    cells = with_gaps(table())
    cells[7, 3] = cell
    with pytest.raises(BadCells) as caught:
        sent(cells)
    assert (caught.value.rule, caught.value.position) == (rule, 3)


def test_other_orders_of_columns_are_merged():
    cells = with_gaps(table())
    order = [3, 0, 4, 1, 2]
    back = np.argsort(order).tolist()
    parts = [sent(cells[:300]), in_order(sent(cells[300:][:, order]), back)]
    merged = reduce(ASKED.merge, parts)
    np.testing.assert_allclose(ASKED.result(merged).correlation, exact(cells), rtol=0, atol=1e-12)


def limits(least=10, share=0.5):
    return Limits(Disclosure.AGGREGATE, share, rows=least)


def test_pairs_of_few_rows_are_left_out():
    cells = table()
    cells[:, 0][:-30] = np.nan  # thirty rows have it
    cells[:, 1][-25:] = np.nan  # five of which have this one, too
    cells[:, 2][:7] = np.nan  # all but seven have this one
    under = limits()
    summary = sent(cells, limits=under)
    counts = ASKED.result(summary).counts
    shown = np.ones((5, 5), dtype=bool)
    shown[0, 1] = shown[1, 0] = False  # five rows
    shown[2, 3:] = shown[3:, 2] = False  # seven rows of 3 and 4 lack it
    shown[2, 1] = shown[1, 2] = False  # and of 1
    known = (~np.isnan(cells)).astype(int)
    np.testing.assert_array_equal(counts, np.where(shown, known.T @ known, 0))
    assert ASKED.result(summary).complete == 0
    assert {less.position for less in under.less} == {0, 1, 2, 3, 4}
    assert {less.rule for less in under.less} == {"min_rows", "max_share of products"}
    told = summary.told(5)
    assert told.tolist() == (3 * shown.sum(axis=0)).tolist()


def test_complete_rows_next_to_all_rows_are_left_out():
    cells = table()
    cells[:40, 0] = cells[40:80, 1] = np.nan
    assert ASKED.result(sent(cells, limits=limits())).complete == ROWS - 80
    cells[80:85, 2] = np.nan  # five rows have 0 and 1, and are not complete
    under = limits()
    result = ASKED.result(sent(cells, limits=under))
    assert result.complete == 0
    assert result.counts[0, 1] == ROWS - 80
    assert np.isnan(result.vif).all()
    assert under.less


def test_too_many_columns_for_the_rows():
    cells = table()[:11]
    under = limits(5)
    summary = sent(cells, limits=under)
    assert {less.rule for less in under.less} == {"max_share of products"}
    assert summary.columns_per_row() == 0
    assert summary.cells.tolist() == [11] * 5
    assert summary.told(5).tolist() == [0] * 5
    others = ASKED.merge_all([summary, sent(table(2))])
    assert ASKED.result(others).complete == ROWS
    enough = sent(table()[:12], limits=limits(5))
    assert enough.columns_per_row() == 0.5
    assert enough.told(5).tolist() == [6] * 5
