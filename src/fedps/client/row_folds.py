"""The folds that the server drew, in the order of this client's rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fedps.client.tables import Table
from fedps.client.tables.cells.target import plain_target
from fedps.learned import Facts, Learned
from fedps.statistics import BadCells
from fedps.statistics.base import Array
from fedps.statistics.target.labels import by_turn


def row_folds(folds: Array, table: Table, *, grouped: bool) -> Array:
    """Return the fold of each row.

    ``grouped`` folds are for the rows sorted by label, the labels in the order of their first rows: the
    server knows only how many rows each label has (see ``Turns``).
    """
    rows = table.schema().rows
    if folds.shape != (rows,) or folds.dtype.kind not in "iu" or folds.min(initial=0) < 0:
        raise BadCells("folds")
    if not grouped or not rows:
        return folds
    parts = [plain_target(chunk.y) for chunk in table.chunks()]
    _, turns = by_turn(np.concatenate(parts))
    found = np.empty_like(folds)
    found[np.argsort(turns, kind="stable")] = folds
    return found


def folds_in(learned: Learned) -> Iterator[Array]:
    """Yield all folds in learned numbers."""
    if "folds" in learned.arrays:
        yield np.asarray(learned.arrays["folds"])
    for step in learned.steps:
        yield from folds_in(step)


def in_row_order(learned: Learned, table: Table) -> Learned:
    """Return learned numbers in which all folds are in the order of this client's rows."""
    arrays = dict(learned.arrays)
    if "folds" in arrays:
        grouped = bool(arrays.pop("grouped", False))
        arrays["folds"] = row_folds(np.asarray(arrays["folds"]), table, grouped=grouped)
    steps = tuple(in_row_order(step, table) for step in learned.steps)
    return Learned(learned.estimator, learned.params, Facts(arrays), steps)
