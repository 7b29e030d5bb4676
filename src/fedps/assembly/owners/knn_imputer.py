"""A KNNImputer for a client that has some of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.impute import KNNImputer
from sklearn.utils._mask import _get_mask
from sklearn.utils._missing import is_scalar_nan
from sklearn.utils.validation import check_is_fitted, validate_data

from fedps.assembly.owners.owner_base import demand_gaps, stand_in
from fedps.learned import own
from fedps.learned.owners import KNNImputerPartNumbers

_FLOATS = (np.float64, np.float32)


class PartKNNImputer(KNNImputer):  # type: ignore[misc]
    """Fills a client's own cells by means over rows that are nearest in the columns of all clients.

    It knows which rows fill the missing cells of the rows that it was fitted on, and only of those.
    """

    _told: KNNImputerPartNumbers

    @classmethod
    def of(cls, imputer: Any, numbers: KNNImputerPartNumbers) -> PartKNNImputer:
        """Return one that has been told which rows fill its cells."""
        return stand_in(cls, imputer, numbers)

    def __sklearn_clone__(self) -> PartKNNImputer:
        return self

    def fit(self, X: Any, y: Any = None) -> PartKNNImputer:
        """Fit as a KNNImputer on these columns, and work out what stands for each missing cell."""
        super().fit(X)
        told, known = self._told, self._fit_X.astype(np.float64)
        rows, columns = own(told.rows), own(told.columns)
        donors, weights = own(told.donors), own(told.donor_weights)
        fits = columns.max(initial=-1) < known.shape[1] and donors.max(initial=-1) < len(known)
        missing = self._mask_fit_X & self._valid_mask
        if not fits or len(rows) != missing.sum() or not missing[rows, columns].all():
            raise ValueError("these are not the rows that were imputed")
        means = np.ma.array(known, mask=self._mask_fit_X).mean(axis=0).filled(0.0)
        values = np.ma.array(known[donors, columns[:, None]], mask=donors < 0)
        alone = np.asarray(np.isnan(weights).any(axis=1))
        filled = np.ma.average(values, axis=1, weights=np.where(alone[:, None], 1.0, weights)).data
        self._filled = (rows, columns, np.where(alone, means[columns], filled))
        return self

    def transform(self, X: Any) -> Any:
        """Fill the missing cells of the rows that it was fitted on."""
        check_is_fitted(self)
        cells = validate_data(
            self,
            X,
            accept_sparse=False,
            dtype=_FLOATS,
            force_writeable=True,
            ensure_all_finite="allow-nan" if is_scalar_nan(self.missing_values) else True,
            copy=True,
            reset=False,
        )
        mask = _get_mask(cells, self.missing_values)
        demand_gaps(self, mask, self._mask_fit_X)
        indicator = self._transform_indicator(mask)
        rows, columns, values = self._filled
        cells[rows, columns] = values
        if self.keep_empty_features:
            cells[:, ~self._valid_mask] = 0
        else:
            cells = cells[:, self._valid_mask]
        return self._concatenate_indicator(cells, indicator)
