"""Crosstab: what ``federation.crosstab`` gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, repr=False, eq=False)
class Crosstab:
    """How many rows have each pair of categories of two columns.

    Attributes
    ----------
    row, column : object
        The two columns.
    rows, columns : tuple
        Their categories, sorted.
    counts : array
        The number of rows of each pair; of a cell that is hidden, those that clients show.
    hidden : array of bool
        Whether some client hides rows of a cell: it has more than ``counts`` says.
    marks : dict of (int, int) to str
        What to show in a cell that is hidden: "< 5", or why it is.
    notes : tuple of str
        Sentences about clients that kept something back.
    """

    row: Any
    column: Any
    rows: tuple[Any, ...]
    columns: tuple[Any, ...]
    counts: Array
    hidden: Array
    marks: dict[tuple[int, int], str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
