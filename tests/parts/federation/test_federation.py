"""The public object: tables of every kind, columns in any order, functions, rounds and bytes."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelEncoder,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)

import fedps
from fedps.client.tables.files import csv_files, parquet_files
from fedps.client.tables.sources import source_table

RNG = np.random.default_rng(5)
PEOPLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 90, 120).astype(float),
        "income": RNG.lognormal(10, 1, 120),
        "job": RNG.choice(["nurse", "cook", "pilot", "zoë"], 120),
        "label": RNG.choice(["no", "yes"], 120),
    }
)
PEOPLE.loc[::11, "age"] = np.nan
THIRDS = {"a": PEOPLE[:40], "b": PEOPLE[40:41], "c": PEOPLE[41:]}
NUMBERS = ["age", "income"]


def prep():
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS),
        (OneHotEncoder(), ["job"]),
    )


def assert_equal_outputs(ours, pooled, table):
    left, right = ours.transform(table), pooled.transform(table)
    np.testing.assert_allclose(np.asarray(left), np.asarray(right), rtol=1e-12, atol=1e-12)


def test_equal_asks_of_different_branches_travel_once():
    branches = make_column_transformer(
        (StandardScaler(), NUMBERS), (make_pipeline(StandardScaler(), MinMaxScaler()), NUMBERS)
    )
    federation = fedps.Federation(THIRDS)
    federation.fit(branches)
    asked = [(row.round, row.statistic) for row in federation.run.asks]
    assert asked == [(1, "Moments"), (2, "Extremes")]


def test_rounds_are_those_of_the_longest_branch():
    union = FeatureUnion([(f"part{i}", StandardScaler()) for i in range(6)])
    federation = fedps.Federation([part[NUMBERS] for part in THIRDS.values()])
    federation.fit(union)
    assert (federation.run.rounds, len(federation.run.asks)) == (1, 1)


@pytest.mark.parametrize(
    ("columns", "rounds"),
    [
        (NUMBERS, 2),
        (make_column_selector(dtype_include="number"), 2),
        (make_column_selector(pattern="age|income"), 2),
        ([0, 1], 3),  # positions mean other columns at the reordered client: asked again by name
        (slice("age", "income"), 3),
        (lambda table: list(table.columns[:2]), 3),  # only the schema can tell what it chooses
    ],
)
def test_columns_in_any_order(columns, rounds):
    shuffled = {**THIRDS, "b": THIRDS["b"][["label", "income", "job", "age"]]}
    estimator = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), columns), (OrdinalEncoder(), ["job"])
    )
    federation = fedps.Federation(shuffled)
    explanation = federation.explain(estimator)
    assert_equal_outputs(federation.fit(estimator), estimator.fit(PEOPLE), PEOPLE)
    assert federation.run.rounds == explanation.rounds == rounds


def test_columns_in_any_order_through_transformers():
    shuffled = [PEOPLE[:40][NUMBERS], PEOPLE[40:][NUMBERS[::-1]]]
    complete = [part.fillna(1.0) for part in shuffled]
    estimator = make_pipeline(PolynomialFeatures(), StandardScaler(), MinMaxScaler())
    federation = fedps.Federation(complete)
    pooled = pd.concat(complete)
    assert_equal_outputs(federation.fit(estimator), estimator.fit(pooled), pooled)
    assert federation.run.rounds == federation.explain(estimator).rounds == 3


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(source_table, "CHUNK_ROWS", 7)
    monkeypatch.setattr(parquet_files, "BATCH_ROWS", 7)
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", 600)
    pq.write_table(pa.Table.from_pandas(PEOPLE[:40]), tmp_path / "one.parquet")
    pq.write_table(pa.Table.from_pandas(PEOPLE[40:80]), tmp_path / "two.parquet")
    PEOPLE[80:].to_csv(tmp_path / "three.csv", index=False)
    return tmp_path


def test_files_in_chunks(files):
    clients = {"parquet": f"{files}/*.parquet", "csv": files / "three.csv"}
    federation = fedps.Federation(clients, target="label")
    fitted, outputs = federation.fit_transform(prep())
    pooled = prep().fit(PEOPLE.drop(columns="label"))
    assert_equal_outputs(fitted, pooled, PEOPLE.drop(columns="label"))
    assert [len(part) for part in outputs.values()] == [80, 40]
    together = np.concatenate(list(outputs.values()))
    np.testing.assert_allclose(together, pooled.transform(PEOPLE), rtol=1e-12, atol=1e-12)
    assert federation.fit(LabelEncoder()).classes_.tolist() == ["no", "yes"]


def test_one_federation_of_many_containers(files):
    clients = [
        PEOPLE[:40],
        pl.DataFrame(PEOPLE[40:60].to_dict("list")).with_columns(pl.col("age").fill_nan(None)),
        pa.Table.from_pandas(PEOPLE[60:80], preserve_index=False),
        str(files / "three.csv"),
    ]
    assert_equal_outputs(fedps.fit(prep(), clients), prep().fit(PEOPLE), PEOPLE)


def test_functions_run_in_process_and_lambdas_too():
    offset = 3.0
    estimator = make_pipeline(
        FunctionTransformer(lambda X: X + offset), FunctionTransformer(np.sqrt), StandardScaler()
    )
    parts = [part[["income"]] for part in THIRDS.values()]
    assert_equal_outputs(
        fedps.fit(estimator, parts), estimator.fit(PEOPLE[["income"]]), PEOPLE[["income"]]
    )


def test_ledgers_tell_what_left_and_no_cell():
    federation = fedps.Federation(THIRDS)
    federation.fit(prep())
    assert sum(federation.run.bytes_up.values()) > 0
    for entries in (ledger.entries for ledger in federation.ledgers.values()):
        assert [e.statistic for e in entries] == ["Moments", "Categories", "Schema", "Moments"]
        assert {e.outcome for e in entries} == {"sent"}
        assert "nurse" not in repr(entries)


def test_a_list_gives_a_list_and_a_dict_a_dict():
    scaler, parts = MinMaxScaler(), [part[["income"]] for part in THIRDS.values()]
    assert isinstance(fedps.Federation(parts).fit_transform(scaler)[1], list)
    named = dict(zip("xyz", parts, strict=True))
    outputs = fedps.Federation(named).fit_transform(scaler)[1]
    assert list(outputs) == ["x", "y", "z"]


def test_nothing_depends_on_history():
    federation = fedps.Federation(THIRDS)
    federation.fit(prep())
    first = federation.run.to_dict()
    federation.explain(prep())
    federation.fit(prep())
    second = federation.run.to_dict()
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
