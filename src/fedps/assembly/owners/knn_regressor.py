"""A KNeighborsRegressor for a client that has some of the columns."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsRegressor
from sklearn.utils.validation import validate_data

from fedps.assembly.owners.owner_base import stand_in
from fedps.learned import own
from fedps.learned.owners import KNeighborsRegressorPartNumbers


class PartKNeighborsRegressor(KNeighborsRegressor):  # type: ignore[misc]
    """A client's own columns of the rows that a nearest-neighbours regression learned from.

    It knows how far new rows are from these in its columns. The target is elsewhere.
    """

    _told: KNeighborsRegressorPartNumbers

    @classmethod
    def of(cls, regressor: Any, numbers: KNeighborsRegressorPartNumbers) -> PartKNeighborsRegressor:
        """Return one that has been told how to measure."""
        return stand_in(cls, regressor, numbers)

    def __sklearn_clone__(self) -> PartKNeighborsRegressor:
        return self

    def fit(self, X: Any, y: Any = None) -> PartKNeighborsRegressor:
        """Keep the rows."""
        self._fit_X = validate_data(self, X, dtype=np.float64)
        self.n_samples_fit_ = len(self._fit_X)
        return self

    def partial(self, X: Any) -> Any:
        """Return what these columns add to the distances, before any root, of rows from those known.

        For the Chebyshev metric it is the distance in these columns, of which the largest counts.
        """
        cells = validate_data(self, X, dtype=np.float64, reset=False)
        name, p = self._told.metric, float(self._told.p)
        weights = own(self._told.column_weights)
        weighted = {"w": weights} if weights.size else {}
        if name == "minkowski":
            return cdist(cells, self._fit_X, "minkowski", p=p, **weighted) ** p
        if name == "hamming":  # a share of the columns
            return cdist(cells, self._fit_X, "hamming") * cells.shape[1]
        return cdist(cells, self._fit_X, "sqeuclidean" if name == "euclidean" else name)

    def predict(self, X: Any) -> NoReturn:
        """Raise: a prediction needs the columns of all clients."""
        raise ValueError(
            "this KNeighborsRegressor has the columns of one client, and a prediction needs those of "
            "all: use federation.predict(fitted, queries)."
        )
