"""IterativeImputer across clients, and pooled."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer
from sklearn.linear_model import BayesianRidge, LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from tests.twins import partitions, tables
from tests.twins.partitions import EVERY, FEW
from tests.twins.quiet import quiet
from tests.twins.twin import check, cross, fit_pooled

CLOSE = 1e-8  # of the largest number of each attribute


def related(width=5, rows=tables.ROWS, share=0.15, seed=0):
    """Columns that follow from one another, but for noise, and miss some cells."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(rows, 2)) @ rng.normal(size=(2, width))
    cells = (common + rng.normal(size=(rows, width)) / 2) * 10.0 ** rng.integers(-1, 3, width) + 40
    gaps = rng.random((rows, width)) < share
    gaps[:, -1] = False  # one column is complete
    return pd.DataFrame(np.where(gaps, np.nan, cells), columns=list("abcdefghijklmnop")[:width])


def whole():
    return related().round().astype("Int64")


def with_markers():
    return related().fillna(-1.0)


def as_array():
    return related().to_numpy()


def as_float32():
    return related().astype(np.float32)


def complete():
    return related(share=0.0)


def collinear():
    """Two columns are the same, and one is the sum of two others."""
    table = related()
    table["f"] = table["e"]
    table["g"] = table["a"] + table["b"]
    return table


def constant():
    table = related(3)
    table["d"] = np.where(np.arange(len(table)) % 5 == 0, np.nan, 7.0)
    table["e"] = 3.0
    return table


def wide():
    """More columns than rows in which any of them is observed."""
    return related(16, 14, share=0.3)


def one_column():
    return related()[["a"]]


def nothing_at_all():
    return related(2) * np.nan


