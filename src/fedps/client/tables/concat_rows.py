"""concat_rows: parts of a table put together again, in their container."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse


def concat_rows(parts: Sequence[Any]) -> Any:
    """Return the rows of all parts as one table.

    >>> concat_rows([np.array([[1.0]]), np.array([[2.0]])]).ravel()
    array([1., 2.])
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    if sparse.issparse(first):
        return sparse.vstack(parts).asformat(first.format)
    if hasattr(first, "iloc"):
        import pandas as pd

        return pd.concat(parts, ignore_index=True)
    if hasattr(first, "vstack"):
        import polars as pl

        return pl.concat(parts)
    return np.concatenate(parts)
