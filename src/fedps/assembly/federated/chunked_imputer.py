"""An IterativeImputer that fills a chunk of rows as it would fill all rows together."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute import IterativeImputer

from fedps.assembly.recipes.iterative import cells_of
from fedps.compounds import walk


def in_chunks_of_rows(fitted: Any) -> Any:
    """Return a fitted estimator for the rows of one client, or for a chunk of them.

    Estimators that treat each row alone are used as they are.
    """
    found = [part for part in walk(fitted, fitted=True) if _fills(part)]
    if not found:
        return fitted
    # shared, not copied: regressions do not change, and the generator must go on from chunk to chunk
    kept = [getattr(p, name) for p in found for name in ("imputation_sequence_", "random_state_")]
    made = deepcopy(fitted, {id(value): value for value in kept})
    for part in walk(made, fitted=True):
        if _fills(part):
            part.__class__ = SomeRows
    return made


def _fills(part: Any) -> bool:
    """Whether a part is a fitted IterativeImputer; one without columns is not fitted."""
    return type(part) is IterativeImputer and hasattr(part, "imputation_sequence_")


class SomeRows(IterativeImputer):  # type: ignore[misc]
    """A fitted IterativeImputer for rows that are a part of all rows. It is never handed out.

    scikit-learn stops after the initial imputation if all cells of a table are missing, but not if
    the same rows are among others. It also writes empty columns into the table that it was given.
    """

    def transform(self, X: Any) -> Any:
        """Fill the gaps, with a complete row added so that not all cells are missing."""
        # not its wrapped form: that would put the index of X on a table with one more row
        return IterativeImputer.transform.__wrapped__(self, X)[:-1]

    def _initial_imputation(self, X: Any, in_fit: bool = False) -> Any:
        # the columns are in order already, and an array has no names to check
        names = self.__dict__.pop("feature_names_in_", None)
        try:
            X, filled, gaps, all_gaps = super()._initial_imputation(cells_of(X), in_fit)
        finally:
            if names is not None:
                self.feature_names_in_ = names
        rows = ((X, 0), (filled, 0), (gaps, False), (all_gaps, False))
        return tuple(np.vstack([r, np.full(r.shape[1], value, r.dtype)]) for r, value in rows)
