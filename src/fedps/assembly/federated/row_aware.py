"""Fitted estimators that must know which of a client's rows they transform."""

from __future__ import annotations

from typing import Any

from fedps.assembly.federated.chunked_imputer import in_chunks_of_rows
from fedps.assembly.federated.cross_fitted import CrossFitted
from fedps.assembly.federated.neighbours import FederatedKNNImputer
from fedps.compounds import walk


def rows_from(fitted: Any, start: int) -> Any:
    """Return a fitted estimator that knows which rows it transforms next: those from ``start`` on.

    Only a :class:`CrossFitted` encoder and an imputer that knows its rows use it. It is an attribute,
    not a thread-local value, since scikit-learn may transform in other processes.
    """
    fitted = in_chunks_of_rows(fitted)
    for part in walk(fitted, fitted=True):
        if isinstance(part, CrossFitted | FederatedKNNImputer):
            part._start = start
    return fitted
