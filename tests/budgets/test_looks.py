"""Rounds and bytes of describe, crosstab and corr: golden, as they are the same in every run."""

import numpy as np
import pandas as pd
import pytest

import fedps

ROWS, CLIENTS = 6000, 3


def mixed(columns=100):
    """A quarter each: measurements, whole numbers, words and dates."""
    rng = np.random.default_rng(0)
    day = pd.Timestamp("2020-01-01")
    kinds = [
        lambda: rng.normal(size=ROWS),
        lambda: rng.integers(0, 50, ROWS),
        lambda: rng.choice(["red", "green", "blue"], ROWS),
        lambda: day + pd.to_timedelta(rng.integers(0, 1000, ROWS), unit="D"),
    ]
    table = pd.DataFrame({f"c{i}": kinds[i % 4]() for i in range(columns)})
    return [table[i::CLIENTS].reset_index(drop=True) for i in range(CLIENTS)]


@pytest.fixture(scope="module")
def federation():
    return fedps.Federation(mixed())


def cost(federation):
    run = federation.run
    return run.rounds, max(run.bytes_up.values()), max(run.bytes_down.values())


def test_a_hundred_mixed_columns_take_two_rounds(federation):
    federation.describe()
    assert cost(federation) == DESCRIBE
    federation.describe(correlation=False)
    assert cost(federation) == WITHOUT_CORRELATION


def test_small_tables_of_values_take_one_round(federation):
    federation.describe([f"c{i}" for i in range(100) if i % 4])
    assert federation.run.rounds == 1


def test_groups_take_one_round_more(federation):
    federation.describe(["c0", "c1", "c2", "c3"], by="c2")
    assert cost(federation) == GROUPS


def test_pairs_take_one_round(federation):
    federation.crosstab("c2", "c6")
    assert cost(federation) == CROSSTAB
    federation.corr()
    assert cost(federation) == CORR


# rounds, bytes up and bytes down of one client
DESCRIBE = (2, 46483, 816)
WITHOUT_CORRELATION = (2, 36202, 789)
GROUPS = (3, 5680, 623)
CROSSTAB = (1, 333, 58)
CORR = (1, 10189, 62)
