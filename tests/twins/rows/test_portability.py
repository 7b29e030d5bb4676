"""The result is plain scikit-learn: it works where there is no FedPS."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import skops.io
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

import fedps
from tests.twins import partitions, tables
from tests.twins.quiet import quiet
from tests.twins.twin import fit_pooled


def one_hot(**params):
    return OneHotEncoder(sparse_output=False, **params)


def bins(strategy):
    method = {"quantile_method": "linear"} if strategy == "quantile" else {}
    return KBinsDiscretizer(4, encode="onehot-dense", strategy=strategy, subsample=None, **method)


def labels(table):
    """Return a target for the rows of a table."""
    return np.where(np.arange(len(table)) % 3 == 0, "yes", "no").astype(object)


RESULTS = {
    "standard": (StandardScaler(), tables.numbers),
    "minmax": (MinMaxScaler(), tables.polars_numbers),
    "imputer": (SimpleImputer(add_indicator=True), tables.numbers),
    "one-hot": (one_hot(drop="first", min_frequency=5), tables.strings_nan),
    "ordinal": (OrdinalEncoder(max_categories=4), tables.strings_nan),
    "polynomial": (PolynomialFeatures(2), tables.plain_numbers),
    "robust": (RobustScaler(unit_variance=True), tables.numbers),
    "quantiles": (QuantileTransformer(n_quantiles=20, subsample=None), tables.numbers),
    "bins-uniform": (bins("uniform"), tables.plain_numbers),
    "bins-quantile": (bins("quantile"), tables.plain_numbers),
    "bins-kmeans": (bins("kmeans"), tables.plain_numbers),
    "spline": (SplineTransformer(knots="quantile"), tables.plain_numbers),
    "median": (SimpleImputer(strategy="median", add_indicator=True), tables.numbers),
    "power": (PowerTransformer(), tables.numbers),
    "target": (TargetEncoder(), tables.strings_nan),
    "union": (make_union(StandardScaler(), MissingIndicator()), tables.numbers),
    "frozen": (
        make_pipeline(FrozenEstimator(SimpleImputer().fit(tables.numbers())), StandardScaler()),
        tables.numbers,
    ),
    "columns": (
        make_column_transformer(
            (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "chol"]),
            (FunctionTransformer(np.sqrt, feature_names_out="one-to-one"), ["visits"]),
            (one_hot(handle_unknown="ignore"), ["cp", "thal"]),
        ),
        tables.people,
    ),
}

# What an interpreter without FedPS does with the files, per way of taking them there.
SCRIPT = """
import pickle, sys
from pathlib import Path

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "fedps":
            raise ModuleNotFoundError("No module named 'fedps'", name="fedps")

sys.meta_path.insert(0, Absent())
try:
    import fedps
except ModuleNotFoundError:
    pass
else:
    raise AssertionError("fedps is not blocked")

import numpy as np
from sklearn.base import clone

folder, way = Path(sys.argv[1]), sys.argv[2]

def load(name):
    if way != "skops":
        return pickle.loads((folder / f"{name}.pickle").read_bytes())
    import skops.io
    file = folder / f"{name}.skops"
    types = skops.io.get_untrusted_types(file=file)
    assert not any("fedps" in name for name in types), types
    return skops.io.load(file, trusted=types)

for name, (table, y, expected) in pickle.loads((folder / "rows.pickle").read_bytes()).items():
    if name == "frozen" and way in ("pandas", "polars"):
        continue  # a frozen estimator keeps its output, in scikit-learn too
    fitted = load(name)
    if way == "clone":
        fitted = clone(fitted).fit(table, y)
    if way in ("pandas", "polars"):
        fitted.set_output(transform=way)
    output = fitted.transform(table)
    if way in ("pandas", "polars"):
        assert type(output).__module__.startswith(way), (name, type(output))
        assert list(output.columns) == list(fitted.get_feature_names_out()), name
        output = output.to_numpy().astype(float)
    rtol = 1e-6 if name == "power" else 1e-12
    atol = rtol * max(1, np.nanmax(np.abs(expected)))
    np.testing.assert_allclose(output, expected, rtol=rtol, atol=atol, err_msg=name)
assert "fedps" not in sys.modules
print("done")
"""


def fit(name):
    """Return the federated fit."""
    estimator, builder = RESULTS[name]
    table = builder()
    parts = partitions.thirds(table)
    if name == "target":
        parts = list(zip(parts, partitions.thirds(labels(table)), strict=True))
    with quiet():
        return fedps.Federation(parts).fit(estimator)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with federated fits, and with rows as the pooled fits transform them."""
    folder = tmp_path_factory.mktemp("results")
    rows = {}
    for name, (estimator, builder) in RESULTS.items():
        if name == "minmax" and not tables.POLARS_NAMED:
            continue
        table = builder()
        y = labels(table) if name == "target" else None
        fitted = fit(name)
        rows[name] = (table, y, fit_pooled(estimator, table, y).transform(table))
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(fitted))
        skops.io.dump(fitted, folder / f"{name}.skops")
    (folder / "rows.pickle").write_bytes(pickle.dumps(rows))
    return folder


@pytest.mark.parametrize("way", ["pickle", "skops", "clone", "pandas", "polars"])
def test_the_result_works_without_fedps(folder, way):
    if way == "polars" and not tables.POLARS_NAMED:
        pytest.skip("this scikit-learn does not know this polars")
    command = [sys.executable, "-I", "-c", SCRIPT, str(folder), way]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr
    assert child.stdout == "done\n"


@pytest.mark.parametrize("name", RESULTS)
def test_nothing_of_fedps_is_inside_the_result(name):
    fitted = fit(name)
    assert b"fedps" not in pickle.dumps(fitted)
    assert type(fitted) is type(RESULTS[name][0])
