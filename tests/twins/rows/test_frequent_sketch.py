"""Frequent items by request: a sketch in one round, within its bound, and what it cannot do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

import fedps
from fedps.errors import NotFederated, Refused
from tests.twins import partitions, tables
from tests.twins.gaps import unified
from tests.twins.partitions import pool
from tests.twins.rows.many_categories import one_hot, split, zipf
from tests.twins.twin import compare
from tests.twins.unknown import with_unknown


class Sketching:
    """A federation whose fits use a sketch."""

    def __init__(self, clients, k):
        self.federation = fedps.Federation(clients)
        self.sketch = fedps.FrequentItems(k=k)

    def fit(self, estimator):
        return self.federation.fit(estimator, frequent=self.sketch)


def check_sketched(estimator, clients, k, *, probe=None):
    """Compare a fit by a sketch with the pooled one: all must be equal."""
    table = unified(pool(clients), clients)
    rows = [table] if probe is None else [table, probe]
    compare(estimator, Sketching(clients, k), table, None, rows=rows)


@pytest.mark.parametrize("k", [50, 200])
def test_a_sketch_errs_within_its_bound(k):
    rng = np.random.default_rng(3)
    clients = [pd.DataFrame({"x": zipf(1000, rng)}) for _ in range(8)]
    values, counts = np.unique(pool(clients)["x"], return_counts=True)
    bound = 8000 / (k + 1)
    sketching = Sketching(clients, k)
    (often, rare), *_ = split(sketching.fit(one_hot(min_frequency=100)))
    assert sketching.federation.run.rounds == 1
    assert rare is not None
    assert set(often) <= set(values[counts >= 100])
    assert set(often) >= set(values[counts >= 100 + bound])
    mode = sketching.fit(SimpleImputer(strategy="most_frequent")).statistics_[0]
    assert counts[values == mode] >= counts.max() - bound
    assert sketching.federation.run.rounds == 1


def test_a_sketch_that_holds_all_is_exact():
    clients = partitions.thirds(tables.strings_both_missing())
    for encoder in (OneHotEncoder(min_frequency=10), OrdinalEncoder(max_categories=3)):
        check_sketched(encoder, clients, 1000, probe=with_unknown(pool(clients)))
    imputer = SimpleImputer(strategy="most_frequent", missing_values="café")
    check_sketched(imputer, [tables.strings()], 1000)


def test_what_a_sketch_cannot_do():
    sketching = Sketching(partitions.thirds(tables.strings()), 2)
    for encoder in (OneHotEncoder(min_frequency=10), OrdinalEncoder(max_categories=3)):
        with pytest.raises(NotFederated, match="more categories than the sketch keeps"):
            sketching.fit(encoder)
    coded = OrdinalEncoder(max_categories=3, handle_unknown="use_encoded_value", unknown_value=-1)
    assert len(sketching.fit(coded).categories_) == 3


def test_a_sketch_counts_markers_exactly():
    words = [["a"] * 9 + ["?"] * 2 + ["b"], ["a"] * 3 + ["c"] * 8]
    clients = [pd.DataFrame({"x": rows}, dtype=object) for rows in words]
    imputer = SimpleImputer(strategy="most_frequent", missing_values="?", add_indicator=True)
    check_sketched(imputer, clients, 1)


def test_a_policy_refuses_a_sketch_that_shows_the_numbers():
    clients = [pd.DataFrame({"x": np.arange(100.0)}), pd.DataFrame({"x": np.arange(50.0)})]
    federation = fedps.Federation(clients, policy=fedps.Policy(min_count=0))
    imputer = SimpleImputer(strategy="most_frequent")
    with pytest.raises(Refused, match="max_share"):
        federation.fit(imputer, frequent=fedps.FrequentItems(k=1000))
    assert federation.fit(imputer, frequent=fedps.FrequentItems(k=10)).statistics_ in range(100)


def test_a_policy_keeps_a_table_of_numbers_back():
    """The candidates are then few enough, or the fit says what cannot be."""
    often = pd.DataFrame({"x": np.concatenate([np.arange(90.0), np.full(20, 7.0)])})
    imputer = SimpleImputer(strategy="most_frequent")
    federation = fedps.Federation([often, often], policy=fedps.Policy())
    assert federation.fit(imputer).statistics_.tolist() == [7.0]
    seldom = pd.DataFrame({"x": np.arange(90.0)})
    federation = fedps.Federation([seldom, seldom], policy=fedps.Policy(min_count=0))
    assert federation.fit(imputer).statistics_ in range(90)
    (one, other) = federation.run.limitations
    assert (
        one.bound
        == other.bound
        == "a value may be up to 2 cells more frequent than it is taken for"
    )
    assert (one.client, one.column, one.rule) == ("client 1", "x", "max_share")


@pytest.mark.parametrize("frequent", ["exact", fedps.FrequentItems(k=1000)])
def test_a_policy_under_which_no_value_is_frequent_enough(frequent):
    """There is a most frequent value only where some value occurs ``min_count`` times at a client."""
    imputer = SimpleImputer(strategy="most_frequent")
    for times, fits in ((4, False), (5, True)):
        cells = np.concatenate([np.arange(20.0), np.full(times - 1, 7.0), [np.nan] * 3])
        federation = fedps.Federation([pd.DataFrame({"x": cells})] * 2, policy=fedps.Policy())
        if fits:
            assert federation.fit(imputer, frequent=frequent).statistics_.tolist() == [7.0]
            continue
        with pytest.raises(Refused, match="show only categories of at least 5 cells of column 'x'"):
            federation.fit(imputer, frequent=frequent)
