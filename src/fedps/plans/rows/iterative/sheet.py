"""A few rows that stand for all clients' rows: the server imputes them on its own."""

from __future__ import annotations

import numpy as np

from fedps.plans.rows.iterative.column_order import ColumnTurn
from fedps.plans.rows.iterative.regressions import FittedRegression
from fedps.plans.rows.iterative.setting import IterativeSetting
from fedps.statistics.base import Array
from fedps.statistics.products.condensed_rows import Condensed
from fedps.statistics.products.imputation import filled, impute
from fedps.statistics.products.triangular_factors import Factor, reduced

_MARGIN = 1e-6  # what rounding may do to a bound on a change, as a share of it
_ROUNDING = 1e-12  # and as a share of the largest number


class CondensedSheet:
    """Condensed rows while they are imputed."""

    def __init__(self, setting: IterativeSetting, condensed: Condensed) -> None:
        self._setting = setting
        self._counts = condensed.counts
        self._pattern = condensed.pattern
        never = setting.gaps == 0  # columns that are kept though empty count as observed
        gaps = ~condensed.seen & ~never
        self._lost = gaps.sum(axis=1)
        missing = ~condensed.seen[self._pattern]
        rows = filled(condensed.ones, condensed.rows, missing, setting.start)
        self._rows = rows._replace(gaps=gaps[self._pattern])
        self._before = self._rows.cells.copy()

    def factor(self, turn: ColumnTurn) -> Factor:
        """Return the factor of the rows in which a column is observed, the column itself last."""
        order = [*turn.neighbours.tolist(), turn.column]
        some = ~self._rows.gaps[:, turn.column]
        count = self._setting.rows - self._setting.gaps[turn.column]
        return self._factor(order, some, float(count))

    def whole(self) -> Factor:
        """Return the factor of all rows."""
        every = np.ones(len(self._rows.ones), dtype=bool)
        order = list(range(self._rows.cells.shape[1]))
        return self._factor(order, every, float(self._setting.rows))

    def _factor(self, order: list[int], some: Array, count: float) -> Factor:
        rows = np.empty((int(some.sum()), len(order) + 1))
        rows[:, 0] = self._rows.ones[some]
        rows[:, 1:] = self._rows.cells[some][:, order]
        return Factor(count, self._setting.pivot[order], reduced(rows))

    def impute(self, turn: ColumnTurn, fit: FittedRegression) -> None:
        """Replace the missing cells of a column."""
        if self._setting.gaps[turn.column]:
            impute(self._rows, turn.column, self._setting.weights(turn, fit), fit.shifted)

    def change(self) -> tuple[float, float]:
        """Return bounds on the largest change of a row since this was last asked.

        Squares of changes add up to the same on these rows as on all rows of a pattern. A row's sum of
        absolute changes is no less than the root of its squares' sum, and one row's is no less than the
        mean of its pattern; nor is it more than if that row had all of the squares.
        """
        if not self._setting.imputed:
            return 0.0, 0.0
        rounding = _ROUNDING * self._setting.largest
        squares = ((self._rows.cells - self._before) ** 2).sum(axis=1)
        self._before[:] = self._rows.cells
        moved = np.bincount(self._pattern, squares, len(self._counts))
        least = np.sqrt(moved / np.maximum(self._counts, 1)).max(initial=0.0)
        most = np.sqrt(moved * self._lost).max(initial=0.0)
        return float(least * (1 - _MARGIN) - rounding), float(most * (1 + _MARGIN) + rounding)
