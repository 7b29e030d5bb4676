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

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from fedps.client import Policy
    from fedps.federation.federation import Federation, fit
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

# What needs scikit-learn is imported when it is first used: `fedps --help` does without.
_HOMES = {
    "KLL": "fedps.statistics:KLL",
    "REQ": "fedps.statistics:REQ",
    "Federation": "fedps.federation.federation:Federation",
    "FrequentItems": "fedps.statistics:FrequentItems",
    "Policy": "fedps.client:Policy",
    "fit": "fedps.federation.federation:fit",
    "load": "fedps.files:load_fitted",
    "row_by_row": "fedps.trials:row_by_row",
    "save": "fedps.files:save_fitted",
    "supported": "fedps.plans:supported",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    found = globals()[name] = getattr(import_module(module), attribute)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
