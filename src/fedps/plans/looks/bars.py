"""Histograms from what is known of a column: tables of values, and bins with equal shares of its cells."""

from __future__ import annotations

import numpy as np

from fedps.looks.column_facts import Histogram
from fedps.statistics import Marginal
from fedps.statistics.base import Array
from fedps.statistics.order.tables import Bins

BARS_AT_MOST = 24


def edges_of(column: Marginal) -> Array | None:
    """Return where the bars of a column begin and end; None where it has no cells, or no ends are known."""
    low, high = _ends(column)
    if low is None or high is None:
        return None
    if low == high:
        return np.array([low - 0.5, high + 0.5])
    values = column.values
    whole = (
        bool((values == np.rint(values)).all()) and low == np.rint(low) and high == np.rint(high)
    )
    if whole and high - low < BARS_AT_MOST:  # a bar for each number
        return np.arange(low - 0.5, high + 1.0)
    bars = int(min(BARS_AT_MOST, max(np.ceil(np.sqrt(column.count)), 2)))
    return np.linspace(low, high, bars + 1)


def _ends(column: Marginal) -> tuple[float | None, float | None]:
    """Return the smallest and the largest number that is known of a column."""
    known = np.concatenate([column.values, column.bins.lower, column.bins.upper])
    known = known[np.abs(known) < 1e300]  # an end of a slice that is larger says nothing
    if not known.size or not column.count:
        return None, None
    low = column.minimum if np.isfinite(column.minimum) else float(known.min())
    high = column.maximum if np.isfinite(column.maximum) else float(known.max())
    return low, high


def histogram(column: Marginal, edges: Array | None) -> Histogram | None:
    """Return the bars of a column."""
    if edges is None:
        return None
    exact = np.histogram(column.values, edges, weights=column.counts)[0]
    shared, off = _shared(column.bins, edges)
    return Histogram(tuple(edges.tolist()), tuple((exact + shared).tolist()), off)


def bar_counts(column: Marginal, edges: Array | None) -> tuple[float, ...]:
    """Return the numbers of cells in the bars that another column has."""
    found = histogram(column, edges)
    return () if found is None else found.counts


def _shared(bins: Bins, edges: Array) -> tuple[Array, int]:
    """Return the cells of bins by bar, as if each bin's were spread evenly; and how wrong a bar may be."""
    if not bins.upper.size:
        return np.zeros(len(edges) - 1), 0
    low = np.clip(bins.lower, edges[0], edges[-1])
    high = np.maximum(np.clip(bins.upper, edges[0], edges[-1]), low)
    width = np.where(high > low, high - low, 1.0)
    reached = np.clip((edges[:, None] - low) / width, 0.0, 1.0)
    reached[-1] = 1.0
    inside = np.diff(reached, axis=0)
    unsure = np.where((inside > 0) & (inside < 1), bins.counts, 0).sum(axis=1)
    return (inside * bins.counts).sum(axis=1), int(unsure.max())
