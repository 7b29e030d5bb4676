"""PowerTransformer leaves cells apart wherever scikit-learn's does, and is as likely where that is fine."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import PowerTransformer

import fedps
from tests.laws.power_truth import likelihood, tabled
from tests.twins import partitions
from tests.twins.quiet import quiet
from tests.twins.rows.power import PATHS, fit_pooled, of_use

METHODS = ("yeo-johnson", "box-cox")
SPLITS = [partitions.thirds, partitions.sorted_rows, partitions.single_rows]
LUCK = 1e-6  # of a log-likelihood: rounding may spare two cells at one lambda, and not at the next
YEARS = np.repeat(np.arange(2006, 2011), [312, 350, 308, 336, 154])


def columns(seed, rows=24):
    """Return columns far from zero, of tiny variance, and of few distinct values; all positive."""
    rng = np.random.default_rng(seed)
    found = {}
    for power in range(seed, 13, 4):
        offset = 10.0**power
        few = rng.integers(2, 7)
        found[f"few {power}"] = offset + rng.integers(0, few, rows)
        found[f"skew {power}"] = offset + rng.geometric(0.4, rows)
        found[f"unit {power}"] = offset + rng.lognormal(0, 1, rows)
        found[f"tiny {power}"] = offset * (1 + 1e-6 * rng.integers(0, few, rows))
    return pd.DataFrame(found)


def outputs(fitted, table):
    with quiet():
        return np.asarray(fitted.transform(table), dtype=float)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("standardize", [True, False], ids=["scaled", "raw"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_cells_stay_apart(seed, method, standardize, path):
    table = columns(seed)
    estimator = PowerTransformer(method=method, standardize=standardize)
    pooled = fit_pooled(estimator, table)
    with quiet(), PATHS[path]():
        ours = fedps.Federation(SPLITS[seed](table)).fit(estimator)
    mine, theirs = outputs(ours, table), outputs(pooled, table)
    for j, name in enumerate(table):
        cells = table[name].to_numpy()
        values, first = np.unique(cells, return_index=True)
        if np.unique(theirs[first, j]).size < values.size or not np.isfinite(theirs[:, j]).all():
            continue
        found, wanted = ours.lambdas_[j], pooled.lambdas_[j]
        assert np.unique(mine[first, j]).size == values.size, (name, found, wanted)
        if path == "table" and of_use(pooled, wanted, cells):
            likely = [float(likelihood(method, lam, *tabled(cells))) for lam in (found, wanted)]
            assert likely[0] >= likely[1] - LUCK, (name, found, wanted)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", METHODS)
def test_years_stay_years(method, path):
    table = pd.DataFrame({"sold": YEARS})
    with quiet(), PATHS[path]():
        ours = fedps.Federation(partitions.thirds(table)).fit(PowerTransformer(method=method))
    made = ours.transform(pd.DataFrame({"sold": np.arange(2006, 2011)}))[:, 0]
    assert (np.diff(made) > 0.5).all()
    assert np.std(ours.transform(table)) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_many_values_that_are_hardly_apart(seed):
    """By sums, as there are too many values for a table. Rounding must not spare a few by luck."""
    rng = np.random.default_rng(seed)
    offsets = 10.0 ** rng.uniform(6, 12, 4)
    table = pd.DataFrame({str(x): x + 1e-11 * x * rng.lognormal(0, 1, 5000) for x in offsets})
    theirs = outputs(fit_pooled(PowerTransformer(), table), table)
    with quiet():
        federation = fedps.Federation(partitions.thirds(table))
        mine = outputs(federation.fit(PowerTransformer()), table)
    assert federation.run.rounds > 2
    for j, name in enumerate(table):
        values = table[name].nunique()
        if np.unique(theirs[:, j]).size == values:  # scikit-learn 1.7 finds powers that do it
            assert np.unique(mine[:, j]).size == values, name
