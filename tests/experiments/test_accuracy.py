"""The parts of the accuracy experiment: cells, partitions, arms, and FedAvg against plain numpy."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import mutual_info_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from benchmarks.downloads import DataMissing
from experiments.accuracy import arms, grid, partitions
from experiments.accuracy.measuring import load
from experiments.accuracy.paper import PAPER


def data_or_skip(name, rows):
    try:
        return load(name, rows)
    except DataMissing as error:
        pytest.skip(str(error))


def test_cells_are_those_of_table_4():
    cells = grid.cells(False)
    assert len(cells) == len(PAPER) * grid.SEEDS == 540
    assert {cell["rate"] for cell in cells} == {1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
    keys = {
        tuple(cell[k] for k in ("data", "clients", "partition", "model", "arm")) for cell in cells
    }
    assert keys == set(PAPER)
    assert PAPER["covertype", 30, "feature skew", "MLP", "federated"] == 0.71
    assert PAPER["bank", 10, "feature skew", "LR", "local"] == 0.84


@pytest.mark.parametrize("clients", [1, 10, 30])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_row_has_one_client(clients, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 7, 5000)
    feature = rng.integers(0, 40, 5000)
    for parts in (
        partitions.iid(5000, clients, rng),
        partitions.label_skew(labels, clients),
        partitions.feature_skew(feature, clients, rng),
    ):
        assert len(parts) == clients
        assert sorted(np.concatenate(parts)) == list(range(5000))
        assert min(map(len, parts)) >= partitions.FEWEST
    assert (np.diff(feature[np.concatenate(parts)]) >= 0).all()


@pytest.mark.parametrize("name", grid.DATA_SETS)
def test_rows_are_sorted_by_what_tells_most(name):
    split = data_or_skip(name, 5_000)
    numbers = split.train.select_dtypes("number")
    continuous = numbers[[column for column in numbers if numbers[column].nunique() > 2]]
    told = mutual_info_classif(continuous, split.labels, random_state=0)
    assert continuous.columns[np.argmax(told)] == partitions.SORTED_BY[name]


def people(rows, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "age": rng.normal(40, 10, rows), "work": rng.choice(["a", "b", "c", "?"], rows),
        "gain": rng.exponential(1000, rows),
    })  # fmt: skip


def test_federated_rows_are_those_of_a_pooled_fit():
    train, test = people(500, 0), people(100, 1)
    rng = np.random.default_rng(0)
    parts = partitions.feature_skew(train["age"].to_numpy(), 5, rng)
    test_parts = partitions.iid(100, 5, rng)
    encoder = make_column_transformer((OrdinalEncoder(), ["work"]), remainder="passthrough")
    pooled = make_pipeline(encoder, StandardScaler()).fit(train)
    made = arms.prepare("federated", train, test, parts, test_parts)
    np.testing.assert_allclose(
        made.train, pooled.transform(train.iloc[np.concatenate(parts)]), 1e-6
    )
    np.testing.assert_allclose(
        made.test, pooled.transform(test.iloc[np.concatenate(test_parts)]), 1e-6
    )
    assert made.rounds == 2
    assert made.bytes_up > 0


def test_no_preprocessing_encodes_and_does_not_scale():
    train = people(500, 0)
    parts = partitions.iid(500, 5, np.random.default_rng(0))
    made = arms.prepare("no", train, train, parts, parts).train
    rows = train.iloc[np.concatenate(parts)]
    codes = OrdinalEncoder().fit(train[["work"]]).transform(rows[["work"]])
    np.testing.assert_array_equal(
        made, np.hstack([codes, rows[["age", "gain"]]]).astype(np.float32)
    )


def test_local_rows_are_each_clients_own():
    train, test = people(500, 0), people(100, 1)
    parts = partitions.feature_skew(train["age"].to_numpy(), 5, np.random.default_rng(0))
    test_parts = partitions.iid(100, 5, np.random.default_rng(0))
    made = arms.prepare("local", train, test, parts, test_parts)
    for rows in np.split(made.train, np.cumsum([*map(len, parts)])[:-1]):
        np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-5)
    assert made.rounds == 0


def test_a_category_that_a_client_never_saw_is_minus_one():
    train = people(40, 0).assign(work=["a"] * 20 + ["b"] * 20)
    parts = [np.arange(20), np.arange(20, 40)]
    made = arms.prepare("local", train, train, parts, parts[::-1])
    assert (made.test[:, 0] == -1).all()
    assert (made.train[:, 0] == 0).all()
