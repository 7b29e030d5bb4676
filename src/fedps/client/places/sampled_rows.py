"""Samples: which of a client's rows a server picks in one fit, as samples or as folds.

A server that chooses rows could choose them so that sums show single rows. The policy gate refuses
that by the numbers in ``Drawn``, which are computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fedps.client.rules.gate import Drawn
from fedps.client.tables import Table
from fedps.client.work_limits import check_samples
from fedps.statistics import BadCells
from fedps.statistics.base import Array


class PickedOut(NamedTuple):
    """What a view picks: how few rows, and the group of each row if folds distinguish them."""

    drawn: Drawn
    groups: Array | None = None
    is_sample: bool = False


class Samples:
    """All samples and folds of one fit: the difference of two that are nearly equal is a few rows."""

    def __init__(self, table: Table, *, bounded: bool) -> None:
        self._table = table
        self._bounded = bounded
        self._draws: list[Array] = []
        self._folds: list[Array] = []

    def draw(self, times: Array, before: PickedOut | None) -> PickedOut:
        """Return what a sample picks from a view; ``times`` is how often it takes each row."""
        total, rows = times.sum(dtype=np.int64), self._table.schema().rows
        # no estimator draws far more rows than there are: more would only be work for this client
        fits = times.shape == (rows,) and times.dtype == np.uint8 and total <= 4 * rows + 1000
        if not fits or (before is not None and before.is_sample):
            raise BadCells("draw")
        groups = None if before is None else before.groups
        if groups is None:
            groups = np.zeros(rows, dtype=np.intp)
        inside, weight = (np.bincount(groups, times.astype(float) ** power) for power in (1, 2))
        # a row that is taken often dominates a sum: the effective sample size, (sum w)^2 / sum w^2
        effective = inside**2 // np.maximum(weight, 1)
        rest = np.bincount(groups, times == 0)
        apart = self._apart(times, self._draws)
        drawn = Drawn(_fewest(effective), _fewest(rest), apart, self._for_each(self._draws))
        return PickedOut(drawn, is_sample=True)

    def fold(self, every: Sequence[Array], before: PickedOut | None) -> PickedOut:
        """Return what folds pick from a view; each of them is the fold of every row."""
        if before is not None and before.is_sample:
            raise BadCells("folds")
        known = [] if before is None or before.groups is None else [before.groups]
        groups = _together([*known, *every])
        apart = _fewest(np.array([self._apart(folds, self._folds) for folds in every]))
        inside = _fewest(np.bincount(groups))
        return PickedOut(Drawn(inside, 0, apart, self._for_each(self._folds)), groups)

    def _for_each(self, others: list[Array]) -> int:
        """Return how many rows there are for each different sample; 0 if there is only one."""
        return self._table.schema().rows // len(others) if len(others) > 1 else 0

    def _apart(self, part: Array, others: list[Array]) -> int:
        """Return the fewest rows in which this differs from another one; 0 if there is no other."""
        differing = [int(np.count_nonzero(part != other)) for other in others]
        if 0 not in differing:  # the same sample again is not another one
            if self._bounded:
                check_samples(len(others))
            others.append(part)
        return _fewest(np.array(differing))


def _together(every: Sequence[Array]) -> Array:
    """Return the group of each row: rows are in one group if all folds have them in one fold."""
    groups = np.zeros(len(every[0]), dtype=np.int64)
    for folds in every:
        kinds, own = np.unique(folds, return_inverse=True)
        _, groups = np.unique(groups * len(kinds) + own, return_inverse=True)
    return groups


def _fewest(numbers: Array) -> int:
    """Return the smallest number above 0: no rows at all show nothing."""
    return int(min(numbers[numbers > 0], default=0))