def sorted_gaps():
    """No client has a row without gaps: those of each client are in another column."""
    table = related(share=0.0)
    for k, name in enumerate("abc"):
        table.loc[table.index[k * len(table) // 3 : (k + 1) * len(table) // 3], name] = np.nan
    return table


IMPUTER = IterativeImputer(max_iter=4)
SETTINGS = {
    "default": (IterativeImputer(), related),
    "whole": (IMPUTER, whole),
    "array": (IMPUTER, as_array),
    "polars": (IMPUTER, tables.polars_numbers),
    "numbers": (IMPUTER, tables.numbers),
    "booleans": (IMPUTER, tables.booleans),
    "nullable": (IMPUTER, tables.nullable_numbers),
    "arrow": (IMPUTER, tables.arrow_numbers),
    "objects": (IMPUTER, tables.object_numbers_holes),
    "strings": (IMPUTER, tables.strings),
    "sparse": (IMPUTER, tables.csr_holes),
    "ints": (IMPUTER, tables.ints_and_floats),
    "marker": (IterativeImputer(missing_values=-1, max_iter=4), with_markers),
    "constant-columns": (IMPUTER, constant),
    "complete": (IMPUTER, complete),
    "wide": (IMPUTER, wide),
    "one-column": (IMPUTER, one_column),
    "empty": (IMPUTER, tables.empty_column),
    "empty-kept": (IterativeImputer(keep_empty_features=True, max_iter=3), tables.empty_column),
    "no-complete-row": (IMPUTER, sorted_gaps),
}
# scikit-learn's own coefficients are rounded here: by the offset, or where any combination is as good
ROUGH = {
    "offset": (IMPUTER, tables.offset_holes),
    "collinear": (IMPUTER, collinear),
}
PARAMETERS = {
    "tol-0": (IterativeImputer(tol=0, max_iter=3), related),
    "no-sweep": (IterativeImputer(max_iter=0, add_indicator=True), related),
    "one-sweep": (IterativeImputer(max_iter=1), related),
    "many-sweeps": (IterativeImputer(max_iter=60, tol=1e-9), related),
    "descending": (IterativeImputer(imputation_order="descending"), related),
    "roman": (IterativeImputer(imputation_order="roman"), related),
    "arabic": (IterativeImputer(imputation_order="arabic"), related),
    "random": (IterativeImputer(imputation_order="random", random_state=7), related),
    "random-skip": (
        IterativeImputer(imputation_order="random", random_state=7, skip_complete=True),
        related,
    ),
    "random-state": (
        IterativeImputer(imputation_order="random", random_state=np.random.RandomState(5)),
        related,
    ),
    "skip": (IterativeImputer(skip_complete=True), related),
    "skip-descending": (
        IterativeImputer(skip_complete=True, imputation_order="descending"),
        related,
    ),
    "skip-all": (IterativeImputer(skip_complete=True), complete),
    "skip-all-tol-0": (IterativeImputer(skip_complete=True, tol=0, max_iter=3), complete),
    "median": (IterativeImputer(initial_strategy="median"), related),
    "most-frequent": (IterativeImputer(initial_strategy="most_frequent"), whole),
    "constant": (IterativeImputer(initial_strategy="constant"), related),
    "fill": (IterativeImputer(initial_strategy="constant", fill_value=50.5), related),
    "fill-empty": (
        IterativeImputer(initial_strategy="constant", fill_value=1e9, max_iter=3),
        tables.empty_column,
    ),
    "fill-empty-kept": (
        IterativeImputer(
            initial_strategy="constant", fill_value=1e9, max_iter=3, keep_empty_features=True
        ),
        tables.empty_column,
    ),
    "indicator": (IterativeImputer(add_indicator=True), related),
    "indicator-empty": (IterativeImputer(add_indicator=True, max_iter=3), tables.empty_column),
    "bounds": (IterativeImputer(min_value=35, max_value=45), related),
    "bounds-far": (IterativeImputer(min_value=-1e6, max_value=1e6), related),
    "bounds-arrays": (
        IterativeImputer(
            min_value=[-np.inf, 0, 30, -np.inf, 0], max_value=[45, 80, np.inf, 1e9, 1]
        ),
        related,
    ),
    "bounds-none": (IterativeImputer(min_value=None, max_value=None), related),
    "bounds-empty": (
        IterativeImputer(min_value=[0, 0, -1, -1, -1], max_iter=3),
        tables.empty_column,
    ),
    "bounds-wrong": (IterativeImputer(min_value=[0, 1]), related),
    "bounds-crossed": (IterativeImputer(min_value=5, max_value=5), related),
    "nearest": (IterativeImputer(n_nearest_features=2, random_state=3), related),
    "nearest-random": (
        IterativeImputer(n_nearest_features=3, random_state=3, imputation_order="random"),
        related,
    ),
    "nearest-all": (IterativeImputer(n_nearest_features=9, random_state=3), related),
    "nearest-constant": (
        IterativeImputer(n_nearest_features=2, random_state=3, max_iter=3),
        constant,
    ),
    "linear": (IterativeImputer(LinearRegression()), related),
    "linear-origin": (IterativeImputer(LinearRegression(fit_intercept=False)), related),
    "linear-wide": (IterativeImputer(LinearRegression(), max_iter=2), wide),
    "ridge": (IterativeImputer(Ridge(0.3)), related),
    "ridge-origin": (IterativeImputer(Ridge(30, fit_intercept=False)), related),
    "ridge-svd": (IterativeImputer(Ridge(solver="svd")), related),
    "bayes-origin": (IterativeImputer(BayesianRidge(fit_intercept=False)), related),
    "bayes-scores": (IterativeImputer(BayesianRidge(compute_score=True), max_iter=2), related),
    "bayes-priors": (
        IterativeImputer(BayesianRidge(alpha_init=2, lambda_init=0.1, lambda_1=1e-3, max_iter=5)),
        related,
    ),
    "pandas-out": (IterativeImputer(add_indicator=True).set_output(transform="pandas"), related),
}


@pytest.mark.parametrize(("imputer", "table", "partition"), cross(SETTINGS, *EVERY))
def test_tables(imputer, table, partition):
    check(imputer, partition(table()), rtol=CLOSE, scale=1.0)


@pytest.mark.parametrize(("imputer", "table", "partition"), cross(ROUGH, *EVERY))
def test_rough_tables(imputer, table, partition):
    check(imputer, partition(table()), rtol=1e-6, scale=1.0)


@pytest.mark.parametrize(("imputer", "table", "partition"), cross(PARAMETERS, *FEW))
def test_parameters(imputer, table, partition):
    check(imputer, partition(table()), rtol=CLOSE, scale=1.0)


def test_new_rows():
    probe = related(seed=5, share=0.4).assign(e=np.nan)
    check(IterativeImputer(), partitions.thirds(related()), probe=probe, rtol=CLOSE, scale=1.0)


def test_no_value_anywhere():
    check(IMPUTER, partitions.thirds(nothing_at_all()))


def test_one_value_in_a_column():
    table = related()
    table["a"] = np.nan
    table.loc[table.index[-1], "a"] = 3.0
    check(IMPUTER, partitions.thirds(table), rtol=CLOSE, scale=1.0)


@pytest.mark.parametrize("partition", FEW, ids=lambda partition: partition.__name__)
def test_float32_as_closely_as_that_is(partition):
    # scikit-learn solves in float32 where the cells are; here everything is in double precision
    clients = partition(as_float32())
    pooled = fit_pooled(IMPUTER, partitions.pool(clients))
    with quiet():
        ours = fedps.fit(IMPUTER, clients)
    rows = partitions.pool(clients)
    expected = pooled.transform(rows)
    found = ours.transform(rows)
    assert found.dtype == expected.dtype == np.float32
    assert ours.imputation_sequence_[0].estimator.coef_.dtype == np.float32
    assert ours.n_iter_ == pooled.n_iter_
    scale = np.abs(expected).max(axis=0)
    np.testing.assert_array_less(np.abs(found - expected) / scale, 1e-3)


@pytest.mark.parametrize("order", ["random", "ascending"])
def test_random_numbers_go_on_where_the_fit_left_them(order):
    imputer = IterativeImputer(
        imputation_order=order, n_nearest_features=2, random_state=4, max_iter=3
    )
    clients = partitions.thirds(related())
    pooled = fit_pooled(imputer, partitions.pool(clients))
    with quiet():
        ours = fedps.fit(imputer, clients)
    assert ours.random_state_.randint(2**31) == pooled.random_state_.randint(2**31)


def test_to_convergence():
    """Cells are the same to 1e-10 where outer and inner iterations both converge."""
    imputer = IterativeImputer(BayesianRidge(tol=1e-12, max_iter=3000), tol=1e-13, max_iter=100)
    clients = partitions.thirds(related(4, 200))
    rows = partitions.pool(clients)
    pooled = fit_pooled(imputer, rows)
    with quiet():
        ours = fedps.fit(imputer, clients)
    expected = pooled.transform(rows)
    np.testing.assert_allclose(ours.transform(rows), expected, rtol=1e-10, atol=1e-10)


def test_in_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), IterativeImputer(max_iter=3), StandardScaler())
    check(pipeline, partitions.thirds(related()), rtol=CLOSE)


