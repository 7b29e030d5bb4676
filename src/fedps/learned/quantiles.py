"""What is learned for estimators that are made of percentiles, edges or knots."""

from __future__ import annotations

from fedps.learned.numbers import Numbers
from fedps.learned.per_client import Array


class RobustScalerNumbers(Numbers):
    """The median of each column and the ends of its range, as far as the parameters need them."""

    width: int  # number of columns
    center: Array | None = None
    range_: Array | None = None  # (2, width)


class QuantileTransformerNumbers(Numbers):
    """The quantiles of each column."""

    quantiles: Array  # (n_quantiles_, width)
    rows: int


class SplineTransformerNumbers(Numbers):
    """The extremes or the knots of each column; neither where the user gives the knots."""

    lower: Array | None = None
    upper: Array | None = None
    knots: Array | None = None  # (n_knots, width)


class KBinsDiscretizerNumbers(Numbers):
    """The extremes of each column and, unless bins are of equal width, the edges of its bins."""

    lower: Array
    upper: Array
    edges: list[Array] | None = None
