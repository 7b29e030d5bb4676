"""Fitted estimators that refuse rows which they cannot have been fitted on, as part of all rows.

A client's own rows are among those that an estimator was fitted on. What a server says was learned is a lie
where they contradict it: a cell beyond the extremes of all, a category that nobody has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    SplineTransformer,
    TargetEncoder,
)

from fedps.compounds import walk

Rows = Any
ENCODES = (OneHotEncoder, OrdinalEncoder, TargetEncoder)
CLOSE = 1e-6  # of a bound's size: float32 cells, and what rounding does to them


class Contradiction(Exception):  # noqa: N818 - it is raised and caught, never shown
    """Some of a client's own rows contradict what was learned from the rows of all clients."""


def hold_to_rows(fitted: Any, *, rare: int | None = 0, weighted: bool = False) -> None:
    """Have a fitted estimator, and all inside of it, raise Contradiction for such rows.

    Categories of fewer than ``rare`` cells are not named by clients, so that encoders that take unknown ones
    need not know them. None: it cannot be told by cells which are rare. ``weighted``: some rows may not have
    counted, so that they may be beyond the knots of a spline.
    """
    for part in walk(fitted, fitted=True):
        check = CHECKS.get(type(part))
        if weighted and isinstance(part, SplineTransformer):
            check = None
        takes_unknown = isinstance(part, ENCODES) and getattr(part, "handle_unknown", "") != "error"
        if rare != 0 and takes_unknown:
            check = None if rare is None else partial(_knows_frequent, rare)
        elif isinstance(part, OneHotEncoder | OrdinalEncoder) and _found_all(part):
            part.handle_unknown = (
                "error"  # it makes no difference to rows that are among those of all
            )
        if check is not None and "transform" not in vars(part):
            part.transform = partial(_checked, part, part.transform, check)


def _knows_frequent(rare: int, encoder: Any, rows: Rows) -> bool:
    """Whether an encoder knows all categories of the rows but those of fewer cells than ``rare``."""
    if not _found_all(encoder):
        return True
    _, known = encoder._transform(rows, handle_unknown="ignore", ensure_all_finite="allow-nan")
    columns, *_ = encoder._check_X(rows, ensure_all_finite="allow-nan")
    unknown = (np.asarray(c, dtype=object)[~known[:, j]] for j, c in enumerate(columns))
    return all(max(Counter(map(repr, cells)).values(), default=0) < rare for cells in unknown)


def _checked(part: Any, transform: Callable[[Rows], Any], check: RowCheck, rows: Rows) -> Any:
    try:
        if rows.shape[0] and not check(part, rows):
            raise Contradiction(type(part).__name__)
        return transform(rows)
    except ValueError as error:
        if str(error).startswith("Found unknown categories"):
            raise Contradiction(type(part).__name__) from None
        raise


def _numbers(rows: Rows) -> Any:
    """Return cells as floats, or None where they are not numbers: the transform says so."""
    try:
        cells = rows.data if sparse.issparse(rows) else rows
        return np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _between(rows: Rows, lower: Any, upper: Any) -> bool:
    """Whether the cells of each column are between two bounds; NaN is nowhere, and a bound for nothing."""
    cells = None if sparse.issparse(rows) else _numbers(rows)
    if cells is None:
        return True
    room = CLOSE * np.maximum(np.abs(lower), np.abs(upper))
    with np.errstate(invalid="ignore"):
        return not ((cells < lower - room) | (cells > upper + room)).any()


def _inside_range(scaler: Any, rows: Rows) -> bool:
    return _between(rows, scaler.data_min_, scaler.data_max_)


def _below_largest(scaler: Any, rows: Rows) -> bool:
    return _between(rows, -scaler.max_abs_, scaler.max_abs_)


def _inside_knots(spline: Any, rows: Rows) -> bool:
    if not isinstance(spline.knots, str) or spline.knots != "uniform":
        return True
    ends = [(b.t[b.k], b.t[-b.k - 1]) for b in spline.bsplines_]
    return _between(rows, *np.array(ends).T)


def _found_all(encoder: Any) -> bool:
    """Whether an encoder's categories were found in the rows, and all were kept."""
    merged = getattr(encoder, "min_frequency", None), getattr(encoder, "max_categories", None)
    return isinstance(encoder.categories, str) and merged == (None, None)


def _any(encoder: Any, rows: Rows) -> bool:
    return True  # unknown categories make its transform raise


def _known_categories(encoder: Any, rows: Rows) -> bool:
    """Whether a TargetEncoder, which takes unknown categories, knows those of the rows."""
    if _found_all(encoder):
        encoder._transform(rows, handle_unknown="error", ensure_all_finite="allow-nan")
    return True


def _gaps(imputer: Any, rows: Rows) -> Any:
    """Return which cells are missing; None where that cannot be told here."""
    cells, marker = None if sparse.issparse(rows) else _numbers(rows), imputer.missing_values
    if cells is None or not isinstance(marker, int | float):
        return None
    return np.isnan(cells) if np.isnan(marker) else cells == marker


def _has_values(imputer: Any, rows: Rows) -> bool:
    """Whether columns that are dropped, since nobody has a value in them, have none."""
    empty = np.array([isinstance(v, float) and np.isnan(v) for v in imputer.statistics_])
    if imputer.strategy == "constant" or not empty.any():
        return True
    gaps = _gaps(imputer, rows)
    return gaps is None or bool(gaps[:, empty].all())


def _has_gaps(indicator: Any, rows: Rows) -> bool:
    """Whether columns that are left out, since nobody misses a value in them, have all."""
    gaps = None if indicator.features == "all" else _gaps(indicator, rows)
    return gaps is None or not np.delete(gaps, indicator.features_, axis=1).any()


RowCheck = Callable[[Any, Rows], bool]
CHECKS: dict[type, RowCheck] = {
    MaxAbsScaler: _below_largest,
    MinMaxScaler: _inside_range,
    MissingIndicator: _has_gaps,
    OneHotEncoder: _any,
    OrdinalEncoder: _any,
    SimpleImputer: _has_values,
    SplineTransformer: _inside_knots,
    TargetEncoder: _known_categories,
}
