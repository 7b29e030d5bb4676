"""What is learned for scalers and power transforms. Arrays have an item for each column."""

from __future__ import annotations

from fedps.learned.numbers import Numbers
from fedps.learned.per_client import Array


class MaxAbsScalerNumbers(Numbers):
    """The largest absolute number of each column; NaN where a column has none."""

    largest: Array
    rows: int


class MinMaxScalerNumbers(Numbers):
    """The extremes of each column; NaN where a column has no number."""

    lower: Array
    upper: Array
    rows: int


class StandardScalerNumbers(Numbers):
    """Mean and variance of each column, as far as the parameters need them.

    ``count`` is the number of cells that are not missing, or the sum of their weights where
    ``weighted``.
    """

    count: Array
    mean: Array | None = None
    weighted: bool
    variance: Array | None = None


class PowerTransformerNumbers(Numbers):
    """The lambda of each column and, with ``standardize``, the moments of the transformed cells."""

    lambdas: Array
    count: Array | None = None
    mean: Array | None = None
    variance: Array | None = None
