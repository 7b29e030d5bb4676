"""What columns hold where cells are missing: None or NaN, and how summaries make one of both.

scikit-learn tells None and NaN apart. Where clients differ in it, the server chooses one for all of them
(``protocol/one_missing``), and summaries that count both count them as that one.
"""

from __future__ import annotations

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

Array = np.ndarray[Any, Any]

AS_IT_IS, NONE, NAN = 0, 1, 2  # what the missing cells of a column count as


@runtime_checkable
class CountsGaps(Protocol):
    """A summary that tells None and NaN apart."""

    def gaps(self) -> Array:
        """Return two lines: how many cells of each column are None, and how many are NaN."""

    def with_gaps(self, kinds: Array) -> Self:
        """Return the summary with the missing cells of each column as one kind, or as they are."""


def as_kinds(none: Array, nan: Array, kinds: Array) -> tuple[Array, Array]:
    """Return how many cells are None and NaN once they count as the given kinds.

    >>> [n.tolist() for n in as_kinds(np.array([1, 1]), np.array([2, 2]), np.array([NAN, AS_IT_IS]))]
    [[0, 1], [3, 2]]
    """
    total = none + nan
    return (
        np.where(kinds == NONE, total, np.where(kinds == NAN, 0, none)),
        np.where(kinds == NAN, total, np.where(kinds == NONE, 0, nan)),
    )
