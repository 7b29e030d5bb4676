"""Which parameters a client holds against its limits: those that count, and no others."""

from __future__ import annotations

from numbers import Integral

import numpy as np
import pandas as pd
import pytest
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - all_estimators needs it
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, SplineTransformer, StandardScaler
from sklearn.utils import all_estimators

import fedps
from fedps.client.work_limits import COUNTING, check_parameters
from fedps.questions.families import ROW_FAMILIES
from fedps.statistics import BadCells

# they choose among rows or values that there are, stand for values, or do not go over an engine
COST_NOTHING = {
    "encoded_missing_value",
    "leaf_size",
    "max_categories",
    "min_frequency",
    "n_jobs",
    "neg_label",
    "pos_label",
    "subsample",
    "unknown_value",
}


def whole_numbers(kind):
    """Yield the parameters of a class that may be whole numbers, as scikit-learn declares them."""
    for name, allowed in getattr(kind, "_parameter_constraints", {}).items():
        of = [getattr(one, "type", one) for one in allowed] if isinstance(allowed, list) else []
        if Integral in of:
            yield name


def test_each_whole_number_counts_or_costs_nothing():
    known = dict(all_estimators())
    found = {name for estimator in ROW_FAMILIES for name in whole_numbers(known[estimator])}
    assert "n_bins" in found
    assert found - COUNTING - COST_NOTHING == set()
    assert {"cv"} | found >= COUNTING


@pytest.mark.parametrize("name", sorted(COUNTING))
def test_too_many(name):
    for value in (100_001, (2, 100_001), np.array([100_001])):
        with pytest.raises(BadCells, match="too much"):
            check_parameters("Any", {name: value})


def test_large_numbers_that_are_no_counts():
    """A marker of gaps, a filling, knots and the size of a subsample are not refused."""
    table = pd.DataFrame({"a": [1, 250_000, 999_999, 750_000]})
    federation = fedps.Federation({"oslo": table})
    for responder in federation._session.transport.responders.values():
        responder.functions = None  # as over an engine, where the server is not trusted
    imputer = SimpleImputer(missing_values=999_999, strategy="constant", fill_value=500_000)
    spline = SplineTransformer(knots=np.array([[0], [500_000], [1_000_000]]))
    bins = KBinsDiscretizer(2, strategy="uniform", encode="ordinal", subsample=200_000)
    for step in (spline, bins):
        estimator = make_pipeline(imputer, step, StandardScaler())
        found = federation.fit(estimator).transform(table)
        np.testing.assert_allclose(found, estimator.fit_transform(table))
