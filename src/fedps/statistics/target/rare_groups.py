"""The target beside categories, without groups of rows that are too small to be shown."""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array
from fedps.statistics.limits import Limits
from fedps.statistics.sums.moments import MomentsSummary
from fedps.statistics.target.category_by_label import Crossed
from fedps.statistics.target.target_cells import dense, fields


def without_rare_groups(
    column: Crossed,
    position: int,
    shape: tuple[int, int, int],
    rows: int,
    limits: Limits,
    *,
    again: bool,
) -> Crossed:
    """Return a column's table without groups of too few rows; the limits note where some are left out.

    A group is a category with a label or, if the target is numbers, a category; in each fold, if there
    are any. All rows less those that are shown are a group as well: where these would be too few, the
    smallest category is left out, too. A category of which nothing is left is not named. ``shape`` is how
    many categories, labels and folds the table has, and ``rows`` is how many rows there are in all.
    ``again`` says that the same may be asked with and without a first category. Without it, its rows are
    not shown anyway; so it is the one to be left out or, where that is not enough, all are. Both answers
    together then show no more.
    """
    lines, labels, folds = shape
    if limits.count <= 0:
        return column
    if column.sums is not None:
        least = max(limits.sure_rows, limits.sure_count)
        table = column.sums.count.sum(axis=0).reshape(-1, 1, folds)
        kept = _kept_lines(table, rows, least, again=again)
        if kept.all():
            return column
        every = np.repeat(kept[:, 0], folds)
        sums = MomentsSummary(*(np.where(every, line, 0.0) for line in fields(column.sums)))
        shorter = Crossed(column.values, column.cells, column.counts, sums)
    else:
        least = limits.sure_count
        table = dense(column, lines, labels, folds)
        kept = _kept_lines(table, rows, least, again=again)
        if kept.all():
            return column
        counts = np.where(kept[:, :, None], table, 0).ravel()
        cells = np.flatnonzero(counts)
        shorter = Crossed(column.values, cells, counts[cells], None)
    limits.show_less(position, "min_count", f"only categories and labels of at least {least} rows")
    named = np.asarray((kept & (table.sum(axis=2) > 0)).any(axis=1))[: len(column.values)]
    return _only_named(shorter, named, labels) if len(column.values) else shorter


def _kept_lines(table: Array, rows: int, least: int, *, again: bool) -> Array:
    """Return which groups may be shown, by line and label: those that are empty or large in each fold."""
    kept = np.asarray(~((table > 0) & (table < least)).any(axis=2))
    sizes = table.sum(axis=2)
    if again:
        steps = [[0], list(range(len(sizes)))] if len(sizes) else []
    else:
        steps = [[line] for line in np.argsort(sizes.sum(axis=1), kind="stable").tolist()]
    for lines in steps:
        if not 0 < rows - int(sizes[kept].sum()) < least:
            break
        kept[lines] &= sizes[lines] == 0
    return kept


def _only_named(column: Crossed, named: Array, labels: int) -> Crossed:
    """Return a column without the categories that are not named; lines of missing cells stay."""
    sums, cells = column.sums, column.cells
    gaps = 2  # lines of None and NaN
    every = np.append(named, [True] * gaps)
    if sums is not None:
        sums = MomentsSummary(*(line[:, every] for line in fields(sums)))
    elif len(cells):
        line, label = np.divmod(cells, labels)
        cells = (np.cumsum(every) - 1)[line] * labels + label
    values = column.values[named] if named.any() else np.empty(0)
    return Crossed(values, cells, column.counts, sums)


def rare_label(overall: Crossed, labels: int, folds: int, limits: Limits) -> bool:
    """Return whether some label of the target stands for too few rows to be named."""
    if limits.count <= 0 or overall.sums is not None:
        return False
    rows = dense(overall, 1, labels, folds).sum(axis=(0, 2))
    return bool(((rows > 0) & (rows < limits.sure_count)).any())
