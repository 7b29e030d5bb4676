"""Functions that work row by row, across clients, in chunks and pooled; and functions of columns."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

import fedps
from fedps.client.tables.files import parquet_files
from fedps.client.tables.sources import source_table
from tests.twins import partitions, tables
from tests.twins.compare import assert_same_fit
from tests.twins.partitions import pool
from tests.twins.twin import check, cross

PARTITIONS = [partitions.empty_first, partitions.single_rows, partitions.sorted_rows]


def of(function, **params):
    return FunctionTransformer(function, **params)


def shares(X):
    X = np.abs(np.asarray(X))
    return X / (1 + X.sum(axis=1, keepdims=True))


def zeroed(X):
    """Writes into its rows, which must not be the client's."""
    X[:] = np.where(np.isnan(X), 0, X)
    return X


def length(X):
    return X.map(lambda cell: len(cell) if isinstance(cell, str) else np.nan)


SETTINGS = {
    "array": (make_pipeline(of(shares), StandardScaler()), tables.array_floats),
    "array-writes": (make_pipeline(of(zeroed), StandardScaler()), tables.array_holes),
    "array-float32": (make_pipeline(of(lambda X: X**2), MinMaxScaler()), tables.array_float32),
    "array-columns": (make_pipeline(of(lambda X: X[:, 1:]), RobustScaler()), tables.array_ints),
    "array-objects": (make_pipeline(of(lambda X: X), OneHotEncoder()), tables.array_objects),
    "sparse": (make_pipeline(of(lambda X: X * 2), MinMaxScaler((0, 1))), tables.array_floats),
    "csr": (
        make_pipeline(of(lambda X: X.multiply(2).tocsr()), StandardScaler(with_mean=False)),
        tables.csr,
    ),
    "frame": (make_pipeline(of(lambda X: X.abs() + 1), RobustScaler()), tables.plain_numbers),
    "frame-holes": (make_pipeline(of(lambda X: X.fillna(0)), StandardScaler()), tables.numbers),
    "frame-new-column": (
        make_pipeline(of(lambda X: X.assign(sum=X.sum(axis=1))), StandardScaler()),
        tables.numbers,
    ),
    "frame-text": (make_pipeline(of(length), SimpleImputer()), tables.strings_none),
    "frame-nullable": (
        make_pipeline(of(lambda X: X * 2), StandardScaler()),
        tables.nullable_numbers,
    ),
    "later": (
        make_pipeline(SimpleImputer(), StandardScaler(), of(shares), MinMaxScaler()),
        tables.numbers,
    ),
    "union": (make_union(of(shares), StandardScaler()), tables.plain_numbers),
    "twice": (make_pipeline(of(shares), of(np.sqrt), of(shares), StandardScaler()), tables.ints),
    "polars": (
        make_pipeline(of(lambda X: X.with_columns(pl.all().abs())), StandardScaler()),
        tables.polars_numbers,
    ),
    "chosen": (
        make_column_transformer((StandardScaler(), lambda X: [c for c in X if "e" in c])),
        tables.plain_numbers,
    ),
    "chosen-by-dtype": (
        make_column_transformer((MinMaxScaler(), lambda X: [str(t) == "int64" for t in X.dtypes])),
        tables.ints,
    ),
}


@pytest.mark.parametrize(("estimator", "builder", "partition"), cross(SETTINGS, *PARTITIONS))
def test_as_pooled(estimator, builder, partition):
    check(estimator, partition(builder()), rtol=1e-9)


@fedps.row_by_row
def declared(X):
    return shares(X)


@pytest.mark.parametrize("share", [shares, declared])
def test_files_in_chunks(share, tmp_path, monkeypatch):
    monkeypatch.setattr(source_table, "CHUNK_ROWS", 7)
    monkeypatch.setattr(parquet_files, "BATCH_ROWS", 5)
    parts = partitions.thirds(tables.plain_numbers())
    for i, part in enumerate(parts):
        part.to_parquet(tmp_path / f"{i}.parquet", index=False)
    federation = fedps.Federation([tmp_path / f"{i}.parquet" for i in range(len(parts))])
    estimator = make_pipeline(FunctionTransformer(share), StandardScaler())
    fitted = federation.fit(estimator)
    pooled = estimator.fit(pool(parts))
    assert_same_fit(fitted, pooled, 1e-9, 0.0)
    outputs = np.concatenate(list(federation.transform(fitted)))
    np.testing.assert_allclose(outputs, pooled.transform(pool(parts)), rtol=1e-9, atol=1e-12)


def test_numerals_before_other_steps():
    """What comes after a function is made up from cells that it can read."""
    clients = [pd.DataFrame({"code": ["1", "20"]}), pd.DataFrame({"code": ["300"]})]
    steps = make_pipeline(FunctionTransformer(lambda X: X.astype(int)), StandardScaler())
    check(steps, clients)
    numbers = [
        pd.DataFrame({"n": np.array([1, 20], object)}),
        pd.DataFrame({"n": [3]}, dtype=object),
    ]
    check(make_pipeline(FunctionTransformer(lambda X: X + 1), StandardScaler()), numbers)


def test_the_clients_tables_are_not_written():
    clients = [np.array([[1.0, np.nan]]), np.array([[np.nan, 2.0]])]
    fedps.fit(make_pipeline(FunctionTransformer(zeroed), StandardScaler()), clients)
    assert np.isnan(clients[0][0, 1])
    assert np.isnan(clients[1][0, 0])


def test_functions_take_one_more_round():
    federation = fedps.Federation([tables.plain_numbers()] * 2)
    federation.fit(make_pipeline(FunctionTransformer(np.tanh), StandardScaler()))
    assert federation.run.rounds == 1
    federation.fit(make_pipeline(FunctionTransformer(shares), StandardScaler()))
    assert federation.run.rounds == 2
    assert (
        federation.explain(make_pipeline(FunctionTransformer(shares), StandardScaler())).rounds == 2
    )


PAIRS = [
    (np.sqrt, np.around),
    (np.log1p, np.expm1),
    (np.exp, np.log),
    (np.sqrt, np.square),
    (np.exp, np.sqrt),
    (np.cbrt, shares),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "-".join(f.__name__ for f in pair))
@pytest.mark.parametrize("kind", [float, int, pd.DataFrame], ids=lambda kind: kind.__name__)
def test_check_inverse(pair, kind):
    rows = np.random.default_rng(0).integers(1, 40, (60, 2)) / 4
    table = pd.DataFrame(rows, columns=["a", "b"]) if kind is pd.DataFrame else rows.astype(kind)
    said = []
    for call in (
        lambda: of(pair[0], inverse_func=pair[1]).fit(table),
        lambda: fedps.fit(of(pair[0], inverse_func=pair[1]), [table[:20], table[20:]]),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert call().check_inverse
        said.append([str(warning.message) for warning in caught])
    assert said[0] == said[1]


def test_inverse_for_some_numbers_only():
    with pytest.warns(UserWarning, match="They are for positive numbers, and not for all others"):
        fedps.fit(of(np.square, inverse_func=np.sqrt), [np.ones((2, 1)), np.ones((3, 1))])


def test_a_polars_frame_without_columns():
    table = pl.DataFrame({"a": [1.0, 2.0, 4.0], "b": [0.5, 0.0, 1.0]})
    model = make_column_transformer(
        (of(lambda frame: frame.select([])), ["a"]), (StandardScaler(), ["b"])
    ).set_output(transform="polars")
    check(model, [table[:2], table[2:]])
