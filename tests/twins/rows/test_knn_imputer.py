"""KNNImputer across clients that hold rows, and pooled."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    QuantileTransformer,
    StandardScaler,
)

import fedps
from benchmarks import data
from benchmarks.downloads import DataMissing
from tests.rotation import rotated
from tests.twins import tables
from tests.twins.nearest import ROWS, close, filled, numbers, rows_of, with_empty_column
from tests.twins.partitions import EVERY, HOLES, pool, suits, thirds
from tests.twins.quiet import quiet


def frame():
    return pd.DataFrame(numbers(), columns=list("abcd"))


def with_empty_rows():
    cells = numbers(1)
    cells[[0, 7, 30, ROWS - 1]] = np.nan
    return cells


def one_column():
    return numbers(3, width=1)


def few_donors():
    """Most cells are missing, so that some gaps have fewer donors than neighbours are wanted."""
    return numbers(4, rows=12, width=6, share=0.6)


def constants():
    cells = numbers(5)
    cells[:, 1] = np.where(np.isnan(cells[:, 1]), np.nan, 2.0)
    return cells


SETTINGS = {
    "plain": (KNNImputer(), numbers),
    "frame": (KNNImputer(n_neighbors=3), frame),
    "polars": (KNNImputer(), lambda: pl.from_pandas(frame())),
    "one": (KNNImputer(n_neighbors=1), numbers),
    "many": (KNNImputer(n_neighbors=1000), numbers),
    "distance": (KNNImputer(weights="distance"), numbers),
    "callable": (KNNImputer(weights=lambda far: np.exp(-far)), numbers),
    "indicator": (KNNImputer(add_indicator=True), frame),
    "empty rows": (KNNImputer(), with_empty_rows),
    "empty column": (KNNImputer(), with_empty_column),
    "empty column kept": (
        KNNImputer(keep_empty_features=True, add_indicator=True),
        with_empty_column,
    ),
    "one column": (KNNImputer(), one_column),
    "few donors": (KNNImputer(weights="distance"), few_donors),
    "marker": (KNNImputer(missing_values=-1), lambda: np.nan_to_num(numbers(), nan=-1)),
    "complete": (KNNImputer(add_indicator=True), lambda: numbers(share=0)),
    "marker in complete": (KNNImputer(missing_values=-1), lambda: numbers(share=0)),
    "float32": (KNNImputer(), lambda: numbers().astype(np.float32)),
    "nullable": (KNNImputer(), lambda: frame().astype("Float64")),
}


def suitable(name):
    table = SETTINGS[name][1]()
    unsuited = HOLES if name in ("marker", "marker in complete") else []
    return [each for each in EVERY if suits(each, table) and each not in unsuited]


CASES = [
    pytest.param(*SETTINGS[name], partition, id=f"{name}-{partition.__name__}")
    for name, partition in rotated((name, suitable(name)) for name in SETTINGS)
]


@pytest.mark.parametrize(("estimator", "builder", "partition"), CASES)
def test_as_pooled(estimator, builder, partition):
    clients = partition(builder())
    table = pool(clients)
    pooled = clone(estimator).fit(table)
    federation = fedps.Federation(clients)
    with quiet():
        fitted, outputs = federation.fit_transform(estimator)
        expected = pooled.transform(table)
        close(rows_of(outputs), expected, estimator)
        close(fitted.transform(table), expected, estimator)
        close(rows_of(federation.transform(fitted)), expected, estimator)
        alone = federation.fit(estimator)
    assert federation.run.rounds == 1 + (partition.__name__ == "shuffled_columns")
    for ours in (fitted, alone):
        assert isinstance(ours, KNNImputer)
        assert ours.n_features_in_ == pooled.n_features_in_
        assert ours.get_params() == pooled.get_params()
        names = list(ours.get_feature_names_out())
        assert names == list(pooled.get_feature_names_out())
        assert hasattr(ours, "feature_names_in_") == hasattr(pooled, "feature_names_in_")
        if pooled.add_indicator:
            assert list(ours.indicator_.features_) == list(pooled.indicator_.features_)


def test_exactly_the_weighted_mean_of_the_nearest():
    """Where scikit-learn's distances are rounded, ours are those of the differences."""
    cells = numbers(8, rows=200, width=6)
    for weights in ("uniform", "distance"):
        _, outputs = fedps.Federation(thirds(cells)).fit_transform(KNNImputer(weights=weights))
        np.testing.assert_allclose(
            rows_of(outputs), filled(cells, cells, weights=weights), rtol=1e-13
        )


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_far_from_zero(offset, scale):
    """The answer is that of exact distances, where products of the cells would lose all digits."""
    cells = (numbers(9, rows=80) + offset) * scale
    _, outputs = fedps.Federation(thirds(cells)).fit_transform(KNNImputer())
    np.testing.assert_allclose(rows_of(outputs), filled(cells, cells), rtol=1e-15)


