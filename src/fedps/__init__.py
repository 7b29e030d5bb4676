"""Fit scikit-learn preprocessing across clients that cannot pool their rows.

The result is the fitted scikit-learn object that the pooled rows would have given. Everything public
is in this namespace; ``fedps.flower`` and ``fedps.nvflare`` run it on an engine.

>>> import numpy as np
>>> from sklearn.preprocessing import MinMaxScaler
>>> import fedps
>>> fedps.fit(MinMaxScaler(), [np.array([[0.0]]), np.array([[4.0]])]).transform([[1.0]])
array([[0.25]])
"""

from __future__ import annotations

from fedps.client import Policy
from fedps.errors import (
    ClientError,
    Disagreement,
    FedPSError,
    NotFederated,
    PeerError,
    Refused,
    TransportError,
    UsageError,
)
from fedps.federation.federation import Federation, fit
from fedps.federation.looks.look import Look
from fedps.files import load_fitted as load
from fedps.files import save_fitted as save
from fedps.plans import supported
from fedps.statistics import KLL, REQ, FrequentItems
from fedps.trials import row_by_row

__version__ = "0.1.0"

__all__ = [
    "KLL",
    "REQ",
    "ClientError",
    "Disagreement",
    "FedPSError",
    "Federation",
    "FrequentItems",
    "Look",
    "NotFederated",
    "PeerError",
    "Policy",
    "Refused",
    "TransportError",
    "UsageError",
    "fit",
    "load",
    "row_by_row",
    "save",
    "supported",
]
