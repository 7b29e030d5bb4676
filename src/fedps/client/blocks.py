"""Cells: some rows of a view, as statistics read them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from fedps.client.tables import (
    Chunk,
    Columns,
    NotCategories,
    NotNumbers,
    distinct,
    distinct_labels,
    missing,
    names_of,
    numbers,
    shape,
)
from fedps.errors import UsageError
from fedps.statistics import BadCells, Distinct
from fedps.statistics.base import Array


class Cells:
    """A block of rows: the view's cells, and the client's own rows beside them."""

    def __init__(self, rows: Any, beside: Chunk, *, is_target: bool = False) -> None:
        self._cells = rows
        self._beside = beside
        self._is_target = is_target
        self.rows = shape(beside.X)[0] if beside.X is not None else len(rows)
        flat = self._is_target and getattr(rows, "ndim", 1) != 2
        self.width = 1 if flat else shape(rows)[1]

    @cached_property
    def _columns(self) -> Columns:
        return Columns(self._cells)

    def numbers(self) -> Any:
        """Return the cells as a float array, or as a sparse matrix in CSC format."""
        try:
            return numbers(self._cells)
        except NotNumbers as error:
            raise BadCells("not numbers", error.position) from None

    def distinct(self, position: int, *, counts: bool, sets: bool = False) -> Distinct:
        """Return the distinct cells of one column, or what is in them where cells are sets."""
        try:
            if self._is_target:
                return distinct_labels(self._cells, counts=counts, sets=sets)
            return distinct(self._columns, position, counts=counts)
        except NotCategories as error:
            raise BadCells("not categories", error.position) from None

    def missing(self, marker: Any) -> Array:
        """Return the number of missing cells per column."""
        if marker is None or marker == marker:  # noqa: PLR0124 - only NaN differs from itself
            # scikit-learn takes NaN only where NaN is the marker
            lost = np.flatnonzero(missing(self._cells, float("nan")))
            if len(lost):
                raise BadCells("missing", int(lost[0]))
        return missing(self._cells, marker)

    def present(self) -> Array:
        """Return the number of cells per column that are not missing."""
        if self._is_target:
            return np.full(self.width, self.rows)
        gaps = missing(self._cells, float("nan")) + missing(self._cells, None)
        return np.asarray(self.rows - gaps)

    def weights(self, column: str) -> Array:
        """Return the row weights in a column of the client's table."""
        table = self._beside.X if self._beside.source is None else self._beside.source
        if column not in (names_of(table) or ()):
            raise BadCells("no column", what=column)
        try:
            weights = self._beside.column(column)
        except UsageError:
            weights = np.array([np.nan])
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise BadCells("bad weights", what=column)
        return weights

    def stored(self) -> int:
        """Return how many cells are stored."""
        if sparse.issparse(self._cells):
            return int(self._cells.nnz)
        return self.rows * self.width
