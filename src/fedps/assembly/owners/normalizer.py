"""A Normalizer for a client that has some of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import Normalizer
from sklearn.utils.validation import validate_data

from fedps.assembly.owners.owner_base import demand_rows
from fedps.learned import own
from fedps.learned.owners import NormalizerPartNumbers


class PartNormalizer(Normalizer):  # type: ignore[misc]
    """Divides a client's columns by the norms of whole rows, most of which are elsewhere.

    It knows the norms of the rows that it was fitted on, and only of those.
    """

    @classmethod
    def of(cls, normalizer: Any, numbers: NormalizerPartNumbers) -> PartNormalizer:
        """Return one that knows the norms of all rows."""
        part = cls(**normalizer.get_params())
        for name, value in vars(normalizer).items():
            setattr(part, name, value)
        part._norms = own(numbers.norms)
        return part

    def __sklearn_clone__(self) -> PartNormalizer:
        return self

    def transform(self, X: Any, copy: Any = None) -> Any:
        """Scale the rows that it was fitted on to norm 1 over the columns of all clients."""
        cells = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            force_writeable=True,
            copy=self.copy if copy is None else copy,
            reset=False,
        )
        demand_rows(self, cells.shape[0], len(self._norms))
        norms = np.where(self._norms == 0, 1.0, self._norms).astype(cells.dtype)
        if sparse.issparse(cells):
            return sparse.diags_array(1.0 / norms) @ cells
        cells /= norms[:, None]
        return cells
