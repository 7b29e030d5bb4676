"""Columns of doubles without ties, and columns whose tables are kept back: rounds and bytes."""

from functools import cache

import pytest
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
)

import fedps
from benchmarks import data
from benchmarks.downloads import DataMissing
from tests.budgets.cases import DATA_SETS, bins, cost, numbers

CLIENTS = 10
ROWS = (1_000, 10_000, 100_000)
COLUMNS = list(data.continuous(10))
SEEDS = range(3)
SQUARE_ROOT_OF_TEN = 3.3  # and a little more: what one client sends depends on its rows
EXACT = {
    "RobustScaler": RobustScaler(),
    "median": SimpleImputer(strategy="median"),
    "KBinsDiscretizer": bins("quantile"),
    "SplineTransformer": SplineTransformer(knots="quantile"),
    "QuantileTransformer": QuantileTransformer(subsample=None),
}
# No client shows the values of a column, so that no table helps.
CLOSED = fedps.Policy(min_rows=0, max_share=0.01)


@cache
def split(rows, seed=1):
    return data.split(data.continuous(rows * CLIENTS, seed=seed), CLIENTS)


@cache
def quartiles(rows, column, seed=1):
    return cost(RobustScaler(), [part[[column]] for part in split(rows, seed)])


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("seed", SEEDS)
def test_quartiles_of_a_column_cost_less_than_a_kilobyte(column, seed):
    found = quartiles(1_000, column, seed)
    assert found.rounds <= 2
    assert found.most <= 1000


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("rows", ROWS[1:])
def test_quartiles_cost_more_by_the_square_root_of_the_rows(column, rows):
    few, many = quartiles(rows // 10, column), quartiles(rows, column)
    assert many.rounds <= 2
    assert many.up <= SQUARE_ROOT_OF_TEN * few.up


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("rows", ROWS)
def test_exact_quantiles_take_two_rounds_at_most(name, rows):
    assert cost(EXACT[name], split(rows)).rounds <= 2


@pytest.mark.parametrize("dataset", DATA_SETS)
@pytest.mark.parametrize("seed", SEEDS)
def test_powers_without_tables_take_six_rounds_at_most(dataset, seed):
    try:
        clients = numbers(dataset, 1000, seed)
    except DataMissing as error:
        pytest.skip(str(error))
    assert 1 < cost(PowerTransformer(), clients, policy=CLOSED).rounds <= 6
    positive = [name for name in clients[0] if all((part[name] > 0).all() for part in clients)]
    clients = [part[positive] for part in clients]
    assert 1 < cost(PowerTransformer("box-cox"), clients, policy=CLOSED).rounds <= 6


@pytest.mark.parametrize("seed", SEEDS)
def test_powers_of_continuous_columns_without_tables(seed):
    assert 1 < cost(PowerTransformer(), split(1_000, seed), policy=CLOSED).rounds <= 6
