"""An owner can keep its part: it survives pickle and skops."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import skops.io
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import BayesianRidge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import Normalizer, StandardScaler

from tests.twins.columns.models import owned, quietly, related, with_gaps

GAPS = (KNNImputer(), IterativeImputer(max_iter=2))
SOUND = (StandardScaler(), Normalizer(), BayesianRidge(), KNeighborsRegressor(2))


def by_skops(part):
    data = skops.io.dumps(part)
    return skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))


@pytest.mark.parametrize("way", [lambda part: pickle.loads(pickle.dumps(part)), by_skops])
@pytest.mark.parametrize("estimator", [*GAPS, *SOUND])
def test_a_part_is_the_same_again(estimator, way):
    X, y = related(30, 4)
    X = with_gaps(X) if estimator in GAPS else X
    part = quietly(owned(X, [2], y).fit, estimator)["client 1"]
    again = way(part)
    use = "transform" if hasattr(part, "transform") else "partial"
    expected = getattr(part, use)(X[:, :2])
    np.testing.assert_array_equal(getattr(again, use)(X[:, :2]), expected)
