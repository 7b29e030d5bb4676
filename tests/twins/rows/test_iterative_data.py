"""IterativeImputer on data with real gaps, and on data whose cells were taken out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer
from sklearn.linear_model import BayesianRidge

import fedps
from benchmarks import data
from benchmarks.downloads import DataMissing
from tests.twins.quiet import quiet

pytestmark = pytest.mark.slow

THREE = ["age", "education-num", "hours-per-week"]


def hospitals():
    """Return the rows of each of the four hospitals; 'ca' and 'thal' are nearly all missing in two."""
    try:
        table = data.heart_disease(download=False)
    except DataMissing as error:
        pytest.skip(str(error))
    parts = table.drop(columns="num").groupby("hospital", sort=False)
    return {name: part.drop(columns="hospital") for name, part in parts}


def adult(columns, share=0.1, clients=10, rows=None, seed=0):
    """Return clients' rows of Adult, standardised, with a share of the cells of columns taken out."""
    try:
        table = data.encoded(data.features("adult", download=False)).astype(float)
    except DataMissing as error:
        pytest.skip(str(error))
    table = (table - table.mean()) / table.std()
    rng = np.random.default_rng(seed)
    for name in columns if columns is not None else table.columns:
        table.loc[rng.random(len(table)) < share, name] = np.nan
    return dict(enumerate(data.split(table, clients, rows, seed)))


def twins(imputer, clients, **options):
    """Fit twice, and return both with the federation and the pooled rows."""
    named = {str(name): part.reset_index(drop=True) for name, part in clients.items()}
    rows = pd.concat(named.values(), ignore_index=True)
    federation = fedps.Federation(named, **options)
    with quiet():
        return federation.fit(imputer), imputer.fit(rows), federation, rows


def same_cells(ours, pooled, rows, rtol=1e-6):
    assert ours.n_iter_ == pooled.n_iter_
    expected = pooled.transform(rows)
    found = ours.transform(rows)
    scale = np.abs(expected).max(axis=0)
    assert (np.abs(found - expected) <= rtol * np.minimum(scale, np.abs(expected) + 1e-3)).all()


@pytest.mark.parametrize("order", ["ascending", "random"])
def test_hospitals(order):
    imputer = IterativeImputer(imputation_order=order, random_state=0)
    ours, pooled, federation, rows = twins(imputer, hospitals())
    same_cells(ours, pooled, rows)
    assert federation.run.rounds <= 2


def test_hospitals_within_bounds():
    clients = hospitals()
    rows = pd.concat(clients.values())
    imputer = IterativeImputer(min_value=rows.min().to_numpy(), max_value=rows.max().to_numpy())
    ours, pooled, _, rows = twins(imputer, clients)
    same_cells(ours, pooled, rows)


def test_hospitals_to_convergence():
    imputer = IterativeImputer(BayesianRidge(tol=1e-12, max_iter=3000), tol=1e-12, max_iter=100)
    ours, pooled, _, rows = twins(imputer, hospitals())
    same_cells(ours, pooled, rows, rtol=1e-10)


def test_adult_with_gaps_in_three_columns():
    ours, pooled, federation, rows = twins(IterativeImputer(), adult(THREE))
    same_cells(ours, pooled, rows)
    assert federation.run.rounds <= 2


def test_adult_under_the_default_policy():
    # every pattern has enough rows at each client; the rarest, with all three missing, has some sixty
    clients = adult(THREE, clients=2, share=0.2, rows=8000)
    ours, pooled, federation, rows = twins(IterativeImputer(), clients, policy=fedps.Policy())
    same_cells(ours, pooled, rows)
    assert federation.run.rounds <= 2


def test_adult_with_gaps_everywhere():
    ours, pooled, federation, rows = twins(IterativeImputer(max_iter=3), adult(None, rows=1000))
    same_cells(ours, pooled, rows)
    assert federation.run.rounds <= 2
