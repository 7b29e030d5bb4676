"""IterativeImputer: how many rounds, what is refused, and what a server may not ask."""

import msgspec
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import IterativeImputer
from sklearn.linear_model import ARDRegression, Lasso, LassoLars, LinearRegression, Ridge, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.errors import ClientError, NotFederated, Refused, UsageError
from fedps.statistics import BadCells, Changes, Completed, Disclosure, Limits, Patterns
from fedps.statistics.products.condensed_rows import condense, condense_together
from fedps.statistics.products.imputation import Imputation

NAN, INF = float("nan"), float("inf")


def table(rows=400, width=4, gaps=(0, 1), share=0.1, seed=0):
    """Columns that follow from one another, with gaps in some of them."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(rows, 1)) * rng.normal(size=width)
    cells = common + rng.normal(size=(rows, width)) / 2 + 5
    for j in gaps:
        cells[rng.random(rows) < share, j] = np.nan
    return cells


def federation(cells, clients=2, **options):
    return fedps.Federation(np.array_split(cells, clients), **options)


def rounds(imputer, cells, **options):
    """Fit, and return how many rounds that took; the cells must be those of the pooled fit."""
    fed = federation(cells, **options)
    found = fed.fit(imputer).transform(cells)
    np.testing.assert_allclose(found, imputer.fit(cells).transform(cells), rtol=1e-9)
    return fed.run.rounds


# Rounds ---------------------------------------------------------------------------------------


def test_two_rounds():
    cells = table(gaps=(0, 1, 2), share=0.2)
    assert {rounds(IterativeImputer(tol=10.0**-k), cells) for k in range(2, 7)} == {1, 2}


def test_one_round_where_no_change_is_possible_after_the_first_sweep():
    assert rounds(IterativeImputer(), table(gaps=(1,))) == 1
    assert rounds(IterativeImputer(), table(gaps=())) == 1


@pytest.mark.filterwarnings("ignore:.*Early stopping criterion not reached")
def test_one_round_where_nothing_is_to_stop_it():
    assert rounds(IterativeImputer(tol=0, max_iter=4), table()) == 1
    assert rounds(IterativeImputer(max_iter=0), table()) == 1
    assert rounds(IterativeImputer(), table(width=1, gaps=(0,))) == 1


def test_bounds_that_hold_nothing_back_cost_nothing():
    assert rounds(IterativeImputer(min_value=-1e3, tol=1e-4), table()) == 2


@pytest.mark.filterwarnings("ignore:.*Early stopping criterion not reached")
def test_a_round_per_imputed_column_and_sweep_otherwise():
    # two of four columns have gaps; the regressions of the others ride along
    strict = fedps.Policy(min_rows=5, max_share=0.33)
    for order in ("ascending", "descending", "roman", "arabic"):
        imputer = IterativeImputer(max_iter=3, tol=1e-9, imputation_order=order)
        # the last round says whether to warn, beside the regressions of complete columns that come last
        assert rounds(imputer, table(), policy=strict) == 1 + 2 * 3 + 1


def test_steps_go_on_from_where_a_bound_held_a_cell_back():
    cells = table()
    high = np.nanquantile(cells[:, 0], 0.9)
    imputer = IterativeImputer(max_value=[high, INF, INF, INF], tol=1e-4)
    assert 2 < rounds(imputer, cells) <= 2 + 2 * 10 + 1


def test_bounds_that_are_a_series():
    bounds = pd.Series([0.0, 0, -INF, -INF])
    pipeline = make_pipeline(IterativeImputer(min_value=bounds), StandardScaler())
    cells = table()
    found = federation(cells).fit(pipeline).transform(cells)
    np.testing.assert_allclose(found, pipeline.fit(cells).transform(cells), rtol=1e-9)


def test_says_that_it_did_not_converge():
    with pytest.warns(ConvergenceWarning, match="Early stopping criterion not reached"):
        federation(table()).fit(IterativeImputer(tol=1e-12, max_iter=2))


def test_explain():
    said = " ".join(str(federation(table()).explain(IterativeImputer())).split())
    assert "rows with the same" in said
    assert "a round for each column with missing cells" in said


@pytest.mark.filterwarnings("ignore:.*Early stopping criterion not reached")
def test_every_row_with_gaps_of_its_own():
    cells = table(2000, 12, gaps=range(12), share=0.5)
    assert rounds(IterativeImputer(max_iter=1, tol=0), cells) == 1


# Refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("imputer", "says"),
    [
        (IterativeImputer(sample_posterior=True), "draws a number for each missing cell"),
        (IterativeImputer(RandomForestRegressor()), "on the rows themselves, and they stay"),
        (IterativeImputer(RidgeCV()), "on the rows themselves, and they stay"),
        (IterativeImputer(LassoLars()), "which of several alike comes first"),
        (IterativeImputer(Ridge(positive=True)), "Use positive=False: that is solved exactly"),
        (IterativeImputer(Ridge(solver="sag")), "Use solver='auto' or 'svd' or 'cholesky'"),
        (IterativeImputer(DummyRegressor(strategy="median")), "needs quantiles"),
        (IterativeImputer(DummyRegressor(strategy="quantile", quantile=0.2)), "needs quantiles"),
    ],
)
def test_what_has_no_federated_form(imputer, says):
    with pytest.raises(NotFederated, match=says):
        federation(table()).fit(imputer)


@pytest.mark.parametrize(
    ("imputer", "says"),
    [
        (IterativeImputer(missing_values="?"), "is for numbers"),
        (IterativeImputer(initial_strategy="constant", fill_value="?"), "is not a finite number"),
        (IterativeImputer(initial_strategy="constant", fill_value=NAN), "is not a finite number"),
        (IterativeImputer(DummyRegressor(strategy="constant")), "imputes no number"),
        (
            IterativeImputer(DummyRegressor(strategy="constant", constant=[1, 2])),
            "imputes no number",
        ),
        (IterativeImputer(Lasso(precompute=np.eye(3))), "has one for each column"),
        (IterativeImputer(min_value=[1, 2]), "has 2 numbers and the table 4 columns"),
        (IterativeImputer(min_value=3, max_value=3), "must be below max_value"),
    ],
)
def test_mistakes(imputer, says):
    with pytest.raises(UsageError, match=says):
        federation(table()).fit(imputer)


@pytest.mark.parametrize(
    ("cell", "imputer", "says"),
    [
        (INF, IterativeImputer(), "infinite"),
        (1e200, IterativeImputer(), "too large to square"),
        (NAN, IterativeImputer(missing_values=-1), "missing values"),
    ],
)
def test_cells_that_cannot_be_imputed_from(cell, imputer, says):
    cells = table(gaps=())
    cells[7, 2] = cell
    with pytest.raises(ClientError, match=says):
        federation(cells).fit(imputer)


def test_numbers_that_are_too_large_together():
    with pytest.raises(UsageError, match="Scale them first"):
        federation(table() * [1e-160, 1e148, 1, 1]).fit(IterativeImputer())
    with pytest.raises(ClientError, match="too large to square"):
        federation(table() * 1e149).fit(IterativeImputer())


def test_sparse_tables():
    with pytest.raises(ClientError, match="sparse"):
        fedps.fit(IterativeImputer(), [sparse.csr_matrix(table(gaps=()))])


def test_few_gaps_in_a_column():
    cells = table()
    cells[0, 2] = np.nan  # a pattern of one row: that goes by steps, over all rows with the column
    careful = federation(cells, policy=fedps.Policy(min_rows=5, min_count=0, budget=None))
    found = careful.fit(IterativeImputer())
    assert careful.run.rounds > 2
    expected = IterativeImputer().fit(cells)
    np.testing.assert_allclose(found.transform(cells), expected.transform(cells), rtol=1e-6)


@pytest.mark.parametrize(("gaps", "least"), [(4, 5), (5, 5), (5, 6)])
def test_rows_with_gaps_are_not_told_apart_if_they_are_few(gaps, least):
    cells = table()
    cells[:gaps, 2] = np.nan  # all rows less those with the column are so many
    policy = fedps.Policy(min_rows=5, min_count=least, budget=None)
    if gaps >= least:
        federation(cells, policy=policy).fit(IterativeImputer())
        return
    with pytest.raises(Refused, match="missing cells in each column that is imputed, or none"):
        federation(cells, policy=policy).fit(IterativeImputer())


def test_few_cells_in_a_column():
    cells = table()
    cells[4:, 2] = np.nan
    with pytest.raises(Refused, match="needs 5 values in a column and there are fewer"):
        federation(cells, policy=fedps.Policy(min_rows=5)).fit(IterativeImputer())


def test_more_columns_than_a_policy_has_rows_for():
    with pytest.raises(Refused, match="at most 33% as many columns as there are rows"):
        federation(table(60, 14), policy=fedps.Policy(min_rows=0, min_count=0)).fit(
            IterativeImputer()
        )


@pytest.mark.filterwarnings("ignore:.*Early stopping criterion not reached")
def test_sums_only():
    sums = fedps.Policy(level="AGGREGATE", min_rows=5)
    with pytest.raises(Refused, match="allows AGGREGATE"):
        federation(table(), policy=sums).fit(IterativeImputer())
    # without a tolerance nobody has to say how much a row changes
    assert rounds(IterativeImputer(tol=0, max_iter=2), table(), policy=sums) == 1 + 2 * 2


# What clients tell ----------------------------------------------------------------------------


def block(cells):
    return TableBlock(cells, Chunk(cells, None, None))


def told(cells, limits, statistic=None):
    statistic = statistic or Patterns()
    return statistic.compact(statistic.update(statistic.empty(4), block(cells)), limits)


@pytest.mark.parametrize(
    ("limits", "whole"),
    [
        (Limits(Disclosure.SUMMARY, 1.0, 0), True),
        (Limits(Disclosure.SUMMARY, 0.33, 20), True),
        (Limits(Disclosure.AGGREGATE, 0.33, 20), False),
        (Limits(Disclosure.SUMMARY, 0.33, 50), False),
        (Limits(Disclosure.SUMMARY, 0.05, 0), False),
    ],
)
def test_all_patterns_or_none(limits, whole):
    cells = table(gaps=())
    cells[:40, 0] = np.nan
    found = told(cells, limits)
    assert found.whole == whole
    assert len(found.counts) == 2 * whole
    assert found.rows.any() == whole
    assert found.observed.tolist() == [360, 400, 400, 400]
    assert found.largest == [np.nanmax(np.abs(cells))]


def test_no_more_than_its_bytes(monkeypatch):
    monkeypatch.setattr("fedps.statistics.products.missing_patterns.MOST_PATTERN_NUMBERS", 30)
    statistic = Patterns()
    first = statistic.update(statistic.empty(4), block(table(50, gaps=())))
    assert first.whole
    second = statistic.update(first, block(table(50)))
    assert not second.whole
    assert not statistic.update(second, block(table(50, gaps=()))).whole
    assert not statistic.merge(first, second).whole
    assert statistic.result(second).condensed is None


@pytest.mark.parametrize("width", [3, 70])
def test_condensed_rows_have_the_same_products(width):
    rng = np.random.default_rng(1)
    gaps = rng.random((300, width)) < 0.3 / width
    gaps[:5] = True
    cells = np.where(gaps, 0, rng.normal(size=gaps.shape) + 1e6)
    parts = [condense(c, g) for c, g in zip(np.split(cells, 3), np.split(gaps, 3), strict=True)]
    for rows in (condense(cells, gaps), condense_together(parts)):
        assert rows.counts.sum() == 300
        for p, (count, seen) in enumerate(zip(rows.counts, rows.seen, strict=True)):
            some = (~gaps == seen).all(axis=1)
            assert count == some.sum()
            few = np.column_stack([rows.ones, rows.rows[:, seen]])[rows.pattern == p]
            all_ = np.column_stack([np.ones(count), cells[some][:, seen] - rows.pivot[seen]])
            assert len(few) == min(count, seen.sum() + 1)
            np.testing.assert_allclose(few.T @ few, all_.T @ all_, rtol=1e-9, atol=1e-7)


# What a server may ask ------------------------------------------------------------------------

GOOD = Imputation(
    NAN,
    np.zeros(4),
    np.zeros(4),
    np.array([0, 1]),
    np.zeros((2, 4)),
    np.zeros(2),
    np.array([]),
    np.full(4, INF),
)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("pivot", np.zeros(3)),
        ("pivot", np.array([0, 1, 2, NAN])),
        ("pivot", np.zeros(4, dtype=np.float32)),
        ("start", np.array([0, 1, 2, INF])),
        ("start", np.zeros((4, 1))),
        ("columns", np.array([0, 4])),
        ("columns", np.array([0, -1])),
        ("columns", np.array([0.0, 1.0])),
        ("columns", np.array([[0, 1]])),
        ("weights", np.zeros((2, 3))),
        ("weights", np.full((2, 4), NAN)),
        ("weights", np.zeros((2, 4)).astype(object)),
        ("intercepts", np.zeros(3)),
        ("intercepts", np.array([0, -INF])),
        ("lower", np.zeros(3)),
        ("upper", np.full(4, NAN)),
    ],
)
def test_bad_imputations(field, value):
    bad = msgspec.structs.replace(GOOD, **{field: value})
    for statistic in (Completed(bad, (0,)), Changes(bad, 1)):
        with pytest.raises(BadCells, match="width"):
            statistic.empty(4)


def test_bad_groups_and_sweeps():
    for statistic in (Completed(GOOD, (4,)), Completed(GOOD, (-2,)), Changes(GOOD, 1, 3)):
        with pytest.raises(BadCells, match="width"):
            statistic.empty(4)


def test_imputations_that_explode():
    bad = msgspec.structs.replace(GOOD, weights=np.full((2, 4), 1e200))
    for statistic in (Completed(bad, (2,)), Changes(bad, 1)):
        with pytest.raises(BadCells, match="range"):
            statistic.update(statistic.empty(4), block(table()))


def test_frozen_in_a_pipeline():
    cells = table()
    for estimator in (
        None,
        LinearRegression(),
        Ridge(),
        ARDRegression(),
        DummyRegressor(),
        Lasso(),
    ):
        imputer = IterativeImputer(estimator, random_state=np.random.RandomState(0)).fit(cells)
        pipeline = make_pipeline(FrozenEstimator(imputer), StandardScaler())
        found = federation(cells).fit(pipeline).transform(cells)
        np.testing.assert_allclose(found, pipeline.fit(cells).transform(cells), rtol=1e-9)
