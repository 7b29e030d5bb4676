"""IterativeImputer by other estimators than the default, across clients and pooled."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer
from sklearn.linear_model import Lasso

import fedps
from tests.twins import partitions, tables
from tests.twins.partitions import EVERY, FEW
from tests.twins.quiet import quiet
from tests.twins.rows.iterative import CLOSE, as_float32, related
from tests.twins.rows.iterative_estimators import MODELS, PARAMETERS, on_tables
from tests.twins.twin import check, cross, fit_pooled


@pytest.mark.parametrize(("imputer", "table", "partition"), cross(on_tables(), *EVERY))
def test_tables(imputer, table, partition):
    check(imputer, partition(table()), rtol=CLOSE, scale=1.0)


@pytest.mark.parametrize(("imputer", "table", "partition"), cross(PARAMETERS, *FEW))
def test_parameters(imputer, table, partition):
    check(imputer, partition(table()), rtol=CLOSE, scale=1.0)


@pytest.mark.usefixtures("no_patterns")
@pytest.mark.parametrize(
    ("imputer", "table", "partition"),
    cross(PARAMETERS, partitions.thirds, partitions.single_rows),
)
def test_step_by_step(imputer, table, partition):
    check(imputer, partition(table()), rtol=CLOSE, scale=1.0)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("table", [tables.numbers, as_float32], ids=["scales", "float32"])
def test_cells(name, table):
    """Where the attributes of scikit-learn's own fits depend on the order of rows, cells do not."""
    imputer = IterativeImputer(MODELS[name], max_iter=3)
    clients = partitions.thirds(table())
    rows = partitions.pool(clients)
    with quiet():
        found = fedps.fit(imputer, clients).transform(rows)
    expected = fit_pooled(imputer, rows).transform(rows)
    assert found.dtype == expected.dtype
    scale = np.abs(expected).max(axis=0)
    close = 1e-3 if expected.dtype == np.float32 else CLOSE
    np.testing.assert_array_less(np.abs(found - expected) / scale, close)


def test_descent_that_does_not_arrive():
    imputer = IterativeImputer(Lasso(0.01, max_iter=2), tol=1e3)
    clients = partitions.thirds(related())
    with pytest.warns(ConvergenceWarning, match="Objective did not converge"):
        ours = fedps.fit(imputer, clients)
    with pytest.warns(ConvergenceWarning, match="Objective did not converge"):
        pooled = imputer.fit(partitions.pool(clients))
    rows = partitions.pool(clients)
    np.testing.assert_allclose(ours.transform(rows), pooled.transform(rows), rtol=1e-10)