def test_outliers_decide_nothing():
    cells = numbers(10, rows=80)
    cells[3, 0], cells[40, 2] = 1e9, -1e12
    _, outputs = fedps.Federation(thirds(cells)).fit_transform(KNNImputer())
    np.testing.assert_allclose(rows_of(outputs), filled(cells, cells), rtol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_ties_by_distance_client_and_row(seed):
    rng = np.random.default_rng(seed)
    cells = tables.with_holes(rng.integers(0, 3, (90, 4)).astype(float), 0.2, seed)
    for k in (1, 2, 5):
        _, outputs = fedps.Federation(thirds(cells)).fit_transform(KNNImputer(n_neighbors=k))
        np.testing.assert_allclose(rows_of(outputs), filled(cells, cells, k), rtol=1e-14)


@pytest.mark.parametrize("partition", [p for p in EVERY if suits(p, constants())])
def test_ties_in_a_constant_column(partition):
    clients = partition(constants())
    cells = pool(clients)
    _, outputs = fedps.Federation(clients).fit_transform(KNNImputer())
    np.testing.assert_allclose(rows_of(outputs), filled(cells, cells), rtol=1e-13)


def test_all_rows_are_equally_far():
    cells = np.ones((3000, 3))
    cells[:, 0] = np.arange(3000)
    cells[::7, 0] = np.nan
    _, outputs = fedps.Federation(thirds(cells)).fit_transform(KNNImputer(n_neighbors=2))
    assert (rows_of(outputs)[::7, 0] == 1.5).all()  # the first two rows that have it


# Inside other estimators ------------------------------------------------------------------------

COMPOUNDS = {
    "then scaled": make_pipeline(KNNImputer(), StandardScaler()),
    "scaled before": make_pipeline(StandardScaler(), KNNImputer()),
    "between": make_pipeline(StandardScaler(), KNNImputer(add_indicator=True), StandardScaler()),
    "then quantiles": make_pipeline(KNNImputer(), QuantileTransformer(n_quantiles=20)),
    "after a function": make_pipeline(FunctionTransformer(lambda X: X * 2), KNNImputer()),
    "twice": make_pipeline(make_union(KNNImputer(), SimpleImputer()), KNNImputer()),
    "columns": make_column_transformer(
        (make_pipeline(StandardScaler(), KNNImputer(n_neighbors=2)), ["a", "c", "d"]),
        (SimpleImputer(), ["b"]),
    ),
    "remainder": make_column_transformer(
        (MissingIndicator(), ["b"]), ("drop", ["a"]), remainder=KNNImputer()
    ),
    "union": make_union(MissingIndicator(), make_pipeline(KNNImputer(), StandardScaler())),
}


INSIDE = rotated((name, [p for p in EVERY if suits(p, frame())]) for name in COMPOUNDS)


@pytest.mark.parametrize(("name", "partition"), INSIDE)
def test_inside_others(name, partition):
    estimator = COMPOUNDS[name]
    clients = partition(frame())
    table = pool(clients)
    pooled = clone(estimator)
    with quiet():
        expected = pooled.fit_transform(table)
        federation = fedps.Federation(clients)
        fitted, outputs = federation.fit_transform(estimator)
        close(rows_of(outputs), expected)
        close(rows_of(federation.transform(fitted)), pooled.transform(table))
        close(fitted.transform(table), pooled.transform(table))
        fresh = pd.DataFrame(numbers(11, rows=15), columns=list("abcd"))
        close(fitted.transform(fresh), pooled.transform(fresh))
        close(federation.fit(estimator).transform(fresh), pooled.transform(fresh))


def test_beside_what_is_sparse():
    """How many cells are stored is asked of filled rows, even where nobody else uses them."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(tables.with_holes(rng.normal(size=(60, 2)).round(0)), columns=["a", "b"])
    for threshold in (0.01, 0.9):
        estimator = make_column_transformer(
            (make_union(KNNImputer(n_neighbors=1), OneHotEncoder()), ["a", "b"]),
            sparse_threshold=threshold,
        )
        pooled = clone(estimator).fit(table)
        fitted = fedps.Federation(thirds(table)).fit(estimator)
        assert fitted.sparse_output_ == pooled.sparse_output_


def test_a_model_after_it_predicts_the_clients_rows():
    table = frame().assign(y=np.arange(ROWS) + 0.5)
    clients = {"x": table[:20], "none": table[:0], "z": table[20:]}
    federation = fedps.Federation(clients, target="y")
    estimator = make_pipeline(KNNImputer(), BayesianRidge())
    pooled = clone(estimator).fit(frame(), table["y"])
    found = federation.predict(federation.fit(estimator))
    assert {name: len(rows) for name, rows in found.items()} == {"x": 20, "none": 0, "z": 40}
    np.testing.assert_allclose(rows_of(found), pooled.predict(frame()), rtol=1e-9)


def test_output_as_a_frame():
    estimator = KNNImputer(add_indicator=True).set_output(transform="pandas")
    federation = fedps.Federation(dict(zip("xyz", thirds(frame()), strict=True)))
    fitted, outputs = federation.fit_transform(estimator)
    expected = clone(estimator).fit_transform(frame())
    assert list(outputs) == ["x", "y", "z"]
    pd.testing.assert_frame_equal(pd.concat(outputs.values()), expected)
    pd.testing.assert_frame_equal(fitted.transform(frame()), expected)


def test_files_in_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("fedps.client.tables.sources.source_table.CHUNK_ROWS", 7)
    paths = [str(tmp_path / f"{i}.parquet") for i in range(3)]
    for path, part in zip(paths, thirds(frame()), strict=True):
        part.reset_index(drop=True).to_parquet(path)
    for estimator in (KNNImputer(), make_pipeline(StandardScaler(), KNNImputer())):
        _, outputs = fedps.Federation(paths).fit_transform(estimator)
        close(rows_of(outputs), clone(estimator).fit_transform(frame()))


def test_queries_in_chunks(monkeypatch):
    cells = numbers()
    whole = KNNImputer().fit_transform(cells)
    incomplete = np.isnan(cells).any(axis=1).sum()
    monkeypatch.setattr("fedps.plans.rows.knn_regressor.QUERIES_AT_ONCE", 100)
    federation = fedps.Federation(thirds(cells))
    _, outputs = federation.fit_transform(KNNImputer())
    close(rows_of(outputs), whole)
    assert 1 + incomplete * 5 / 100 <= federation.run.rounds <= 2 + incomplete / 5
    monkeypatch.setattr("fedps.statistics.neighbours.closest_rows.PIECE", 50)
    monkeypatch.setattr("fedps.statistics.neighbours.closest_rows.PAIRS", 3)
    close(rows_of(federation.fit_transform(KNNImputer())[1]), whole)


# Real data --------------------------------------------------------------------------------------


def loaded(load):
    try:
        return load(download=False)
    except DataMissing as error:
        pytest.skip(str(error))


def test_hospitals():
    """Whole numbers tie: by the documented rule, and as scikit-learn has it where none do."""
    table = loaded(data.heart_disease)
    clients = {
        name: part.drop(columns=["hospital", "num"]) for name, part in table.groupby("hospital")
    }
    federation = fedps.Federation(clients)
    _, outputs = federation.fit_transform(KNNImputer())
    cells = pd.concat(clients.values()).to_numpy()
    np.testing.assert_allclose(rows_of(outputs), filled(cells, cells), rtol=1e-13)
    rng = np.random.default_rng(0)
    noisy = {name: part + rng.normal(0, 1e-3, part.shape) for name, part in clients.items()}
    _, outputs = fedps.Federation(noisy).fit_transform(KNNImputer())
    close(rows_of(outputs), KNNImputer().fit_transform(pd.concat(noisy.values())))


def test_adult_with_a_tenth_removed():
    rng = np.random.default_rng(0)
    table = loaded(data.adult).select_dtypes("number").iloc[:3000]
    cells = StandardScaler().fit_transform(table) + rng.normal(0, 1e-3, table.shape)
    cells = tables.with_holes(cells, 0.1)
    federation = fedps.Federation(np.array_split(cells, 10))
    _, outputs = federation.fit_transform(KNNImputer())
    assert federation.run.rounds == 2
    close(rows_of(outputs), KNNImputer().fit_transform(cells))
