"""Correlations: what moments of pairs of columns say: correlation matrix and variance inflation factors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fedps.statistics.base import Array
from fedps.statistics.products.pair_moments import PairMoments

_SMALL_WEIGHT = (
    1e-20  # squared: of a column that has no part in a linear relation, but for rounding
)


@dataclass(frozen=True)
class Correlations:
    """Correlations as ``DataFrame.corr`` gives them, and the variance inflation factor of each column.

    ``counts`` are the rows that have both columns, ``correlation`` is NaN where one of them is constant
    over these rows; ``means`` and ``sd`` (divided by n - 1) are over each column's own cells. ``vif`` is from
    the ``complete`` rows: 1 / (1 - R²) of a regression of each column on all others and a constant; infinite
    where the others determine a column, NaN where it is constant.
    """

    counts: Array
    correlation: Array
    complete: int
    vif: Array
    means: Array
    sd: Array


def correlations_of(pairs: PairMoments, complete: PairMoments) -> Correlations:
    """Return the correlations over rows that have both columns, and the factors of complete rows."""
    all_pairs = pairs.wide()
    count = np.diagonal(all_pairs.count)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.diagonal(all_pairs.square) / (count - 1)
    return Correlations(
        counts=np.rint(all_pairs.count).astype(np.int64),
        correlation=_correlation(all_pairs),
        complete=int(complete.count.max(initial=0.0)),
        vif=_inflation(complete),
        means=np.where(count > 0, np.diagonal(all_pairs.mean), np.nan),
        sd=np.where(count > 1, np.sqrt(variance), np.nan),
    )


def _correlation(pairs: PairMoments) -> Array:
    """Return the correlation of each pair; on the diagonal it is 1, and not nearly."""
    spread = np.sqrt(pairs.square)
    spread = np.where((spread > 0) & (pairs.count > 1), spread, np.nan)
    # one after the other, as their product may be too small for a double; the larger first, for symmetry
    larger, smaller = np.maximum(spread, spread.T), np.minimum(spread, spread.T)
    found = np.clip(pairs.product / larger / smaller, -1.0, 1.0)
    at = np.arange(len(found))
    found[at, at] = np.where(np.isnan(found[at, at]), np.nan, 1.0)
    return np.asarray(found)


def _inflation(complete: PairMoments) -> Array:
    """Return the diagonal of the inverse correlation matrix, column by column where it has none.

    From eigenvalues: those that are 0 but for rounding belong to linear relations, and these say which
    columns are in them.
    """
    matrix = _correlation(complete.wide())
    found = np.full(len(matrix), np.nan)
    varies = np.flatnonzero(~np.isnan(np.diagonal(matrix)))
    if not varies.size:
        return found
    values, vectors = np.linalg.eigh(matrix[np.ix_(varies, varies)])
    least = len(varies) * np.finfo(np.float64).eps * values[-1]
    null = values <= least
    weights = vectors * vectors
    determined = (weights[:, null] > least).any(axis=1)
    inverse = weights[:, ~null] @ (1.0 / values[~null])
    found[varies] = np.where(determined, np.inf, np.maximum(inverse, 1.0))
    return found
