"""An IterativeImputer for a client that has some of the columns."""

from __future__ import annotations

from typing import Any

from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute import IterativeImputer
from sklearn.utils.validation import check_is_fitted

from fedps.assembly.owners.owner_base import demand_gaps, stand_in
from fedps.learned import own
from fedps.learned.owners import IterativeImputerPartNumbers


class PartIterativeImputer(IterativeImputer):  # type: ignore[misc]
    """Fills a client's own cells by what was imputed from the columns of all clients.

    It knows the missing cells of the rows that it was fitted on, and only of those. The regressions
    are not here: they have coefficients for the columns of all clients.
    """

    max_iter: int
    _told: IterativeImputerPartNumbers

    @classmethod
    def of(cls, imputer: Any, numbers: IterativeImputerPartNumbers) -> PartIterativeImputer:
        """Return one that has been told its missing cells."""
        return stand_in(cls, imputer, numbers)

    def __sklearn_clone__(self) -> PartIterativeImputer:
        return self

    def fit(self, X: Any, y: Any = None, **_: Any) -> PartIterativeImputer:
        """Fit as an IterativeImputer that starts and goes no further."""
        sweeps = self.max_iter
        self.max_iter = 0
        try:
            super().fit_transform(X)
        finally:
            self.max_iter = sweeps
        _, _, gaps, self._fit_gaps = self._initial_imputation(X)
        self.n_iter_ = int(self._told.n_iter)
        self._imputed = own(self._told.imputed)
        if self.n_iter_ and self._imputed.size != gaps.sum():
            raise ValueError("these are not the rows that were imputed")
        return self

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Any:
        """Fill the missing cells."""
        return self.fit(X).transform(X)

    def transform(self, X: Any) -> Any:
        """Fill the missing cells of the rows that it was fitted on."""
        check_is_fitted(self)
        _, cells, gaps, every_gap = self._initial_imputation(X)
        demand_gaps(self, every_gap, self._fit_gaps)
        indicator = self._transform_indicator(every_gap)
        if self.n_iter_:
            columns = cells.T.copy()  # they were imputed column by column
            columns[gaps.T] = self._imputed
            cells = columns.T
        return self._concatenate_indicator(cells, indicator)
