"""Which columns go together most."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def strongest_pairs(matrix: Array, most: int) -> list[tuple[int, int]]:
    """Return the pairs of columns that go together most, the strongest first.

    >>> strongest_pairs(np.array([[1, 0.1, -0.9], [0.1, 1, 0.4], [-0.9, 0.4, 1]]), 2)
    [(2, 0), (2, 1)]
    """
    rows, columns = np.tril_indices(len(matrix), -1)
    sizes = np.abs(matrix[rows, columns])
    order = [k for k in np.argsort(-sizes, kind="stable") if not np.isnan(sizes[k])]
    return [(int(rows[k]), int(columns[k])) for k in order[:most]]
