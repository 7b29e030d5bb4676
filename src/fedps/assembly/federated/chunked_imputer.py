"""An IterativeImputer that fills some of the rows as it fills all of them together."""

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

    Steps that treat each row on its own are used as they are.
    """
    found = [part for part in walk(fitted, fitted=True) if _fills(part)]
    if not found:
        return fitted
    # regressions are not changed, and random numbers are drawn on, so both stay the same objects
    kept = [getattr(p, name) for p in found for name in ("imputation_sequence_", "random_state_")]
    made = deepcopy(fitted, {id(value): value for value in kept})
    for part in walk(made, fitted=True):
        if _fills(part):
            part.__class__ = SomeRows
    return made


def _fills(part: Any) -> bool:
    """Whether a part is such an imputer, and fitted: one of no columns is not."""
    return type(part) is IterativeImputer and hasattr(part, "imputation_sequence_")


class SomeRows(IterativeImputer):  # type: ignore[misc]
    """A fitted IterativeImputer that knows that there are more rows than it sees. It is never handed out.

    Scikit-learn's own leaves a table of nothing but gaps at its first filling, where it goes on with
    the same rows among others; and it writes what it keeps of empty columns into the table itself.
    """

    def transform(self, X: Any) -> Any:
        """Fill the gaps, with a row without gaps beside the others."""
        # not its wrapped form: that would put the index of X on a row more than X has
        return IterativeImputer.transform.__wrapped__(self, X)[:-1]

    def _initial_imputation(self, X: Any, in_fit: bool = False) -> Any:
        # the columns are in order, and an array has no names
        names = self.__dict__.pop("feature_names_in_", None)
        try:
            X, filled, gaps, all_gaps = super()._initial_imputation(cells_of(X), in_fit)
        finally:
            if names is not None:
                self.feature_names_in_ = names
        rows = ((X, 0), (filled, 0), (gaps, False), (all_gaps, False))
        return tuple(np.vstack([r, np.full(r.shape[1], value, r.dtype)]) for r, value in rows)
