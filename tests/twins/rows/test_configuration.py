"""scikit-learn's configuration means here what it means there: outputs, routing, checks of cells."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    PolynomialFeatures,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)

import fedps
from fedps.client import Responder, open_table
from fedps.transports import LocalTransport
from tests.twins import partitions, tables
from tests.twins.compare import assert_same_fit, assert_same_transform
from tests.twins.quiet import quiet
from tests.twins.twin import fit_pooled

ROWS = 30
CONTAINERS = ["pandas", "polars", "numpy"]


def table(container="pandas"):
    rng = np.random.default_rng(4)
    cells = pd.DataFrame(rng.normal(size=(ROWS, 2)), columns=["a", "b"])
    cells["c"] = rng.integers(0, 3, ROWS).astype(float)
    cells.loc[::4, "a"] = np.nan
    if container == "pandas":
        return cells
    return pl.from_pandas(cells) if container == "polars" else cells.to_numpy()


def as_frame(X):
    cells = np.asarray(X)
    names = [f"n{i}" for i in range(cells.shape[1])]
    return pd.DataFrame(cells, columns=names, index=getattr(X, "index", None))


def as_polars(X):
    cells = np.asarray(X)
    return pl.DataFrame({f"n{i}": cells[:, i] for i in range(cells.shape[1])})


def new_names(transformer, names):
    return [f"z{i}" for i in range(len(names))]


def chosen(*branches, **params):
    """A ColumnTransformer whose columns are positions, for arrays as well."""
    named = [(f"t{i}", part, columns) for i, (part, columns) in enumerate(branches)]
    return ColumnTransformer(named, **params)


def plain(function=np.abs, **params):
    return FunctionTransformer(function, **params)


ESTIMATORS = {
    "scaler": StandardScaler(),
    "pipeline": make_pipeline(SimpleImputer(add_indicator=True), StandardScaler(), MinMaxScaler()),
    "iterative": make_pipeline(IterativeImputer(max_iter=2), StandardScaler()),
    "neighbours": make_pipeline(KNNImputer(), StandardScaler()),
    "polynomial": make_pipeline(SimpleImputer(), PolynomialFeatures(2), StandardScaler()),
    "spline": make_pipeline(SimpleImputer(), SplineTransformer(n_knots=3), StandardScaler()),
    "indicator": make_pipeline(MissingIndicator(), StandardScaler()),
    "frozen": make_pipeline(FrozenEstimator(SimpleImputer().fit(table())), StandardScaler()),
    "columns": chosen((StandardScaler(), [0, 1]), (OneHotEncoder(sparse_output=False), [2])),
    "rest": chosen((StandardScaler(), [0]), remainder="passthrough"),
    "short": chosen(
        (StandardScaler(), [0]), remainder="passthrough", verbose_feature_names_out=False
    ),
    "columns-then": make_pipeline(
        chosen((SimpleImputer(), [0, 1]), (OneHotEncoder(sparse_output=False), [2])),
        StandardScaler(),
    ),
    "union-then": make_pipeline(make_union(SimpleImputer(), MinMaxScaler()), StandardScaler()),
    "model": make_pipeline(SimpleImputer(), BayesianRidge()),
    "own": make_pipeline(SimpleImputer().set_output(transform="pandas"), StandardScaler()),
    "own-polars": make_pipeline(SimpleImputer().set_output(transform="polars"), StandardScaler()),
    "own-default": make_pipeline(SimpleImputer().set_output(transform="default"), StandardScaler()),
    "own-inside": make_pipeline(
        chosen((SimpleImputer().set_output(transform="default"), [0, 1])), StandardScaler()
    ),
    "own-columns": make_pipeline(
        chosen((SimpleImputer(), [0, 1])).set_output(transform="pandas"), StandardScaler()
    ),
    "own-union": make_pipeline(
        make_union(SimpleImputer(), MinMaxScaler()).set_output(transform="pandas"), StandardScaler()
    ),
    "own-pipeline": make_pipeline(SimpleImputer(), StandardScaler()).set_output(transform="pandas"),
    # functions, with and without names, that return arrays and frames
    "function": plain(),
    "function-named": plain(feature_names_out="one-to-one"),
    "function-names": plain(feature_names_out=new_names),
    "function-then": make_pipeline(plain(), StandardScaler()),
    "function-names-then": make_pipeline(plain(feature_names_out=new_names), StandardScaler()),
    "frame": plain(as_frame),
    "frame-then": make_pipeline(plain(as_frame), StandardScaler()),
    "frame-by-name": make_pipeline(
        plain(as_frame), ColumnTransformer([("s", StandardScaler(), ["n0", "n1"])])
    ),
    "polars-then": make_pipeline(plain(as_polars), StandardScaler()),
    "branch": chosen((plain(), [0]), (StandardScaler(), [1])),
    "branch-short": chosen(
        (plain(), [0]), (StandardScaler(), [1]), verbose_feature_names_out=False
    ),
    "branch-frame": chosen((plain(as_frame), [0]), (StandardScaler(), [1])),
    "branch-polars": chosen((plain(as_polars), [0]), (StandardScaler(), [1])),
    "branch-then": make_pipeline(
        chosen((plain(as_frame), [1]), (StandardScaler(), [1])), StandardScaler()
    ),
    "identity": chosen((FunctionTransformer(), [0]), (StandardScaler(), [1])),
    "union-frame": make_union(plain(as_frame), StandardScaler()),
    "union-frame-then": make_pipeline(make_union(plain(as_frame), SimpleImputer()), MaxAbsScaler()),
}


def assert_twins(estimator, container):
    """Fit pooled and federated under the configuration that holds now, and compare both."""
    X, y = table(container), np.arange(ROWS) / 7
    clients = list(zip(partitions.thirds(X), partitions.thirds(y), strict=True))
    federation = fedps.Federation(clients)
    pooled = fit_pooled(estimator, X, y)
    if isinstance(pooled, Exception):
        with quiet(), pytest.raises((fedps.FedPSError, type(pooled))):
            federation.fit(estimator)
        return
    with quiet():
        fitted = federation.fit(estimator)
        if not any(isinstance(part, KNNImputer) for _, part in getattr(estimator, "steps", ())):
            assert_same_fit(fitted, pooled, 1e-9)
            assert_same_transform(fitted, pooled, X, 1e-9)
        if not hasattr(fitted, "transform"):
            return
        expected = pooled.transform(X)
        assert_same_rows(federation.transform(fitted), expected)


def assert_same_rows(outputs, expected):
    assert {type(rows) for rows in outputs} == {type(expected)}
    if hasattr(expected, "columns"):
        assert [*outputs[-1].columns] == [*expected.columns]
    cells = np.concatenate([np.asarray(rows) for rows in outputs])
    np.testing.assert_allclose(cells, np.asarray(expected), rtol=1e-9, atol=1e-12)


def skip_old_polars(*names):
    if "polars" in names and not tables.POLARS_NAMED:
        pytest.skip("this scikit-learn does not know this polars")


@pytest.mark.parametrize("output", ["pandas", "polars"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_outputs(name, output):
    container = CONTAINERS[[*ESTIMATORS].index(name) % len(CONTAINERS)]
    skip_old_polars(output, container, "polars" if "polars" in name else "")
    with sklearn.config_context(transform_output=output):
        assert_twins(ESTIMATORS[name], container)
        fedps.Federation([table()]).explain(StandardScaler())


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", ["pipeline", "columns-then", "own-inside", "branch-frame"])
def test_outputs_of_all_containers(name, container):
    skip_old_polars(container)
    with sklearn.config_context(transform_output="pandas"):
        assert_twins(ESTIMATORS[name], container)


@pytest.mark.parametrize("name", ["scaler", "columns-then", "neighbours"])
def test_outputs_of_fit_transform(name):
    X = table()
    with sklearn.config_context(transform_output="pandas"):
        outputs = fedps.Federation(partitions.thirds(X)).fit_transform(ESTIMATORS[name])[1]
        assert_same_rows(outputs, fit_pooled(ESTIMATORS[name], X).transform(X))


@pytest.mark.parametrize(
    "estimator",
    [
        OneHotEncoder(sparse_output=False),
        make_pipeline(OneHotEncoder(sparse_output=False), MinMaxScaler()),
        chosen((OneHotEncoder(sparse_output=False), [0])),
        StandardScaler(),
    ],
    ids=["encoder", "pipeline", "columns", "scaler"],
)
@pytest.mark.parametrize("container", ["pandas", "numpy"])
def test_outputs_without_rows(estimator, container):
    X = (table()[["c"]] * 7).astype(int)
    X = X if container == "pandas" else X.to_numpy()
    for output in ("pandas", "default"):
        with sklearn.config_context(transform_output=output):
            federation = fedps.Federation([X, X[:0]])
            rows, nothing = federation.transform(federation.fit(estimator))
        assert type(nothing) is type(rows)
        assert nothing.shape == (0, rows.shape[1])
        if output == "pandas":
            assert [*nothing.columns] == [*rows.columns]


@pytest.mark.parametrize("name", ["pipeline", "columns-then", "union-then", "model", "identity"])
def test_metadata_routing_changes_nothing_without_metadata(name):
    with sklearn.config_context(enable_metadata_routing=True):
        assert_twins(ESTIMATORS[name], "pandas")


def test_a_configuration_is_followed_when_the_result_is_used():
    """Nothing of the configuration of a fit stays in its result, as in scikit-learn."""
    for split, clients in (
        ("rows", [table()[["a", "b"]]]),
        ("columns", [table()[["a"]], table()[["b"]]]),
    ):
        federation = fedps.Federation(clients, split=split)
        with sklearn.config_context(transform_output="pandas"):
            fitted = federation.fit(make_pipeline(SimpleImputer(), StandardScaler()))
            assert isinstance(federation.transform(fitted)[0], pd.DataFrame)
        with quiet():  # the scaler was fitted on a frame, and now gets arrays
            assert isinstance(federation.transform(fitted)[0], np.ndarray)


class Elsewhere(LocalTransport):
    """Clients whose process has a configuration of its own, and that do not trust the server."""

    def exchange(self, messages):
        for responder in self.responders.values():
            responder.functions = None
        with sklearn.config_context(transform_output="polars", assume_finite=True):
            yield from super().exchange(messages)


def test_a_client_has_its_own_configuration():
    skip_old_polars("polars")
    X = table()
    responders = {
        name: Responder(name, open_table(part), fedps.Policy.open())
        for name, part in zip("abc", partitions.thirds(X), strict=True)
    }
    federation = fedps.Federation(Elsewhere(responders))
    for output in ("default", "pandas"):
        for name in ("pipeline", "own-inside", "columns-then", "iterative"):
            with sklearn.config_context(transform_output=output):
                pooled = fit_pooled(ESTIMATORS[name], X)
                assert_same_fit(federation.fit(ESTIMATORS[name]), pooled, 1e-9)


# row weights ----------------------------------------------------------------------------------


def weighted(wants=True, **params):
    return StandardScaler(**params).set_fit_request(sample_weight=wants)


def routed():
    return {
        "pipeline": make_pipeline(SimpleImputer(), weighted()),
        "some": make_pipeline(weighted(False), SimpleImputer(), weighted()),
        "columns": make_column_transformer(
            (make_pipeline(SimpleImputer(), weighted()), ["a"]),
            (weighted(False), ["b"]),
            (weighted(with_std=False), ["a", "b"]),
        ),
        "union": make_union(weighted(), MinMaxScaler()),
        "model": make_pipeline(
            SimpleImputer(), weighted(), BayesianRidge().set_fit_request(sample_weight=True)
        ),
        "unset": make_pipeline(SimpleImputer(), StandardScaler()),
        "model-unset": make_pipeline(SimpleImputer(), weighted(), BayesianRidge()),
        "nobody": make_pipeline(SimpleImputer(), weighted(False)),
        "alias": make_pipeline(SimpleImputer(), weighted("visits")),
    }


@pytest.mark.parametrize("name", ["pipeline", "some", "columns", "union", "model"])
def test_weights_go_where_they_are_requested(name):
    with sklearn.config_context(enable_metadata_routing=True):
        estimator, y = routed()[name], np.arange(ROWS) / 7
        X = table().assign(w=np.arange(ROWS) % 4 + 0.5)
        clients = list(zip(partitions.thirds(X), partitions.thirds(y), strict=True))
        federation = fedps.Federation(clients)
        pooled = fit_pooled(estimator, X.drop(columns="w"), y, sample_weight=X["w"].to_numpy())
        assert not isinstance(pooled, Exception)
        assert_same_fit(federation.fit(estimator, sample_weight="w"), pooled, 1e-9)
        assert "w" in str(federation.explain(estimator, sample_weight="w"))


@pytest.mark.parametrize("name", ["unset", "model-unset", "nobody", "alias"])
def test_weights_that_go_nowhere(name):
    X = table().assign(w=1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        estimator, federation = routed()[name], fedps.Federation([X])
        pooled = fit_pooled(estimator, X, np.ones(ROWS), sample_weight=X["w"])
        with pytest.raises(type(pooled)) as raised:
            federation.fit(estimator, sample_weight="w")
    assert str(raised.value) == str(pooled)
    assert federation.ledgers["client 1"].entries == []


def test_weights_that_a_step_cannot_take():
    X = table().assign(w=1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        binned = KBinsDiscretizer(3).set_fit_request(sample_weight=True)
        federation = fedps.Federation([X])
        with pytest.raises(fedps.UsageError, match="sample_weight for KBinsDiscretizer"):
            federation.fit(make_pipeline(SimpleImputer(), binned), sample_weight="w")
    assert federation.ledgers["client 1"].entries == []
    with pytest.raises(fedps.UsageError, match="enable_metadata_routing=True"):
        federation.fit(make_pipeline(StandardScaler()), sample_weight="w")


# checks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [Normalizer(), PolynomialFeatures(2)], ids=str)
def test_cells_are_not_checked_where_they_are_assumed_to_be_finite(estimator):
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, np.inf, 2.0]})
    federation = fedps.Federation([X[:1], X[1:]])
    with pytest.raises(fedps.ClientError, match="infinite"):
        federation.fit(estimator)
    with sklearn.config_context(assume_finite=True), quiet():
        outputs = federation.transform(federation.fit(estimator))
        expected = fit_pooled(estimator, X).transform(X)
        np.testing.assert_array_equal(np.concatenate(outputs), expected)


def test_finite_cells_that_are_assumed_to_be():
    with sklearn.config_context(assume_finite=True):
        for name in ("pipeline", "columns-then", "polynomial", "model"):
            assert_twins(ESTIMATORS[name], "pandas")


def test_parameters_are_checked_all_the_same():
    with sklearn.config_context(skip_parameter_validation=True):
        federation = fedps.Federation([table()])
        with pytest.raises(fedps.UsageError, match="skip_parameter_validation changes nothing"):
            federation.fit(QuantileTransformer(n_quantiles=0))
        assert_twins(ESTIMATORS["pipeline"], "pandas")


# results in another process -------------------------------------------------------------------

SCRIPT = """
import pickle, sys
sys.modules["fedps"] = None
import sklearn
sklearn.set_config(transform_output="pandas", enable_metadata_routing=True)
for fitted, X, names in pickle.loads(sys.stdin.buffer.read()):
    output = pickle.loads(pickle.dumps(pickle.loads(fitted))).transform(X)
    assert list(output.columns) == names, (list(output.columns), names)
print("done")
"""


def test_pickled_results_follow_the_configuration_where_they_are_used():
    things = []
    for name in ("pipeline", "columns-then", "short", "own", "union-then"):
        with sklearn.config_context(transform_output="pandas"):
            fitted = fedps.fit(ESTIMATORS[name], partitions.thirds(table()))
            names = [*fit_pooled(ESTIMATORS[name], table()).transform(table()).columns]
        assert b"fedps" not in pickle.dumps(fitted)
        things.append((pickle.dumps(fitted), table(), names))
    child = subprocess.run(
        [sys.executable, "-I", "-c", SCRIPT],
        input=pickle.dumps(things),
        capture_output=True,
        check=False,
    )
    assert child.stdout == b"done\n", child.stderr.decode()
