"""Scalers from their learned numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.preprocessing._data import _handle_zeros_in_scale, _is_constant_feature

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.learned import needed
from fedps.learned.scalers import (
    MaxAbsScalerNumbers,
    MinMaxScalerNumbers,
    StandardScalerNumbers,
)


def assemble_min_max_scaler(scaler: Any, numbers: MinMaxScalerNumbers, table: Any) -> Any:
    """Fit on the two extreme rows: scikit-learn derives the rest."""
    rows = rows_of(table, np.vstack([numbers.lower, numbers.upper]))
    scaler.fit(rows)
    nothing = np.isnan(numbers.lower)
    if nothing.any():
        warn_of_no_cells()
        for name in ("data_min_", "data_max_", "data_range_", "scale_", "min_"):
            getattr(scaler, name)[nothing] = np.nan
    scaler.n_samples_seen_ = int(numbers.rows)
    return rows


def assemble_max_abs_scaler(scaler: Any, numbers: MaxAbsScalerNumbers, table: Any) -> Any:
    """Fit on the row of the largest numbers."""
    rows = rows_of(table, numbers.largest[None, :])
    scaler.fit(rows)
    nothing = np.isnan(numbers.largest)
    if nothing.any():
        warn_of_no_cells()
    scaler.max_abs_[nothing] = scaler.scale_[nothing] = np.nan
    scaler.n_samples_seen_ = int(numbers.rows)
    return rows


def assemble_standard_scaler(scaler: Any, numbers: StandardScalerNumbers, table: Any) -> Any:
    """Fit on any rows for the form of the attributes, then put the numbers in."""
    width = table.shape[1]
    rows = like(table, [[1, 1]] * width)
    weights = np.ones(2) if numbers.weighted else None
    scaler.fit(rows, sample_weight=weights)
    # scikit-learn counts in the dtype that the kind of table calls for
    seen = numbers.count.astype(np.asarray(scaler.n_samples_seen_).dtype)
    scaler.n_samples_seen_ = seen[0] if seen.max() == seen.min() else seen
    if not numbers.count.all():
        warnings.warn("invalid value encountered in divide", RuntimeWarning, stacklevel=2)
    if scaler.mean_ is not None:
        scaler.mean_ = needed(numbers.mean).astype(scaler.mean_.dtype)
    if scaler.var_ is not None:
        scaler.var_ = needed(numbers.variance).astype(scaler.var_.dtype)
        constant = _is_constant_feature(scaler.var_, scaler.mean_, scaler.n_samples_seen_)
        scale = np.sqrt(scaler.var_)
        scaler.scale_ = _handle_zeros_in_scale(scale, copy=False, constant_mask=constant)
    return rows


def warn_of_no_cells() -> None:
    """Say what NumPy says of columns that have nothing but missing cells."""
    warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=2)


def rows_of(table: Any, numbers: Any) -> Any:
    """Return rows like the table's with these numbers, 1 where there is none."""
    filled = np.where(np.isnan(numbers), 1.0, numbers)
    whole = (filled == np.rint(filled)).all(axis=0) & (np.abs(filled) < 2**53).all(axis=0)
    cells = [filled[:, j].astype(np.int64) if whole[j] else filled[:, j] for j in range(len(whole))]
    return like(table, cells)
