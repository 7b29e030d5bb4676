"""Estimators that are made of percentiles, edges or knots."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import clone
from sklearn.preprocessing._data import _handle_zeros_in_scale

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.assembly.recipes.scalers import rows_of, warn_of_no_cells
from fedps.learned import needed
from fedps.learned.quantiles import (
    KBinsDiscretizerNumbers,
    QuantileTransformerNumbers,
    RobustScalerNumbers,
    SplineTransformerNumbers,
)

_NAT = float(np.iinfo(np.int64).min)  # a missing time, as a number
_NARROWEST = 1e-8  # width of a bin that scikit-learn keeps


def assemble_robust_scaler(scaler: Any, numbers: RobustScalerNumbers, table: Any) -> Any:
    """Fit on any rows for the form of the attributes, then put the numbers in."""
    rows = like(table, [[1, 2]] * table.shape[1])
    scaler.fit(rows)
    learned = [part for part in (numbers.center, numbers.range_) if part is not None]
    if any(np.isnan(part).any() for part in learned):
        warn_of_no_cells()
    if scaler.with_centering:
        scaler.center_ = needed(numbers.center).astype(scaler.center_.dtype)
    if scaler.with_scaling:
        low, high = needed(numbers.range_)
        scaler.scale_ = _handle_zeros_in_scale(high - low, copy=False)
        if scaler.unit_variance:
            first, last = scaler.quantile_range
            adjust = stats.norm.ppf(last / 100.0) - stats.norm.ppf(first / 100.0)
            scaler.scale_ = scaler.scale_ / adjust
    return rows


def assemble_quantile_transformer(
    transformer: Any, numbers: QuantileTransformerNumbers, table: Any
) -> Any:
    """Fit on one row for the form of the attributes, then put the quantiles in."""
    rows = table if hasattr(table, "indptr") else like(table, [[1]] * table.shape[1])
    quantiles, total = numbers.quantiles, int(numbers.rows)
    if transformer.n_quantiles > total:
        warnings.warn(
            f"n_quantiles ({transformer.n_quantiles}) is greater than the total number of samples "
            f"({total}). n_quantiles is set to n_samples.",
            UserWarning,
            stacklevel=2,
        )
    with _instead(transformer, n_quantiles=1, subsample=None):
        transformer.fit(rows)
    transformer.n_quantiles_ = len(quantiles)
    transformer.references_ = np.linspace(0, 1, len(quantiles), endpoint=True)
    transformer.quantiles_ = quantiles
    return rows


def assemble_spline_transformer(spline: Any, numbers: SplineTransformerNumbers, table: Any) -> Any:
    """Fit on the extreme rows, or on any with the knots standing in for those of the rows."""
    _check_knots_of_times(numbers, table)
    rows = like(table, [[1, 2]] * table.shape[1])
    knots = numbers.knots
    if numbers.lower is not None and numbers.upper is not None:
        rows = rows_of(table, np.vstack([numbers.lower, numbers.upper]))
        if np.isnan(numbers.lower).any():  # scikit-learn takes 0 for both ends then
            ends = np.nan_to_num(numbers.lower), np.nan_to_num(numbers.upper)
            knots = np.linspace(*ends, num=spline.n_knots, dtype=np.float64)
    if knots is not None:
        spline._get_base_knot_positions = lambda *_, **__: knots
    try:
        spline.fit(rows)
    finally:
        vars(spline).pop("_get_base_knot_positions", None)
    return rows


def assemble_k_bins_discretizer(binner: Any, numbers: KBinsDiscretizerNumbers, table: Any) -> Any:
    """Fit uniform bins on the two extreme rows, then put the edges in where they differ."""
    _check_can_be_binned(table)
    rows = rows_of(table, np.vstack([numbers.lower, numbers.upper]))
    with _instead(binner, strategy="uniform", subsample=None):
        binner.fit(rows)
    if binner.quantile_method == "warn" and binner.strategy == "quantile":
        # scikit-learn 1.7 and 1.8 have something to say about that
        clone(binner).set_params(n_bins=2).fit([[0.0], [1.0]])
    for j, edges in enumerate(numbers.edges or ()):
        if numbers.lower[j] == numbers.upper[j]:
            continue
        kept = edges[np.ediff1d(edges, to_begin=np.inf) > _NARROWEST]
        if len(kept) < len(edges):
            warnings.warn(
                # scikit-learn's own words, so that a filter for them still works
                f"Bins whose width are too small (i.e., <= 1e-8) in feature {j} are removed. "
                "Consider decreasing the number of bins.",
                UserWarning,
                stacklevel=2,
            )
        binner.bin_edges_[j] = kept
        binner.n_bins_[j] = len(kept) - 1
    if hasattr(binner, "_encoder"):
        encoder = clone(binner._encoder)
        encoder.set_params(categories=[np.arange(bins) for bins in binner.n_bins_])
        binner._encoder = encoder.fit(np.zeros((1, len(binner.n_bins_))))
    return rows


def _check_knots_of_times(numbers: SplineTransformerNumbers, table: Any) -> None:
    """Raise TypeError for knots of times that scikit-learn does not compute, or not by all cells."""
    if not _holds(table, datetime, timedelta):
        return
    if numbers.knots is not None:
        raise TypeError("knots at quantiles are computed for numbers only")
    if numbers.lower is not None and (numbers.lower == _NAT).any():
        raise TypeError("some client has missing times, for which there is no place among knots")


def _check_can_be_binned(table: Any) -> None:
    """Raise TypeError for cells with which scikit-learn cannot compute edges, or only in their own unit."""
    truths = not hasattr(table, "indptr") and np.asarray(table).dtype.kind == "b"
    if truths or _holds(table, datetime, timedelta, Decimal):
        raise TypeError("edges of bins are computed for numbers only")


def _holds(table: Any, *kinds: type) -> bool:
    """Return whether cells of a made-up table are of some kinds; arrays of times hold times."""
    if hasattr(table, "indptr"):
        return False
    cells = np.asarray(table)
    if cells.dtype.kind in "mM":
        return datetime in kinds
    return cells.dtype == object and any(isinstance(cell, kinds) for cell in cells.ravel())


@contextmanager
def _instead(estimator: Any, **params: Any) -> Any:
    """Use different parameters for a while."""
    before = {name: getattr(estimator, name) for name in params}
    for name, value in params.items():
        setattr(estimator, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(estimator, name, value)
