"""Compare a PowerTransformer with the pooled fit.

scikit-learn's own lambda is good to about 1e-7 at best, and where a transform saturates it may be
anything. So ours is held to the likelihood at sixty digits, and its output to scikit-learn's wherever
both have the same lambda. Where the best lambda leaves no two cells apart, ours is the best that does.
"""

from contextlib import nullcontext
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from scipy.optimize._optimize import BracketError
from sklearn.preprocessing import PowerTransformer, StandardScaler
from sklearn.preprocessing._data import _is_constant_feature

import fedps
from fedps.plans.rows.power.power_table import below_overflow, bounds
from tests.laws.power_truth import is_best, likelihood, tabled
from tests.twins.partitions import pool
from tests.twins.quiet import quiet
from tests.twins.rows.no_tables import without_tables
from tests.twins.twin import RAISED

PATHS = {"table": nullcontext, "sums": without_tables}


def check_power(estimator, clients, path):
    """Compare the fit across clients with the pooled one; where that raises, ours must too."""
    table = pool(clients)
    federation = fedps.Federation(clients)
    pooled = fit_pooled(estimator, table)
    if isinstance(pooled, BracketError):
        return None  # SciPy's own search failed, and there is nothing to compare with
    if isinstance(pooled, Exception):
        with quiet(), PATHS[path](), pytest.raises((*RAISED, type(pooled))):
            federation.fit(estimator)
        return None
    with quiet(), PATHS[path]():
        ours = federation.fit(estimator)
    same_form(ours, pooled)
    cells = numbers(table)
    for j, (mine, theirs) in enumerate(zip(ours.lambdas_, pooled.lambdas_, strict=True)):
        same_column(j, (ours, mine), (pooled, theirs), table, cells[:, j], path)
    return federation.run


def fit_pooled(estimator, table):
    with quiet():
        try:
            return PowerTransformer(**estimator.get_params()).fit(table)
        except Exception as error:  # noqa: BLE001 (any error must be an error in ours too)
            return error


def numbers(table):
    if isinstance(table, pd.DataFrame):
        return table.astype("Float64").to_numpy(dtype=float, na_value=np.nan)
    return np.asarray(table.to_numpy() if hasattr(table, "to_numpy") else table, dtype=float)


def same_form(ours, pooled):
    """Assert that all attributes are there, with the same types, and all but the sums equal."""
    for mine, theirs in [(ours, pooled), *pairs_of_scalers(ours, pooled)]:
        assert vars(mine).keys() == vars(theirs).keys()
        for name, value in vars(theirs).items():
            found = getattr(mine, name)
            assert type(found) is type(value), name
            if name in ("lambdas_", "mean_", "var_", "scale_"):
                assert (found.dtype, found.shape) == (value.dtype, value.shape), name
            elif name != "_scaler":
                np.testing.assert_array_equal(found, value, err_msg=name)
    np.testing.assert_array_equal(ours.get_feature_names_out(), pooled.get_feature_names_out())


def pairs_of_scalers(ours, pooled):
    return [(ours._scaler, pooled._scaler)] if pooled.standardize else []


def same_column(j, ours, pooled, table, cells, path):
    """Assert that a column has the best lambda, and the same output if scikit-learn has it too."""
    (mine, found), (theirs, wanted) = ours, pooled
    narrow = theirs.lambdas_.dtype != np.float64
    present = cells[~np.isnan(cells)]
    if abs(found - wanted) <= 1e-6 * max(1, abs(wanted)):
        with quiet():
            rows = [fit.transform(deepcopy(table)) for fit in (mine, theirs)]
        outputs = [np.asarray(part, dtype=float)[:, j] for part in rows]
        ulps = 64 * float(np.finfo(theirs.lambdas_.dtype).eps)
        rtol = max(1e-6, ulps)
        size = np.nanmax(np.abs(outputs[1]), initial=0)
        if theirs.standardize:  # the scaler magnifies rounding
            atol = rtol * size + ulps * abs(theirs._scaler.mean_[j]) / theirs._scaler.scale_[j]
        else:  # and hides that a power moves by more than its exponent
            exponent = max(1, abs(wanted))  # which may be apart by that share of itself, see above
            atol = rtol * size * (1 + exponent * np.abs(np.log1p(np.abs(present))).max())
        np.testing.assert_allclose(*outputs, rtol=0, atol=atol)
    if np.ptp(present) == 0 or found == wanted == 1:
        assert found == wanted  # scikit-learn's rules for constant columns
    elif not narrow:
        best_of_use(theirs, found, wanted, present, path)


def best_of_use(estimator, found, wanted, present, path):
    """Assert that no lambda is likelier whose output still tells the cells apart."""
    method, ends = estimator.method, (present.min(), present.max())
    if method == "yeo-johnson":
        limits = bounds(*ends, np.float64)
    else:
        limits = tuple(below_overflow(far, *ends, np.float64) for far in (-1e18, 1e18))
    likely = [likelihood(method, lam, *tabled(present)) for lam in (found, wanted)]
    if is_best(method, found, present, bounds=limits):
        assert likely[0] >= likely[1] or abs(found - wanted) <= 1e-9 * max(1, abs(wanted))
        return
    assert of_use(estimator, found, present) or not of_use(estimator, wanted, present)
    near = np.ptp(present) < 1e-6 * np.abs(present).max()  # then rounding decides what is of use
    if path == "table" and not near:  # sums do not show how near cells are to each other
        step = 0.01 * max(1.0, abs(found))
        likelier = max(
            (found - step, found + step), key=lambda lam: likelihood(method, lam, *tabled(present))
        )
        assert not of_use(estimator, likelier, present)
        assert likely[0] >= likely[1] or not of_use(estimator, wanted, present)


def of_use(estimator, exponent, present):
    """Tell whether a transform leaves the cells finite and apart, for a StandardScaler as well."""
    cells = np.unique(present)
    tool = PowerTransformer(method=estimator.method, standardize=False)
    tool.lambdas_, tool.n_features_in_ = np.array([exponent]), 1
    with quiet(), np.errstate(all="ignore"):
        scaler = StandardScaler().fit(tool.transform(present[:, None]))
        made = tool.transform(cells[:, None])
        scaled = scaler.transform(made) if estimator.standardize else made
        constant = _is_constant_feature(scaler.var_, scaler.mean_, len(present)).all()
    varies = not constant if np.isfinite(scaler.var_) else not estimator.standardize
    apart = np.isfinite(scaled).all() and np.unique(scaled).size == cells.size
    return bool(varies and apart)
