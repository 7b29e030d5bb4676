"""IterativeImputer where clients do not tell of their patterns of missing cells: step by step."""

import numpy as np
import pandas as pd
import pytest
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer
from sklearn.linear_model import BayesianRidge, LinearRegression, Ridge

import fedps
from tests.twins import partitions, tables
from tests.twins.quiet import quiet
from tests.twins.rows.iterative import CLOSE, PARAMETERS, constant, related
from tests.twins.twin import check, compare, cross

STRICT = fedps.Policy(min_rows=10, max_share=0.33)


def large():
    """Return enough rows for a strict policy, with rare patterns of missing cells among them."""
    return related(4, 900, share=0.1)


@pytest.mark.parametrize(
    "imputer",
    [
        IterativeImputer(max_iter=3),
        IterativeImputer(max_iter=3, imputation_order="descending", skip_complete=True),
        IterativeImputer(max_iter=2, imputation_order="random", random_state=1),
        IterativeImputer(max_iter=2, n_nearest_features=2, random_state=1),
        IterativeImputer(LinearRegression(), max_iter=2, initial_strategy="median"),
        IterativeImputer(Ridge(), max_iter=2, min_value=35),
    ],
    ids=["default", "descending", "random", "nearest", "linear-median", "ridge-bounds"],
)
def test_under_a_strict_policy(imputer):
    clients = partitions.thirds(large())
    pooled = partitions.pool(clients)
    federation = fedps.Federation(clients, policy=STRICT)
    compare(imputer, federation, pooled, None, rows=[pooled], rtol=CLOSE, scale=1.0)
    assert federation.run.rounds > 2
    open_ = fedps.Federation(clients)
    with quiet():
        open_.fit(imputer)
    assert open_.run.rounds <= federation.run.rounds  # equal where a bound holds cells back at once


@pytest.mark.usefixtures("no_patterns")
@pytest.mark.parametrize(
    ("imputer", "table", "partition"),
    cross(PARAMETERS, partitions.thirds, partitions.shuffled_columns, partitions.single_rows),
)
def test_every_parameter(imputer, table, partition):
    check(imputer, partition(table()), rtol=CLOSE, scale=1.0)


@pytest.mark.usefixtures("no_patterns")
@pytest.mark.parametrize(
    "table",
    [constant, tables.empty_column, tables.numbers, tables.offset_holes],
    ids=lambda table: table.__name__,
)
@pytest.mark.parametrize(
    "partition",
    [partitions.empty_first, partitions.missing_at_all_but_one],
    ids=lambda partition: partition.__name__,
)
def test_hostile_tables(table, partition):
    check(IterativeImputer(max_iter=3), partition(table()), rtol=1e-6, scale=1.0)


@pytest.mark.usefixtures("no_patterns")
def test_to_convergence():
    imputer = IterativeImputer(BayesianRidge(tol=1e-12, max_iter=3000), tol=1e-13, max_iter=100)
    clients = partitions.thirds(related(3, 200))
    rows = partitions.pool(clients)
    with quiet():
        ours, pooled = fedps.fit(imputer, clients), imputer.fit(rows)
    assert pooled.n_iter_ < imputer.max_iter
    expected = pooled.transform(rows)
    np.testing.assert_allclose(ours.transform(rows), expected, rtol=1e-10, atol=1e-10)


def test_one_strict_client_is_enough():
    clients = {f"client {k}": part for k, part in enumerate(partitions.thirds(large()))}
    policies = {"client 1": STRICT}
    pooled = pd.concat(clients.values(), ignore_index=True)
    federation = fedps.Federation(clients, policy=policies)
    imputer = IterativeImputer(max_iter=2)
    compare(imputer, federation, pooled, None, rows=[pooled], rtol=CLOSE, scale=1.0)
    assert federation.run.rounds == 1 + 2 * 3 + 1  # the last: whether to warn
