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
    from fedps.public_names import (
        CSV,
        KLL,
        REQ,
        SQL,
        Excel,
        Federation,
        FrequentItems,
        Look,
        Policy,
        fit,
        load,
        row_by_row,
        save,
        supported,
    )

__version__ = "0.1.0"

__all__ = [
    "CSV",
    "KLL",
    "REQ",
    "SQL",
    "ClientError",
    "Disagreement",
    "Excel",
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


def __getattr__(name: str) -> Any:
    """Import what needs scikit-learn when it is first used: ``fedps --help`` does without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fedps import public_names

    found = globals()[name] = getattr(public_names, name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
