"""IterativeImputer with parameters and tables drawn at random, at once and step by step."""

from copy import deepcopy

import numpy as np
import pytest
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer
from sklearn.linear_model import BayesianRidge, Ridge

import fedps
from fedps.statistics.products import missing_patterns as patterns
from tests.twins.quiet import quiet
from tests.twins.twin import fit_pooled

ORDERS = ("ascending", "descending", "roman", "arabic", "random")
ESTIMATORS = (None, Ridge(), BayesianRidge(fit_intercept=False))


def drawn_cells(rng):
    rows, width = int(rng.integers(3, 80)), int(rng.integers(2, 6))
    common = rng.normal(size=(rows, 2)) @ rng.normal(size=(2, width))
    cells = common + rng.normal(size=(rows, width)) * rng.choice([0.1, 1]) + rng.choice([0, 30])
    cells[rng.random(cells.shape) < rng.choice([0.05, 0.3, 0.6])] = np.nan
    return cells


def drawn_imputer(rng, cells):
    params = {
        "estimator": ESTIMATORS[rng.integers(3)],
        "tol": float(rng.choice([1e-1, 1e-2, 1e-3, 1e-5, 0])),
        "max_iter": int(rng.integers(1, 7)),
        "imputation_order": ORDERS[rng.integers(5)],
        "skip_complete": bool(rng.random() < 0.5),
        "keep_empty_features": bool(rng.random() < 0.5),
        "random_state": 0,
    }
    if rng.random() < 0.5:
        params["min_value"] = float(np.nanquantile(cells, 0.2)) if rng.random() < 0.5 else -50.0
    if rng.random() < 0.3:
        params["n_nearest_features"] = 1
    return IterativeImputer(**params)


@pytest.mark.parametrize("seed", range(60))
def test_drawn(seed, monkeypatch):
    if seed % 2:  # step by step
        monkeypatch.setattr(patterns, "MOST_PATTERN_NUMBERS", 0)
    rng = np.random.default_rng(seed)
    cells = drawn_cells(rng)
    imputer = drawn_imputer(rng, cells)
    pooled = fit_pooled(imputer, cells)
    if isinstance(pooled, Exception):
        pytest.skip(f"scikit-learn fails on this one: {type(pooled).__name__}")
    with quiet():
        ours = fedps.fit(imputer, np.array_split(cells, rng.integers(1, 5)))
        expected, found = pooled.transform(cells), ours.transform(cells)
    assert ours.n_iter_ == pooled.n_iter_
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.nanmax(np.abs(cells)))
    draws = [deepcopy(each.random_state_).randint(2**31) for each in (ours, pooled)]
    assert draws[0] == draws[1]
