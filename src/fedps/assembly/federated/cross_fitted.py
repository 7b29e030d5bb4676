"""CrossFitted: a TargetEncoder whose ``transform`` gives what ``fit_transform`` gave."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import TargetEncoder

from fedps.learned import needed, own
from fedps.learned.encoders import TargetEncoderNumbers


class CrossFitted(TargetEncoder):  # type: ignore[misc]
    """A fitted TargetEncoder with the encodings that were learned without each fold of its rows.

    Its ``transform`` is for those rows only, in their order, whole or in chunks: see
    :func:`~fedps.assembly.federated.row_aware.rows_from`. It stands in for the genuine encoder at a
    client while later steps are learned, and is never handed out.
    """

    @classmethod
    def of(cls, fitted: Any, numbers: TargetEncoderNumbers) -> CrossFitted:
        """Return a fitted encoder as one that knows the folds of the rows."""
        encoder = cls.__new__(cls)
        for name, value in vars(fitted).items():
            setattr(encoder, name, value)
        encoder._start = 0
        encoder._folds = own(numbers.folds)
        encoder._fold_encodings = needed(numbers.fold_encodings)
        encoder._fold_means = needed(numbers.fold_means)
        if max(encoder._folds, default=-1) >= len(encoder._fold_means):
            raise ValueError("has no numbers for some of the folds")  # rows that no fold encodes
        return encoder

    def transform(self, X: Any) -> Any:
        """Encode each row by what was learned without its fold, with scikit-learn's own methods."""
        ordinal, known = self._transform(X, handle_unknown="ignore", ensure_all_finite="allow-nan")
        folds = self._folds[self._start : self._start + len(ordinal)]
        if len(folds) != len(ordinal):
            raise ValueError("these are not the rows that the encoder was fitted on")
        encoded = np.empty((len(ordinal), len(self._fold_encodings)))
        # every fold, even one without rows here: unknown categories get the last one's mean
        for fold, mean in enumerate(self._fold_means):
            encodings = [encoding[fold] for encoding in self._fold_encodings]
            rows = np.flatnonzero(folds == fold)
            self._transform_X_ordinal(encoded, ordinal, ~known, rows, encodings, mean)
        return encoded
