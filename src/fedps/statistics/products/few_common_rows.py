"""Pairs of columns that few rows have in common: what a policy allows to show of their moments."""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array
from fedps.statistics.limits import Limits
from fedps.statistics.products.co_moments_summary import CoPart
from fedps.statistics.products.pair_moments import PairMoments, no_rows


def within_limits(part: CoPart, cells: Array, limits: Limits) -> CoPart:
    """Return a part without the pairs whose sums a policy does not allow; the limits note their columns.

    Left out are pairs with too few rows, or too few rows for so many columns; and those that all but a few
    rows of one of their columns have: a column's own sums less theirs would be the sums of these few. The
    complete rows are left out for the same reasons, and where all but a few rows of a pair are complete. If
    as many numbers about a column as there are columns may not be told any more, all are left out. Not looked
    at is whether two pairs of one column, (i, j) and (i, k), are of nearly the same rows: that would take counts
    of triples.
    """
    least, width = limits.sure_rows, len(cells)
    if min((limits.most_numbers(j) for j in range(width)), default=width + 1) <= width:
        for j in range(width):
            limits.show_less(j, "budget", "no products with other columns")
        return CoPart.of(no_rows(width), None)
    pairs, complete = part.pairs().wide(), part.complete()
    count = pairs.count
    wide = _too_wide(count, width, limits)
    few = _few(count, least) | _few(np.diagonal(count)[:, None] - count, least)
    hidden = wide | few | few.T
    rows = float(part.rows)
    rest = np.where(hidden, 0.0, count) - rows
    bare = (
        bool(_too_wide(np.array(rows), width, limits))
        or bool(_few(np.array(rows), least))
        or bool(_few(cells - rows, least).any())
        or bool(_few(rest, least).any())
    )
    if not hidden.any() and not (bare and part.rows):
        return part
    _note(limits, hidden & wide, hidden & ~wide, bare=bare and part.rows > 0)
    shown = PairMoments(*(np.where(hidden, 0.0, field) for field in pairs))
    # without gaps pairs and complete rows are the same: both are left out, or none
    left = None if hidden.all() or not part.gaps else shown
    return CoPart.of(no_rows(width) if bare else complete, left)


def _few(rows: Array, least: int) -> Array:
    return np.asarray((rows > 0) & (rows < least))


def _too_wide(rows: Array, width: int, limits: Limits) -> Array:
    """Return where products of so many columns, and one of ones, would nearly show the rows."""
    per_row = np.minimum((width + 1) / np.maximum(rows, 1.0), 1.0)
    return np.asarray((rows > 0) & (per_row > limits.share))


def _note(limits: Limits, wide: Array, few: Array, *, bare: bool) -> None:
    """Note of which columns less is shown, and why."""
    if wide.any():
        shown = f"only products of at most {limits.share:.0%} as many columns as rows"
        for j in np.flatnonzero(wide.any(axis=0)).tolist():
            limits.show_less(j, "max_share of products", shown)
    if few.any():
        shown = f"only products over at least {limits.rows} rows, and not over all but a few"
        for j in np.flatnonzero(few.any(axis=0)).tolist():
            limits.show_less(j, "min_rows", shown)
    if bare and not (wide.any() or few.any()):
        for j in range(len(few)):
            limits.show_less(j, "min_rows", "no products of complete rows")
