"""IterativeImputer across clients, and pooled."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from tests.twins import partitions
from tests.twins.partitions import EVERY, FEW
from tests.twins.quiet import quiet
from tests.twins.rows.iterative import (
    CLOSE,
    IMPUTER,
    PARAMETERS,
    ROUGH,
    SETTINGS,
    as_float32,
    nothing_at_all,
    related,
)
from tests.twins.twin import check, cross, fit_pooled


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
