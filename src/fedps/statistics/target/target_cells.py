"""The target as a client reads it along with the columns, and what a plan receives of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fedps.statistics.base import Array, BadCells, Distinct
from fedps.statistics.categories.categories import place
from fedps.statistics.sums.moments import Mean, Moments, MomentsSummary
from fedps.statistics.target.category_by_label import Crossed, sums_by
from fedps.statistics.target.labels import coded, is_numbers

TargetKind = Literal["any", "labels", "numbers"]

HOW = {"any": "counts or sums", "labels": "counts of labels", "numbers": "counts and sums"}


@dataclass(frozen=True)
class BesideColumn:
    """The target in the lines of one column: its categories, or given ones.

    If the target is labels, ``counts`` is an array of lines, labels and folds. If it is numbers,
    ``sums`` has the moments of all rows and, for each fold if there are any, of all other folds.
    """

    categories: Distinct
    counts: Array | None
    sums: tuple[Mean, ...]


@dataclass(frozen=True)
class OfTarget:
    """What a plan receives: the labels (None if the target is numbers), all rows, each column.

    ``kinds`` are the containers and dtypes of the clients' targets.
    """

    labels: Array | None
    kinds: list[str]
    overall: BesideColumn
    columns: list[BesideColumn]


class TargetReader:
    """The target of some rows, read as labels or as numbers."""

    def __init__(self, y: Array, wanted: TargetKind, labels: Sequence[Any] | None = None) -> None:
        self.labels = np.empty(0)
        self._codes = np.empty(0)
        self._numbers: Array | None = None
        if is_numbers(y, wanted):
            self._numbers = y.astype(np.float64)
            return
        self.labels, self._codes = coded(y)
        if labels is not None:
            known = label_array(labels)
            if not set(self.labels.tolist()) <= set(known.tolist()):
                raise BadCells("folds")
            self._codes = place(known, self.labels)[self._codes]
            self.labels = known

    def beside(
        self,
        values: Array,
        lines: Array,
        height: int,
        *,
        squares: bool,
        among: tuple[Array, int] | None = None,
    ) -> Crossed:
        """Return the target in the rows of each line; ``among`` folds, if given.

        A row with a negative line is in no line.
        """
        fold, folds = among or (np.zeros(1, dtype=np.intp), 1)
        none = np.zeros(0, dtype=np.int64)
        here = lines >= 0
        if self._numbers is not None:
            where = (lines * folds + fold)[here]
            sums = sums_by(where, self._numbers[here], height * folds, squares=squares)
            return Crossed(values, none, none, sums)
        # folds last: counts that differ least are then neighbours, which is short on the wire
        where = ((lines * len(self.labels) + self._codes) * folds + fold)[here]
        cells, counts = np.unique(where, return_counts=True)
        return Crossed(values, cells.astype(np.int64), counts.astype(np.int64), None)


def label_array(labels: Sequence[Any]) -> Array:
    """Return labels as an array of numbers, or of text as objects."""
    text = any(isinstance(label, str) for label in labels)
    return np.array(labels, dtype=object if text else None)


def dense(column: Crossed, lines: int, labels: int, folds: int) -> Array:
    """Return the counts of each line, label and fold."""
    table = np.zeros(lines * labels * folds, dtype=np.int64)
    cells, counts = column.table()
    table[cells] = counts
    return table.reshape(lines, labels, folds)


def target_moments(sums: MomentsSummary, folds: int, *, squares: bool) -> tuple[Mean, ...]:
    """Return the moments of all rows and, for each fold if there are any, of all other folds.

    ``TargetEncoder`` encodes the rows of a fold by what it learned from the others.
    """
    order = Moments(order=2 if squares else 1)
    found = []
    for fold in range(-1, folds if folds > 1 else 0):
        others = [i for i in range(folds) if i != fold]
        lines = (_of_folds(x, folds, others) for x in fields(sums))
        found.append(order.result(MomentsSummary(*lines)))
    return tuple(found)


def fields(sums: MomentsSummary) -> tuple[Array, Array, Array, Array]:
    """Return the four arrays of some moments."""
    return sums.count, sums.pivot, sums.deviation, sums.square


def _of_folds(lines: Array, folds: int, chosen: list[int]) -> Array:
    """Return the chosen folds as parts of the lines that they belong to."""
    height = lines.shape[1] // folds
    split = lines.reshape(len(lines), height, folds)[:, :, chosen]
    return np.moveaxis(split, 2, 1).reshape(len(lines) * len(chosen), height)
