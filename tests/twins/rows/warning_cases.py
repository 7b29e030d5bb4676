"""Estimators and tables on which scikit-learn warns while it fits or transforms.

Made by going through every ``warnings.warn`` of the modules that supported estimators come from.
"""

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    LabelBinarizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

ROWS = 60
_random = np.random.default_rng(0)
NUMBERS = pd.DataFrame(
    {
        "a": _random.normal(size=ROWS),
        "b": _random.lognormal(size=ROWS),
        "c": _random.integers(0, 3, ROWS).astype(float),
    }
)
GAPS = NUMBERS.mask(_random.random(NUMBERS.shape) < 0.2)
EMPTY = GAPS.assign(e=np.nan)
CONSTANT = NUMBERS.assign(k=1.0)
YEARS = pd.DataFrame({"sold": np.repeat(np.arange(2006.0, 2011.0), [6, 6, 12, 18, 18])})
WORDS = pd.DataFrame(
    {
        "x": np.array(list("abc"))[_random.integers(0, 3, ROWS)],
        "y": np.array(list("uvw"))[_random.integers(0, 3, ROWS)],
    }
)
# unknown in one column at the first client, and in the other at the last
SPREAD = pd.DataFrame({"x": ["a"] * 59 + ["z"], "y": ["z"] + ["u", "v"] * 29 + ["u"]})
CLASSES = pd.Series(_random.integers(0, 2, ROWS))
KNOWN = [["a", "b"], ["u", "v"]]
SHORT = {"max_iter": 2, "tol": 1e-9}


def bins(strategy, number=3, **options):
    return KBinsDiscretizer(number, strategy=strategy, encode="ordinal", **options)


def encoder(unknown, **options):
    return OneHotEncoder(handle_unknown=unknown, sparse_output=False, **options)


# name: estimator, table, target
CASES = {
    "iterative": (IterativeImputer(**SHORT), GAPS, None),
    "iterative ridge": (IterativeImputer(Ridge(), **SHORT), GAPS, None),
    "iterative bounds": (IterativeImputer(Ridge(), min_value=0, max_value=1, **SHORT), GAPS, None),
    "iterative tol": (IterativeImputer(max_iter=1, tol=0, max_value=1), GAPS, None),
    "iterative enough": (IterativeImputer(max_iter=3, tol=9, max_value=1), GAPS, None),
    "iterative once": (IterativeImputer(max_iter=1, tol=9, max_value=1), GAPS, None),
    "iterative not at all": (IterativeImputer(max_iter=0), GAPS, None),
    "iterative complete": (IterativeImputer(max_iter=2, tol=0), NUMBERS, None),
    "iterative empty": (IterativeImputer(**SHORT), EMPTY, None),
    "iterative pipeline": (make_pipeline(IterativeImputer(**SHORT), MinMaxScaler()), GAPS, None),
    **{
        f"simple {strategy}": (SimpleImputer(strategy=strategy), EMPTY, None)
        for strategy in ("mean", "median", "most_frequent", "constant")
    },
    "simple kept": (SimpleImputer(keep_empty_features=True), EMPTY, None),
    "simple array": (SimpleImputer(), EMPTY.to_numpy(), None),
    "simple pipeline": (make_pipeline(SimpleImputer(), StandardScaler()), EMPTY, None),
    "simple columns": (make_column_transformer((SimpleImputer(), ["a", "e"])), EMPTY, None),
    "indicator": (MissingIndicator(), EMPTY, None),
    "standard empty": (StandardScaler(), EMPTY, None),
    "robust empty": (RobustScaler(), EMPTY, None),
    "min-max empty": (MinMaxScaler(), EMPTY, None),
    "max-abs empty": (MaxAbsScaler(), EMPTY, None),
    "k-means few": (KMeans(5, n_init=1, random_state=0), NUMBERS[["c"]], None),
    "k-means one": (KMeans(1, algorithm="elkan", n_init=1, random_state=0), NUMBERS, None),
    "k-means given": (KMeans(2, init=np.eye(3)[:2], n_init=3), NUMBERS, None),
    **{
        f"bins {strategy} {name}": (bins(strategy, number, **options), table, None)
        for strategy in ("uniform", "quantile", "kmeans")
        for name, number, table, options in (
            ("constant", 3, CONSTANT, {}),
            ("small", 8, NUMBERS[["c"]], {}),
            ("sampled", 3, NUMBERS, {"subsample": 20, "random_state": 0}),
            ("method", 3, CONSTANT, {"quantile_method": "averaged_inverted_cdf"}),
        )
    },
    "quantiles": (QuantileTransformer(), NUMBERS, None),
    "quantiles zeros": (
        QuantileTransformer(n_quantiles=9, ignore_implicit_zeros=True),
        NUMBERS,
        None,
    ),
    "quantiles twice": (make_union(QuantileTransformer(), QuantileTransformer()), NUMBERS, None),
    "splines constant": (SplineTransformer(knots="quantile"), CONSTANT, None),
    "one-hot warn": (encoder("warn", categories=KNOWN), WORDS, None),
    "one-hot ignore": (encoder("ignore", categories=KNOWN), WORDS, None),
    "one-hot drop": (encoder("ignore", categories=KNOWN, drop="first"), WORDS, None),
    "one-hot infrequent": (
        encoder("infrequent_if_exist", categories=KNOWN, drop="first", min_frequency=2),
        WORDS,
        None,
    ),
    "one-hot spread": (encoder("warn", categories=KNOWN), SPREAD, None),
    "one-hot pipeline": (
        make_pipeline(encoder("warn", categories=KNOWN), MaxAbsScaler()),
        WORDS,
        None,
    ),
    "ordinal": (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, categories=KNOWN),
        WORDS,
        None,
    ),
    "target": (TargetEncoder(), WORDS, CLASSES),
    "target shuffle": (TargetEncoder(shuffle=False), WORDS, CLASSES),
    "target state": (TargetEncoder(random_state=0), WORDS, CLASSES),
    "target rare": (TargetEncoder(cv=5), WORDS, pd.Series([0] * 57 + [1] * 3)),
    "target classes": (TargetEncoder(), WORDS, pd.Series(np.arange(ROWS) % 40)),
    "labels": (LabelBinarizer(), None, pd.Series(np.arange(ROWS) % 40)),
    "inverse": (FunctionTransformer(np.exp, np.sqrt, check_inverse=True), NUMBERS, None),
    "function": (FunctionTransformer(np.log), NUMBERS, None),
    "power": (PowerTransformer(), CONSTANT, None),
    "power raw": (PowerTransformer(method="box-cox", standardize=False), YEARS, None),
}
