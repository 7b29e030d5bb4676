"""Is a fitted estimator the twin of another: the same attributes, types, dtypes and numbers.

Counts, categories, extremes and everything else that is not rounded on the way are equal to the
bit. Means and variances are equal to ``rtol`` of their column's scale: they are sums, and a sum
depends on the order of its terms, in scikit-learn too. What a later step of a pipeline learns
from rounded numbers is compared in the same way. A power transform's lambda is as good as
scikit-learn's search for it, and k-means moves by how scikit-learn rounds its sums.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from scipy.interpolate import BSpline
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import IterativeImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    MultiLabelBinarizer,
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
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.validation import check_is_fitted

from tests.twins.quiet import quiet

EPS = np.finfo(float).eps
# scikit-learn adds up float32 cells in float32 in places: a hundred rows lose some ten ulps.
FLOAT32 = 64 * float(np.finfo(np.float32).eps)

POWER = 1e-6  # of a lambda, and of what comes out
RIDGE = 1e-8  # of each attribute's largest number, where columns are well-conditioned
KMEANS = 1e-9  # of a column's range

MOMENTS = {"mean_", "var_", "scale_", "n_samples_seen_"}
# Their transform gives the same bits for the same cells, whatever the layout in memory.
UNROUNDED = (
    Binarizer,
    KBinsDiscretizer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    MissingIndicator,
    MultiLabelBinarizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
)


@dataclass(frozen=True)
class Rule:
    """How closely floats must agree: to the bit, or to a tolerance.

    ``scale`` is the size of the cells, for means whose terms cancel.
    """

    rtol: float
    exact: bool = True
    scale: float = 0.0


# Fitted attributes ----------------------------------------------------------------------------


def assert_same_fit(ours, pooled, rtol=1e-12, scale=0.0):
    """Assert that two fitted estimators have the same attributes, public and private."""
    check_is_fitted(ours)
    _same(ours, pooled, Rule(rtol, scale=scale), type(pooled).__name__)
    missing = object()
    for name in ("n_features_in_", "feature_names_in_"):
        _same(getattr(ours, name, missing), getattr(pooled, name, missing), Rule(rtol), name)
    _same(_names_out(ours), _names_out(pooled), Rule(rtol), "get_feature_names_out()")


def assert_unchanged(estimator, before):
    """Assert that an estimator that was passed to ``fit`` is still as it was."""
    _same(estimator, before, Rule(0), f"the argument {type(before).__name__}")


def _names_out(estimator):
    if not hasattr(estimator, "get_feature_names_out"):
        return None
    try:
        return estimator.get_feature_names_out()
    except Exception as error:  # noqa: BLE001 (whatever one raises, so must the other)
        return type(error)


def _same(ours, pooled, rule, at):
    assert type(ours) is type(pooled), f"{at}: {type(ours)} where pooled has {type(pooled)}"
    if isinstance(pooled, BaseEstimator):
        _same_estimator(ours, pooled, rule, at)
    elif isinstance(pooled, np.ndarray):
        _same_array(ours, pooled, rule, at)
    elif isinstance(pooled, float | np.floating):
        _same_array(np.asarray(ours), np.asarray(pooled), rule, at)
    elif sp.issparse(pooled):
        assert ours.format == pooled.format, f"{at}: {ours.format}, pooled {pooled.format}"
        _same_array(ours.toarray(), pooled.toarray(), rule, at)
    elif isinstance(pooled, dict):
        keys = [{key: type(key) for key in table} for table in (ours, pooled)]
        assert keys[0] == keys[1], f"{at}: keys {keys[0]}, pooled {keys[1]}"
        for key in pooled:
            _same(ours[key], pooled[key], rule, f"{at}[{key!r}]")
    elif isinstance(pooled, list | tuple):
        assert len(ours) == len(pooled), f"{at}: {ours} where pooled has {pooled}"
        for k, (mine, theirs) in enumerate(zip(ours, pooled, strict=True)):
            _same(mine, theirs, rule, f"{at}[{k}]")
    elif isinstance(pooled, make_column_selector | BSpline):
        _same_attributes(ours, pooled, rule, at)
    elif isinstance(pooled, pd.Index | MetadataRequest):
        assert str(ours) == str(pooled), f"{at}: {ours!r} where pooled has {pooled!r}"
    elif ours is not pooled and not isinstance(pooled, np.random.RandomState):
        assert ours == pooled, f"{at}: {ours!r} where pooled has {pooled!r}"


def _same_estimator(ours, pooled, rule, at):
    if _sums_in_float32(pooled):
        rule = replace(rule, rtol=max(rule.rtol, FLOAT32))
    apart = set()
    if isinstance(pooled, StandardScaler):
        apart = MOMENTS & set(vars(pooled))
        _same_moments(ours, pooled, rule, at, apart)
    elif isinstance(pooled, SimpleImputer) and pooled.strategy == "mean" and rule.exact:
        apart = {"statistics_"} & set(vars(pooled))
        _same_moments(ours, pooled, rule, at, apart)
    elif isinstance(pooled, PowerTransformer):
        rule = replace(rule, rtol=max(rule.rtol, POWER), exact=False)
        apart = {"lambdas_"} & set(vars(pooled))
        for name in apart:
            slack = rule.rtol * np.maximum(1, np.abs(pooled.lambdas_))
            _close(ours.lambdas_, pooled.lambdas_, slack, f"{at}.{name}")
    elif isinstance(pooled, BayesianRidge):
        narrow = getattr(pooled, "coef_", np.empty(0)).dtype == np.float32
        rule = replace(rule, rtol=max(rule.rtol, RIDGE, narrow * 1e-3), exact=False)
    elif isinstance(pooled, TargetEncoder):
        apart = {"encodings_", "target_mean_", "cv"} & set(vars(pooled))
        _same_encodings(ours, pooled, rule, at)
    elif isinstance(pooled, KBinsDiscretizer) and pooled.strategy == "kmeans":
        apart = {"bin_edges_"} & set(vars(pooled))
        _same_edges(ours, pooled, rule, at)
    elif isinstance(pooled, IterativeImputer):
        rule = replace(rule, exact=False)  # each regression is solved anew
    elif isinstance(pooled, Pipeline):
        apart = {"steps"}
        _same_steps(ours, pooled, rule, at)
    _same_attributes(ours, pooled, rule, at, apart)


def _same_attributes(ours, pooled, rule, at, apart=frozenset()):
    mine, theirs = vars(ours), vars(pooled)
    assert set(mine) == set(theirs), (
        f"{at}: lacks {set(theirs) - set(mine)}, has {set(mine) - set(theirs)} beyond pooled"
    )
    for name in set(theirs) - apart:
        _same(mine[name], theirs[name], rule, f"{at}.{name}")


def _same_moments(ours, pooled, rule, at, names):
    for name in names:
        mine, theirs = getattr(ours, name, None), getattr(pooled, name)
        assert type(mine) is type(theirs), f"{at}.{name}: {type(mine)}, pooled {type(theirs)}"
        if theirs is not None:
            _close(mine, theirs, _slack(pooled, name, rule), f"{at}.{name}")


def _slack(scaler, name, rule):
    """Return how far a mean, a variance or a sum of weights may be off, per column."""
    value = np.asarray(getattr(scaler, name))
    if name == "statistics_":
        return rule.rtol * (np.abs(value) + rule.scale)
    if name == "mean_" and scaler.var_ is not None:
        return rule.rtol * np.hypot(np.sqrt(np.maximum(scaler.var_, 0)), value)
    if name == "var_" and scaler.mean_ is not None:
        ulp = EPS if rule.rtol < FLOAT32 else FLOAT32
        return rule.rtol * np.abs(value) + (8 * ulp * scaler.mean_) ** 2
    return rule.rtol * np.abs(value)


def _same_encodings(ours, pooled, rule, at):
    """Compare what a TargetEncoder learned; splitters are equal to nothing but themselves."""
    assert type(ours.cv) is type(pooled.cv), f"{at}.cv: {ours.cv!r}, pooled {pooled.cv!r}"
    if not hasattr(pooled, "encodings_"):
        return
    narrow = np.asarray(pooled.target_mean_).dtype == np.float32
    rule = replace(rule, rtol=max(rule.rtol, FLOAT32) if narrow else rule.rtol, exact=False)
    for name in ("encodings_", "target_mean_"):
        _same(getattr(ours, name), getattr(pooled, name), rule, f"{at}.{name}")


def _same_edges(ours, pooled, rule, at):
    """Compare the edges that k-means found: all equal but for its roundings."""
    edges = [getattr(each, "bin_edges_", np.array([])) for each in (ours, pooled)]
    assert len(edges[0]) == len(edges[1]), f"{at}.bin_edges_"
    for j, (mine, theirs) in enumerate(zip(*edges, strict=True)):
        narrow = theirs.dtype == np.float32
        with np.errstate(invalid="ignore"):
            spread = np.nan_to_num(np.ptp(theirs.astype(np.float64)), posinf=0)
        rtol = max(rule.rtol, KMEANS, FLOAT32 if narrow else 0)
        _close(mine, theirs, rtol * spread, f"{at}.bin_edges_[{j}]")


def _same_steps(ours, pooled, rule, at):
    assert [name for name, _ in ours.steps] == [name for name, _ in pooled.steps], at
    for (name, mine), (_, theirs) in zip(ours.steps, pooled.steps, strict=True):
        _same(mine, theirs, rule, f"{at}.{name}")
        if rounds(theirs):
            rule = replace(rule, exact=False, scale=1.0)
        if _sums_in_float32(theirs):
            rule = replace(rule, rtol=max(rule.rtol, FLOAT32))
        if _has_power(theirs):
            rule = replace(rule, rtol=max(rule.rtol, POWER))


def _sums_in_float32(estimator):
    seen = getattr(estimator, "n_samples_seen_", None)
    kind = getattr(seen, "dtype", getattr(estimator, "_fit_dtype", None))
    return kind == np.float32


def _has_power(estimator):
    if isinstance(estimator, FrozenEstimator):
        return _has_power(estimator.estimator)
    parts = _parts(estimator) or []
    return isinstance(estimator, PowerTransformer) or any(map(_has_power, parts))


def rounds(estimator):
    """Tell whether a fitted estimator's output may differ from its twin's in the last bits."""
    if estimator is None or isinstance(estimator, (str, *UNROUNDED)):
        return False
    if isinstance(estimator, FrozenEstimator):
        return rounds(estimator.estimator)
    if isinstance(estimator, SimpleImputer):
        return estimator.strategy == "mean"
    if isinstance(estimator, FunctionTransformer):
        return estimator.func is not None
    parts = _parts(estimator)
    return any(rounds(part) for part in parts) if parts is not None else True


def _parts(estimator):
    if isinstance(estimator, ColumnTransformer):
        parts = getattr(estimator, "transformers_", estimator.transformers)
        return [part for _, part, _ in parts]
    if isinstance(estimator, Pipeline):
        return [part for _, part in estimator.steps]
    return (
        [p for _, p in estimator.transformer_list] if isinstance(estimator, FeatureUnion) else None
    )


def _same_array(ours, pooled, rule, at):
    assert ours.shape == pooled.shape, f"{at}: shape {ours.shape}, pooled {pooled.shape}"
    assert ours.dtype == pooled.dtype, f"{at}: dtype {ours.dtype}, pooled {pooled.dtype}"
    if pooled.dtype == object:
        for k, (mine, theirs) in enumerate(zip(ours.flat, pooled.flat, strict=True)):
            _same(mine, theirs, rule, f"{at}[{k}]")
    elif pooled.dtype.kind == "f" and not rule.exact:
        finite = np.abs(pooled[np.isfinite(pooled)])
        _close(ours, pooled, rule.rtol * finite.max(initial=rule.scale), at)
    else:
        np.testing.assert_array_equal(ours, pooled, err_msg=at, strict=True)


def _close(ours, pooled, atol, at):
    ours, pooled = np.asarray(ours), np.asarray(pooled)
    assert ours.shape == pooled.shape, f"{at}: shape {ours.shape}, pooled {pooled.shape}"
    assert ours.dtype == pooled.dtype, f"{at}: dtype {ours.dtype}, pooled {pooled.dtype}"
    with np.errstate(invalid="ignore"):
        off = np.abs(ours - pooled)
    wrong = ~((off <= atol) | (ours == pooled) | (np.isnan(ours) & np.isnan(pooled)))
    allowed = np.broadcast_to(atol, wrong.shape)[wrong]
    assert not wrong.any(), (
        f"{at}: {ours[wrong]} where pooled has {pooled[wrong]}: off by {off[wrong]}, "
        f"allowed {allowed}"
    )


# Transformed rows -----------------------------------------------------------------------------


def assert_same_transform(ours, pooled, X, rtol=1e-12):
    """Assert that two fitted estimators give the same rows, or the same error, for ``X``."""
    mine, theirs = _outcome(ours, X), _outcome(pooled, X)
    assert_same_output(mine, theirs, pooled, rtol)


def _outcome(estimator, X):
    with quiet():
        try:
            return estimator.transform(X)
        except Exception as error:  # noqa: BLE001 (whatever one raises, so must the other)
            return error


def assert_same_output(mine, theirs, pooled, rtol=1e-12):
    """Assert that two outputs of a pooled fit and its twin are the same."""
    if isinstance(theirs, Exception) != isinstance(mine, Exception):
        raise AssertionError(f"transform gives {mine!r} where pooled gives {theirs!r}")
    assert type(mine) is type(theirs), f"transform: {type(mine)}, pooled {type(theirs)}"
    if isinstance(theirs, Exception):
        return
    rtol = max(rtol, POWER) if _has_power(pooled) else rtol
    rule = Rule(rtol, exact=not rounds(pooled))
    if isinstance(theirs, pd.DataFrame | pl.DataFrame):
        assert list(mine.columns) == list(theirs.columns)
        assert list(mine.dtypes) == list(theirs.dtypes)
        if isinstance(theirs, pd.DataFrame):
            assert mine.index.equals(theirs.index)
        for name in theirs.columns:
            _same_column(mine[name].to_numpy(), theirs[name].to_numpy(), rule, pooled, name)
    elif sp.issparse(theirs):
        assert mine.format == theirs.format, f"transform: {mine.format}, pooled {theirs.format}"
        _same_column(mine.toarray(), theirs.toarray(), rule, pooled, "transform")
    else:
        _same_column(np.asarray(mine), np.asarray(theirs), rule, pooled, "transform")


def _same_column(mine, theirs, rule, pooled, at):
    if theirs.dtype.kind == "f" and not rule.exact:
        rtol = max(rule.rtol, FLOAT32) if theirs.dtype == np.float32 else rule.rtol
        finite = np.abs(theirs[np.isfinite(theirs)])
        _close(mine, theirs, rtol * (finite.max(initial=0) + _distance(pooled)), at)
    else:
        _same_array(mine, theirs, rule, at)


def _distance(estimator):
    """Return the largest mean of a nested StandardScaler, in standard deviations.

    A mean that is right to ``rtol`` shifts the output by up to ``rtol`` times that.
    """
    if isinstance(estimator, FrozenEstimator):
        return _distance(estimator.estimator)
    if isinstance(estimator, StandardScaler):
        fitted = estimator.with_mean and hasattr(estimator, "mean_")
        scale = getattr(estimator, "scale_", None)
        shift = estimator.mean_ / (1 if scale is None else scale) if fitted else 0
        return np.max(np.abs(np.nan_to_num(shift)), initial=0)
    return max((_distance(part) for part in _parts(estimator) or []), default=0)
