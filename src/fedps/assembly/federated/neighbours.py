"""Fitted nearest-neighbours estimators whose rows stayed with the clients.

A fitted KNNImputer or KNeighborsRegressor *is* the rows that it was fitted on. These have their
parameters, names and attributes, and ask the clients about the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.impute import KNNImputer
from sklearn.neighbors import KNeighborsRegressor
from sklearn.utils._mask import _get_mask
from sklearn.utils._missing import is_scalar_nan
from sklearn.utils.validation import FLOAT_DTYPES, check_is_fitted, validate_data

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.assembly.recipes.imputers import rows_with_gaps
from fedps.errors import UsageError
from fedps.learned import own
from fedps.learned.imputers import KNNImputerNumbers
from fedps.learned.models import KNeighborsRegressorNumbers

AskClients = Callable[[Any], Any]

# attributes in which scikit-learn keeps the rows that it was fitted on
ROWS_KEPT = ("_fit_X", "_mask_fit_X", "_tree", "_y")


class AskingClients:
    """What both estimators share: the federation that they ask, which is not pickled."""

    known: KNNImputerNumbers | KNeighborsRegressorNumbers  # what was learned when it was fitted
    owner: Any = None  # the federation that fitted it
    _ask: AskClients | None = None

    @classmethod
    def of(cls, fitted: Any, numbers: Any) -> Any:
        """Return a fitted estimator without the rows that it was fitted on."""
        made = cls.__new__(cls)
        for name, value in vars(fitted).items():
            if name not in ROWS_KEPT:
                setattr(made, name, value)
        made.known = numbers.told  # without what only the federation needs
        return made

    def connect(self, owner: Any, ask: AskClients) -> None:
        """Set who fitted it, and what asks the clients: a function of queries."""
        self.owner, self._ask = owner, ask

    def asked(self, queries: Any) -> Any:
        """Return the clients' merged answer about some rows."""
        if self._ask is None:
            raise UsageError(
                f"this {type(self).__name__} is not connected to a federation: its rows are with the "
                "clients, and pickling drops the connection. Fit it again with federation.fit; or, for "
                "the clients' own rows, use federation.transform."
            )
        return self._ask(queries)

    def fit(self, X: Any, y: Any = None) -> Any:
        """Refuse: it is fitted by a federation."""
        raise UsageError(
            f"{type(self).__name__} is fitted across clients, with federation.fit. Use "
            "sklearn.base.clone to get the plain estimator."
        )

    def has_same_rows(self, other: AskingClients) -> bool:
        """Whether another was fitted on the same rows, as far as can be seen here."""
        return self.known.rows == other.known.rows

    def unfitted(self) -> Any:
        """Return the plain scikit-learn estimator with the same parameters, not fitted."""
        plain = self.plain(**self.get_params(deep=False))  # type: ignore[attr-defined]
        for name in ("_sklearn_output_config", "_metadata_request"):
            if hasattr(self, name):
                setattr(plain, name, getattr(self, name))
        return plain

    def __sklearn_clone__(self) -> Any:
        return self.unfitted()

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("owner", "_ask")}


class FederatedKNNImputer(AskingClients, KNNImputer):  # type: ignore[misc]
    """A KNNImputer fitted across clients, whose rows stayed with them.

    ``transform`` sends incomplete rows to the federation that fitted it. At a client, while later
    steps are learned, it knows what fills the gaps of that client's rows and asks nothing.
    """

    plain = KNNImputer
    known: KNNImputerNumbers
    _start = 0

    def has_same_rows(self, other: AskingClients) -> bool:
        """Whether another was fitted on as many rows with as many gaps in each column."""
        if not isinstance(other, FederatedKNNImputer) or not super().has_same_rows(other):
            return False
        return np.array_equal(self.known.missing, other.known.missing)

    def transform(self, X: Any) -> Any:
        """Return rows with their gaps filled from the nearest rows of all clients."""
        check_is_fitted(self)
        nan = is_scalar_nan(self.missing_values)
        X = validate_data(
            self,
            X,
            accept_sparse=False,
            dtype=FLOAT_DTYPES,
            force_writeable=True,
            ensure_all_finite="allow-nan" if nan else True,
            copy=self.copy,
            reset=False,
        )
        gaps = _get_mask(X, self.missing_values)
        indicator = super()._transform_indicator(gaps)
        wanted = gaps & self._valid_mask
        if wanted.any():
            knows = self.known.is_folded
            X[wanted] = self._own(wanted) if knows else self._others(X, gaps, wanted)
        if self.keep_empty_features:
            X[:, ~self._valid_mask] = 0
        else:
            X = X[:, self._valid_mask]
        return super()._concatenate_indicator(X, indicator)

    def _others(self, X: Any, gaps: Any, wanted: Any) -> Any:
        """Return what fills the gaps, from the clients."""
        rows = np.flatnonzero(wanted.any(axis=1))
        queries = X[rows]
        queries[gaps[rows]] = np.nan
        return self.asked(queries)

    def _own(self, wanted: Any) -> Any:
        """Return what fills the gaps of the rows that it was fitted on, from a position on."""
        rows, width = wanted.shape
        here = np.flatnonzero(wanted) + self._start * width
        cells = own(self.known.gaps)
        ends = np.searchsorted(cells, [self._start * width, (self._start + rows) * width])
        if not np.array_equal(cells[slice(*ends)], here):
            raise ValueError("these are not the rows that the imputer was fitted on")
        return own(self.known.fillings)[slice(*ends)]


class FederatedKNeighborsRegressor(AskingClients, KNeighborsRegressor):  # type: ignore[misc]
    """A KNeighborsRegressor fitted across clients, whose rows stayed with them.

    ``predict`` sends the rows to be predicted to the federation that fitted it.
    """

    plain = KNeighborsRegressor
    known: KNeighborsRegressorNumbers

    def predict(self, X: Any) -> Any:
        """Return predictions from the nearest rows of all clients."""
        check_is_fitted(self)
        if X is None:
            raise UsageError(
                "give the rows to predict: those it was fitted on are with the clients."
            )
        return self.asked(validate_data(self, X, dtype=FLOAT_DTYPES, reset=False))

    def kneighbors(
        self, X: Any = None, n_neighbors: Any = None, return_distance: Any = True
    ) -> Any:
        """Refuse: the rows are with the clients."""
        raise UsageError(
            "the rows that are nearest are with the clients, and are not told: use predict."
        )


FEDERATED: dict[str, type[AskingClients]] = {
    "KNNImputer": FederatedKNNImputer,
    "KNeighborsRegressor": FederatedKNeighborsRegressor,
}


def assemble_knn_imputer(imputer: Any, numbers: KNNImputerNumbers, table: Any) -> Any:
    """Fit on a row that is there and one that has gaps where some client's rows have."""
    marker = imputer.missing_values
    rows = rows_with_gaps(table, marker, numbers.missing, numbers.rows, numeric=True)
    imputer.fit(rows)
    return rows


def assemble_k_neighbors_regressor(
    regressor: Any, numbers: KNeighborsRegressorNumbers, table: Any
) -> Any:
    """Fit on made-up rows: nothing is kept of them but their names and number."""
    rows = like(table, [[0, 1]] * table.shape[1])
    regressor.fit(rows, np.zeros(rows.shape[0]))
    regressor.n_samples_fit_ = int(numbers.rows)
    return rows
