"""In which order IterativeImputer takes the columns, and from which others it imputes each."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from fedps.statistics.base import Array
from fedps.statistics.products.triangular_factors import Factor, centred

LEAST_CORRELATION = 1e-6  # scikit-learn's: every column keeps some chance to be chosen


class ColumnTurn(NamedTuple):
    """A column to impute, and the columns that it is imputed from."""

    column: int
    neighbours: Array


class Schedule:
    """The turns of each sweep. Draws what scikit-learn draws, in the same order.

    ``gaps`` is the number of missing cells per column and ``correlations`` are needed where only some
    columns are to be used (see :func:`correlations`).
    """

    def __init__(self, imputer: Any, gaps: Array, correlations: Array | None) -> None:
        self._imputer = imputer
        self._gaps = gaps
        self._correlations = correlations
        self._random = check_random_state(deepcopy(imputer.random_state))
        self._order = self._ordered()
        self._sweeps: list[list[ColumnTurn]] = []
        self._states: list[Any] = []

    @property
    def turns(self) -> int:
        """How many turns a sweep has."""
        return len(self._order)

    def sweep(self, number: int) -> list[ColumnTurn]:
        """Return the turns of a sweep, from 0."""
        while len(self._sweeps) <= number:
            if self._imputer.imputation_order == "random":
                self._order = self._ordered()
            self._sweeps.append([ColumnTurn(j, self._neighbours(j)) for j in self._order.tolist()])
            self._states.append(self._random.get_state())
        return self._sweeps[number]

    def turn(self, number: int) -> ColumnTurn:
        """Return a turn, counted from the first of all."""
        return self.sweep(number // self.turns)[number % self.turns]

    def state(self, sweeps: int) -> Any:
        """Return the state of the random numbers after a number of sweeps; None where none were drawn."""
        drawn = self._imputer.imputation_order == "random" or self._correlations is not None
        if not drawn or self._imputer.random_state is None:
            return None
        self.sweep(sweeps - 1)
        return self._states[sweeps - 1]

    def _ordered(self) -> Array:
        """Return the columns in the order of a sweep."""
        columns = np.flatnonzero(self._gaps) if self._imputer.skip_complete else None
        columns = np.arange(len(self._gaps)) if columns is None else columns
        order = self._imputer.imputation_order
        if order == "random":
            self._random.shuffle(columns)
        elif order in ("ascending", "descending"):
            columns = np.argsort(self._gaps, kind="stable")[len(self._gaps) - len(columns) :]
        return columns[::-1] if order in ("arabic", "descending") else columns

    def _neighbours(self, column: int) -> Array:
        """Return the columns that one is imputed from."""
        width = len(self._gaps)
        if self._correlations is None:
            return np.delete(np.arange(width), column)
        wanted, chances = self._imputer.n_nearest_features, self._correlations[:, column]
        return np.asarray(self._random.choice(np.arange(width), wanted, replace=False, p=chances))


def wants_nearest(imputer: Any, width: int) -> bool:
    """Whether columns are imputed from some of the others only."""
    return imputer.n_nearest_features is not None and imputer.n_nearest_features < width


def correlations(factor: Factor) -> Array:
    """Return the chances with which columns are chosen to impute each: as they correlate with it."""
    _, below = centred(factor)
    products = below.T @ below
    spread = np.sqrt(np.diagonal(products))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.abs(np.clip(products / spread[:, None] / spread, -1, 1))
    found[np.isnan(found)] = LEAST_CORRELATION  # of columns that are constant
    found = np.maximum(found, LEAST_CORRELATION)
    np.fill_diagonal(found, 0)
    return np.asarray(found / found.sum(axis=0))