def test_bounds_in_a_pipeline():
    imputer = IterativeImputer(max_iter=3, max_value=[45.0, 80, np.inf, 1e9, 1e9])
    check(make_pipeline(imputer, StandardScaler()), partitions.thirds(related()), rtol=CLOSE)


def test_in_a_column_transformer():
    transformer = make_column_transformer(
        (IterativeImputer(max_iter=3), ["d", "a", "b"]), (StandardScaler(), ["c"])
    )
    check(transformer, partitions.shuffled_columns(related()), rtol=CLOSE, scale=1.0)


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_rows_of_nothing_but_gaps(output):
    """Alone at a client they are filled as beside the rows of others; and so for a later step."""
    table = related(rows=40)
    table.iloc[[3, 4, 9]] = np.nan
    imputer = IterativeImputer(random_state=0).set_output(transform=output)
    clients = [table[:3], table[3:5], table[5:9], table[9:10], table[10:]]
    for estimator in (imputer, make_pipeline(imputer, StandardScaler())):
        with quiet():
            fitted, outputs = fedps.Federation(clients).fit_transform(estimator)
            expected = clone(estimator).fit_transform(table)
        np.testing.assert_allclose(np.concatenate(outputs), expected, rtol=1e-8, atol=1e-8)
        assert type(fitted) is type(estimator)
    assert type(fitted[0]) is IterativeImputer


@pytest.mark.parametrize("container", [np.asfortranarray, pd.DataFrame])
def test_the_clients_tables_stay_as_they_are(container):
    """Scikit-learn writes what it keeps of an empty column into the table, or fails to."""
    table = related(rows=40).to_numpy(copy=True)
    table[:, 1] = np.nan
    clients = [container(table[:15].copy()), container(table[15:].copy())]
    federation = fedps.Federation(clients)
    imputer = IterativeImputer(keep_empty_features=True, random_state=0)
    with quiet():
        _, outputs = federation.fit_transform(imputer)
        expected = clone(imputer).fit_transform(table.copy())
    np.testing.assert_allclose(np.concatenate(outputs), expected, rtol=1e-8)
    assert np.isnan(np.asarray(clients[0])[:, 1]).all()
