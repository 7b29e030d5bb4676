"""What is learned for imputers."""

from __future__ import annotations

from typing import Annotated, Any

from fedps.learned.numbers import OF_FITTED_ROWS, Numbers
from fedps.learned.per_client import Array, Kept, PerClient


class MissingIndicatorNumbers(Numbers):
    """How many cells of each column are missing, of how many rows.

    ``kinds`` is what missing cells of each column count as, where clients hold different ones: 0 for what
    they are, 1 for None, 2 for NaN.
    """

    missing: Array
    rows: int
    kinds: Array | None = None


class SimpleImputerNumbers(Numbers):
    """What missing cells of each column become; no statistics where that is a constant.

    ``kinds`` is as for a MissingIndicator.
    """

    statistics: Array | None = None
    missing: Array
    rows: int
    kinds: Array | None = None


class IterativeImputerNumbers(Numbers):
    """What missing cells start from, as of a SimpleImputer, and the regressions of all sweeps.

    ``columns``, ``coef``, ``intercept`` and ``neighbours`` have a line for each regression: the column
    that it imputes, and its numbers. ``neighbours`` are there where only some columns are used.
    ``fits`` are further attributes of each regression, and ``random_keys`` and ``random_position`` the
    state that a fit leaves random numbers in.
    """

    statistics: Array | None = None
    missing: Array
    rows: int
    columns: Array
    coef: Array
    intercept: Array
    n_iter: int
    fits: Kept[list[dict[str, Any]]] | None = None
    neighbours: Array | None = None
    random_keys: Kept[Array] | None = None
    random_position: Kept[int] | None = None


class KNNImputerNumbers(Numbers):
    """How many cells of each column are missing, of how many rows.

    ``gaps`` and ``fillings`` are for the rows that it was fitted on: where each client's missing cells
    are, counted cell by cell, and what fills them. ``view`` is what to ask about new rows.
    """

    missing: Array
    rows: int
    view: Kept[Any] | None = None
    gaps: Annotated[Array | PerClient[Array] | None, OF_FITTED_ROWS] = None
    fillings: Annotated[Array | PerClient[Array] | None, OF_FITTED_ROWS] = None
