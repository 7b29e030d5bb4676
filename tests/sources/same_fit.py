"""Whether two clients with the same rows are fitted to the bit alike, over a sample of the twins' estimators."""

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

import fedps

QUANTILES = "averaged_inverted_cdf"  # older versions warn without
NUMBERS = ["big", "gap", "nan", "whole", "small"]
ESTIMATORS = {
    "scalers": make_column_transformer(
        (StandardScaler(), NUMBERS),
        (MinMaxScaler(), NUMBERS),
        (MaxAbsScaler(), NUMBERS),
        (RobustScaler(quantile_range=(10, 80)), NUMBERS),
    ),
    "imputers": make_column_transformer(
        (SimpleImputer(strategy="median", add_indicator=True), NUMBERS),
        (SimpleImputer(strategy="most_frequent"), NUMBERS),
        (make_pipeline(SimpleImputer(), PolynomialFeatures(), StandardScaler()), ["gap", "small"]),
    ),
    "iterative": make_pipeline(
        make_column_transformer((IterativeImputer(max_iter=3), ["gap", "nan", "small"])),
        StandardScaler(),
    ),
    "encoders": make_column_transformer(
        (OneHotEncoder(min_frequency=5, sparse_output=False), ["word", "small"]),
        (OrdinalEncoder(), ["word", "flag"]),
    ),
    "dates": make_column_transformer((OneHotEncoder(sparse_output=False), ["day", "at", "money"])),
    "powers": make_column_transformer((PowerTransformer(), ["gap", "nan", "small"])),
    "quantiles": make_column_transformer(
        (QuantileTransformer(n_quantiles=50), ["gap", "small"]),
        (
            make_pipeline(
                SimpleImputer(), KBinsDiscretizer(5, encode="ordinal", quantile_method=QUANTILES)
            ),
            ["nan"],
        ),
    ),
    "sample": make_column_transformer(
        (QuantileTransformer(n_quantiles=20, subsample=100, random_state=0), ["small", "big"])
    ),
    "target": make_column_transformer((TargetEncoder(random_state=0), ["word", "small"])),
    "neighbours": make_column_transformer((KNNImputer(n_neighbors=3), ["gap", "small"])),
}
NEED_ORDER = ("sample", "target")


def attributes(estimator, path=""):
    """Yield all fitted attributes inside of an estimator, with their places."""
    for name, value in sorted(vars(estimator).items()):
        if name.endswith("_") and not name.startswith("_"):
            yield from _within(value, f"{path}.{name}")
    for name, step in getattr(estimator, "steps", ()):
        yield from attributes(step, f"{path}[{name}]")


def _within(value, path):
    if isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _within(item, f"{path}[{i}]")
    elif hasattr(value, "get_params"):
        yield from attributes(value, path)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _within(item, f"{path}[{key}]")
    else:
        yield path, value


def same(left, right):
    """Demand that two fitted estimators have the same numbers to the bit."""
    one, other = dict(attributes(left)), dict(attributes(right))
    assert one.keys() == other.keys()
    for path, value in one.items():
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
            np.testing.assert_array_equal(value, other[path], err_msg=path)
        elif isinstance(value, np.ndarray):
            assert list(map(repr, value.ravel())) == list(map(repr, other[path].ravel())), path
        elif isinstance(value, float | int | str):
            assert value == other[path] or value != value, path


def fit_both(name, source, memory, other):
    """Return the same pipeline, fitted with a client's rows at their source and in memory."""
    target = "label" if name == "target" else None
    return [
        fedps.Federation({"oslo": mine, "bergen": other}, target=target).fit(ESTIMATORS[name])
        for mine in (source, memory)
    ]
