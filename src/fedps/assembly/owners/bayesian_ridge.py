"""A BayesianRidge for a client that has some of the columns."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from sklearn.linear_model import BayesianRidge
from sklearn.utils.validation import validate_data

from fedps.assembly.owners.owner_base import stand_in
from fedps.learned import own
from fedps.learned.owners import BayesianRidgePartNumbers
from fedps.statistics.aligned.rotation import as_they_are, rotated


class PartBayesianRidge(BayesianRidge):  # type: ignore[misc]
    """A client's own coefficients of a regression on the columns of all clients.

    ``coef_`` and ``X_offset_`` are of its columns; ``intercept_``, ``alpha_``, ``lambda_``,
    ``n_iter_`` and ``scores_`` are of the whole model. There is no ``sigma_``: the covariance of two
    coefficients belongs to two clients.
    """

    _told: BayesianRidgePartNumbers

    @classmethod
    def of(cls, ridge: Any, numbers: BayesianRidgePartNumbers) -> PartBayesianRidge:
        """Return one that has been told its coefficients, which only its rows can rotate back if they are rotated."""
        return stand_in(cls, ridge, numbers)

    def __sklearn_clone__(self) -> PartBayesianRidge:
        return self

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> PartBayesianRidge:
        """Take the coefficients, rotated back by the rows that they were learned from if they are rotated."""
        told = self._told
        cells = validate_data(self, X, dtype=[np.float64, np.float32])
        if told.is_rotated:
            found = rotated(cells, centred=self.fit_intercept)
        else:
            found = as_they_are(cells, centred=self.fit_intercept)
        coef = own(told.coef)
        # both were computed from the same cells: they differ by rounding, or the rows differ
        rounding = 1e-6 * np.linalg.norm(found.cells) + 1e-12 * np.linalg.norm(cells)
        fits = len(coef) == found.rotation.shape[1]
        if fits:
            size = np.linalg.norm(found.cells @ coef)
            fits = abs(size - float(own(told.sizes)[0])) <= rounding * np.linalg.norm(coef)
        if not fits:
            raise ValueError("these are not the rows that the coefficients were learned from")
        self.coef_ = (found.rotation @ coef).astype(cells.dtype)
        self.X_offset_ = found.means.astype(cells.dtype)
        self.X_scale_ = np.ones(cells.shape[1], dtype=cells.dtype)
        self.intercept_ = np.float64(told.intercept)
        self.alpha_, self.lambda_ = np.float64(told.alpha), np.float64(told.lambda_)
        self.n_iter_ = int(told.n_iter)
        self.scores_: Any = told.scores if self.compute_score else []
        return self

    def partial(self, X: Any) -> Any:
        """Return what these columns add to the prediction of each row."""
        cells = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return ((cells.astype(np.float64) - self.X_offset_) @ self.coef_)[:, None]

    def predict(self, X: Any, return_std: bool = False) -> NoReturn:
        """Raise: a prediction needs the columns of all clients."""
        what = "The standard deviation is not available: no client has sigma_." * return_std
        raise ValueError(
            "this BayesianRidge has the coefficients of one client, and a prediction needs those of "
            f"all: use federation.predict(fitted, queries). {what}".strip()
        )
