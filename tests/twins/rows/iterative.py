"""Tables with gaps, and the settings under which IterativeImputer fills them."""

import numpy as np
import pandas as pd
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer
from sklearn.linear_model import BayesianRidge, LinearRegression, Ridge

from tests.twins import tables

CLOSE = 1e-8  # of the largest number of each attribute


def related(width=5, rows=tables.ROWS, share=0.15, seed=0):
    """Columns that follow from one another, but for noise, and miss some cells."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(rows, 2)) @ rng.normal(size=(2, width))
    cells = (common + rng.normal(size=(rows, width)) / 2) * 10.0 ** rng.integers(-1, 3, width) + 40
    gaps = rng.random((rows, width)) < share
    gaps[:, -1] = False  # one column is complete
    return pd.DataFrame(np.where(gaps, np.nan, cells), columns=list("abcdefghijklmnop")[:width])


def whole():
    return related().round().astype("Int64")


def with_markers():
    return related().fillna(-1.0)


def as_array():
    return related().to_numpy()


def as_float32():
    return related().astype(np.float32)


def complete():
    return related(share=0.0)


def collinear():
    """Two columns are the same, and one is the sum of two others."""
    table = related()
    table["f"] = table["e"]
    table["g"] = table["a"] + table["b"]
    return table


def constant():
    table = related(3)
    table["d"] = np.where(np.arange(len(table)) % 5 == 0, np.nan, 7.0)
    table["e"] = 3.0
    return table


def wide():
    """More columns than rows in which any of them is observed."""
    return related(16, 14, share=0.3)


def one_column():
    return related()[["a"]]


def nothing_at_all():
    return related(2) * np.nan


def sorted_gaps():
    """No client has a row without gaps: those of each client are in another column."""
    table = related(share=0.0)
    for k, name in enumerate("abc"):
        table.loc[table.index[k * len(table) // 3 : (k + 1) * len(table) // 3], name] = np.nan
    return table


IMPUTER = IterativeImputer(max_iter=4)
SETTINGS = {
    "default": (IterativeImputer(), related),
    "whole": (IMPUTER, whole),
    "array": (IMPUTER, as_array),
    "polars": (IMPUTER, tables.polars_numbers),
    "numbers": (IMPUTER, tables.numbers),
    "booleans": (IMPUTER, tables.booleans),
    "nullable": (IMPUTER, tables.nullable_numbers),
    "arrow": (IMPUTER, tables.arrow_numbers),
    "objects": (IMPUTER, tables.object_numbers_holes),
    "strings": (IMPUTER, tables.strings),
    "sparse": (IMPUTER, tables.csr_holes),
    "ints": (IMPUTER, tables.ints_and_floats),
    "marker": (IterativeImputer(missing_values=-1, max_iter=4), with_markers),
    "constant-columns": (IMPUTER, constant),
    "complete": (IMPUTER, complete),
    "wide": (IMPUTER, wide),
    "one-column": (IMPUTER, one_column),
    "empty": (IMPUTER, tables.empty_column),
    "empty-kept": (IterativeImputer(keep_empty_features=True, max_iter=3), tables.empty_column),
    "no-complete-row": (IMPUTER, sorted_gaps),
}
# scikit-learn's own coefficients are rounded here: by the offset, or where any combination is as good
ROUGH = {
    "offset": (IMPUTER, tables.offset_holes),
    "collinear": (IMPUTER, collinear),
}
PARAMETERS = {
    "tol-0": (IterativeImputer(tol=0, max_iter=3), related),
    "no-sweep": (IterativeImputer(max_iter=0, add_indicator=True), related),
    "one-sweep": (IterativeImputer(max_iter=1), related),
    "many-sweeps": (IterativeImputer(max_iter=60, tol=1e-9), related),
    "descending": (IterativeImputer(imputation_order="descending"), related),
    "roman": (IterativeImputer(imputation_order="roman"), related),
    "arabic": (IterativeImputer(imputation_order="arabic"), related),
    "random": (IterativeImputer(imputation_order="random", random_state=7), related),
    "random-skip": (
        IterativeImputer(imputation_order="random", random_state=7, skip_complete=True),
        related,
    ),
    "random-state": (
        IterativeImputer(imputation_order="random", random_state=np.random.RandomState(5)),
        related,
    ),
    "skip": (IterativeImputer(skip_complete=True), related),
    "skip-descending": (
        IterativeImputer(skip_complete=True, imputation_order="descending"),
        related,
    ),
    "skip-all": (IterativeImputer(skip_complete=True), complete),
    "skip-all-tol-0": (IterativeImputer(skip_complete=True, tol=0, max_iter=3), complete),
    "median": (IterativeImputer(initial_strategy="median"), related),
    "most-frequent": (IterativeImputer(initial_strategy="most_frequent"), whole),
    "constant": (IterativeImputer(initial_strategy="constant"), related),
    "fill": (IterativeImputer(initial_strategy="constant", fill_value=50.5), related),
    "fill-empty": (
        IterativeImputer(initial_strategy="constant", fill_value=1e9, max_iter=3),
        tables.empty_column,
    ),
    "fill-empty-kept": (
        IterativeImputer(
            initial_strategy="constant", fill_value=1e9, max_iter=3, keep_empty_features=True
        ),
        tables.empty_column,
    ),
    "indicator": (IterativeImputer(add_indicator=True), related),
    "indicator-empty": (IterativeImputer(add_indicator=True, max_iter=3), tables.empty_column),
    "bounds": (IterativeImputer(min_value=35, max_value=45), related),
    "bounds-far": (IterativeImputer(min_value=-1e6, max_value=1e6), related),
    "bounds-arrays": (
        IterativeImputer(
            min_value=[-np.inf, 0, 30, -np.inf, 0], max_value=[45, 80, np.inf, 1e9, 1]
        ),
        related,
    ),
    "bounds-none": (IterativeImputer(min_value=None, max_value=None), related),
    "bounds-empty": (
        IterativeImputer(min_value=[0, 0, -1, -1, -1], max_iter=3),
        tables.empty_column,
    ),
    "bounds-wrong": (IterativeImputer(min_value=[0, 1]), related),
    "bounds-crossed": (IterativeImputer(min_value=5, max_value=5), related),
    "nearest": (IterativeImputer(n_nearest_features=2, random_state=3), related),
    "nearest-random": (
        IterativeImputer(n_nearest_features=3, random_state=3, imputation_order="random"),
        related,
    ),
    "nearest-all": (IterativeImputer(n_nearest_features=9, random_state=3), related),
    "nearest-constant": (
        IterativeImputer(n_nearest_features=2, random_state=3, max_iter=3),
        constant,
    ),
    "linear": (IterativeImputer(LinearRegression()), related),
    "linear-origin": (IterativeImputer(LinearRegression(fit_intercept=False)), related),
    "linear-wide": (IterativeImputer(LinearRegression(), max_iter=2), wide),
    "ridge": (IterativeImputer(Ridge(0.3)), related),
    "ridge-origin": (IterativeImputer(Ridge(30, fit_intercept=False)), related),
    "ridge-svd": (IterativeImputer(Ridge(solver="svd")), related),
    "bayes-origin": (IterativeImputer(BayesianRidge(fit_intercept=False)), related),
    "bayes-scores": (IterativeImputer(BayesianRidge(compute_score=True), max_iter=2), related),
    "bayes-priors": (
        IterativeImputer(BayesianRidge(alpha_init=2, lambda_init=0.1, lambda_1=1e-3, max_iter=5)),
        related,
    ),
    "pandas-out": (IterativeImputer(add_indicator=True).set_output(transform="pandas"), related),
}
