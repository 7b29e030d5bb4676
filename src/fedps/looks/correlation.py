"""Correlation: what ``federation.corr`` gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, repr=False, eq=False)
class Correlation:
    """The correlation of each two columns, over the rows that have both cells.

    Attributes
    ----------
    names : tuple
        The columns.
    matrix : array
        Pearson's correlation, NaN where it is not defined.
    rows : array
        From how many rows each number is.
    vif : array
        The variance inflation factor of each column, over the rows without gaps: how many times larger
        the variance of its coefficient is than if no other column explained it.
    complete : int
        How many rows have no gaps.
    notes : tuple of str
        Sentences about clients that kept something back.
    """

    names: tuple[Any, ...]
    matrix: Array
    rows: Array
    vif: Array
    complete: int
    notes: tuple[str, ...] = ()
