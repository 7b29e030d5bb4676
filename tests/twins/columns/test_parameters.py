"""A part has the parameters that were asked for, though they reached its owner as bytes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.frozen import FrozenEstimator
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    Normalizer,
    OneHotEncoder,
    QuantileTransformer,
    StandardScaler,
)

import fedps
from tests.twins.columns.models import owned, quietly, related, with_gaps


def state(value):
    """Return a parameter in a form that can be compared."""
    if isinstance(value, np.random.RandomState):
        return "a generator"  # a fit draws from it: test_draws compares what
    if isinstance(value, np.ndarray):
        return value.tolist()
    return repr(value)


def by_distance(distances):
    return 1 / (1 + distances)


ODD = [
    StandardScaler(copy=False, with_mean=False),
    Normalizer(norm="l1", copy=False),
    QuantileTransformer(n_quantiles=5, subsample=20, random_state=np.random.RandomState(3)),
    KBinsDiscretizer(3, encode="ordinal", dtype=np.float32, strategy="uniform"),
    FunctionTransformer(np.log1p, inverse_func=np.expm1, check_inverse=False),
    SimpleImputer(missing_values=pd.NA, strategy="median", copy=False, add_indicator=True),
    KNNImputer(n_neighbors=3, weights=by_distance, copy=False),
    IterativeImputer(BayesianRidge(tol=1e-2), max_iter=2, tol=1e-2, random_state=0, verbose=0),
    KNeighborsRegressor(3, weights=by_distance, algorithm="brute", leaf_size=7, n_jobs=1),
    BayesianRidge(copy_X=False, max_iter=20),
    make_pipeline(SimpleImputer(copy=False), StandardScaler(copy=False), verbose=False),
]


@pytest.mark.parametrize("estimator", ODD, ids=lambda estimator: type(estimator).__name__)
def test_all_parameters_reach_the_owner(estimator):
    X, y = related(40, 4)
    X = np.abs(with_gaps(X)) if "mpute" in type(estimator).__name__ else np.abs(X)
    fitted = quietly(owned(X, [2], y).fit, estimator)
    asked = estimator.get_params()
    for part in fitted.values():
        found = part.get_params()
        plain = {k: v for k, v in asked.items() if not hasattr(v, "fit") and k != "steps"}
        assert {k: state(found[k]) for k in plain} == {k: state(v) for k, v in plain.items()}


def test_draws():
    """Each owner draws with a copy of the generator, as pooled columns would with one."""
    X, y = related(40, 4)
    drawn = QuantileTransformer(n_quantiles=5, subsample=20, random_state=np.random.RandomState(3))
    fitted = quietly(owned(X, [2], y).fit, drawn)
    pooled = quietly(clone(drawn).fit, X)
    found = np.hstack([part.quantiles_ for part in fitted.values()])
    np.testing.assert_array_equal(found, pooled.quantiles_)


def test_a_dtype_stays_what_it_was():
    table = pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]})
    owners = {"one": table[["a"]], "two": table[["b"]]}
    made = fedps.Federation(owners, split="columns")
    for dtype in (np.int32, np.dtype("int32")):
        part = made.fit(OneHotEncoder(dtype=dtype, sparse_output=False))["one"]
        assert type(part.dtype) is type(dtype)
        assert part.transform(table[["a"]]).dtype == np.int32


def test_what_was_fitted_before_stays_fitted_at_one_owner():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    before = StandardScaler().fit(table)
    made = fedps.Federation({"one": table, "two": table[[]]}, split="columns")
    _, outputs = made.fit_transform(FrozenEstimator(before))
    np.testing.assert_array_equal(outputs["one"], before.transform(table))
