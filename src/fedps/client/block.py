"""TableBlock: some rows of a view, as statistics read them (see ``statistics.base.Block``)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from fedps.client.failure_reasons import no_text_leaves
from fedps.client.owner.own_side import OwnSide
from fedps.client.owner.owner_fit import partial_of
from fedps.client.tables import (
    Chunk,
    ColumnReader,
    NotCategories,
    NotNumbers,
    NumberColumns,
    distinct,
    distinct_labels,
    gaps_by_kind,
    infinite,
    missing,
    names_of,
    numbers,
    shape,
    take,
    take_rows,
)
from fedps.client.tables.cells.category_codes import codes_of
from fedps.client.tables.cells.distances import distances
from fedps.client.tables.cells.missing_cells import is_of_floats, times_at
from fedps.client.tables.cells.native_table import container_of
from fedps.client.tables.cells.target import plain_target
from fedps.client.tables.table import target_schema
from fedps.errors import UsageError
from fedps.statistics import BadCells, Distinct
from fedps.statistics.base import Array, DistinctLists


class TableBlock:
    """A block of rows: the view's cells, and the same rows of the client's own table."""

    def __init__(  # noqa: PLR0913 - all that statistics may want beside the cells
        self,
        rows: Any,
        beside: Chunk,
        *,
        is_target: bool = False,
        folds: Array | None = None,
        given: Array | None = None,
        keys: Any = None,
        part: Any = None,
        own: OwnSide | None = None,
        tables: dict[bool, DistinctLists] | None = None,
    ) -> None:
        self._own = own or OwnSide()
        self._tables = {} if tables is None else tables  # of an earlier round, for this one
        self._given = given
        self._keys = keys
        self._part = part
        self._cells = rows
        self._beside = beside
        self._is_target = is_target
        self._folds = folds
        flat = self._is_target and getattr(rows, "ndim", 1) != 2
        self.rows = len(rows) if flat else shape(rows)[0]
        self.width = 1 if flat else shape(rows)[1]

    @property
    def beside(self) -> Chunk:
        """The same rows of the client's own table."""
        return self._beside

    @cached_property
    def _columns(self) -> ColumnReader:
        return ColumnReader(self._cells)

    @cached_property
    def _numbers(self) -> NumberColumns:
        cells = self._cells
        if self._is_target and getattr(cells, "ndim", 1) == 1:
            cells = np.asarray(cells).reshape(-1, 1)
        try:
            return NumberColumns(cells)
        except NotNumbers as error:
            raise BadCells("not numbers", error.position) from None

    def tally(self, position: int, *, stored: bool = False) -> Distinct:
        """Return the distinct numbers of one column with counts; optionally of stored cells only."""
        return self._numbers.tally(position, stored=stored)

    def tables(self, *, stored: bool = False, again: bool = False) -> DistinctLists:
        """Return the distinct numbers of all columns with counts; ``again``: another round will ask for them."""
        found = self._tables.pop(stored, None) or self._numbers.tables(stored=stored)
        if again:
            self._tables[stored] = found
        return found

    def by_column(self, columns: slice) -> Array | None:
        """Return some columns' numbers with a line for each; None where they are not in one array."""
        return self._numbers.by_column(columns)

    def column(self, position: int, *, stored: bool = False) -> Array:
        """Return the numbers of one column without NaN; optionally of stored cells only."""
        return self._numbers.column(position, stored=stored)

    def column_as_stored(self, position: int) -> Array:
        """Return the numbers of one column without NaN, in the dtype that they have."""
        return self._numbers.as_stored(position)

    def gaps(self, position: int) -> int:
        """Return how many cells of one column are NaN."""
        return self._numbers.gaps(position)

    def narrow(self) -> bool:
        """Return whether the cells are 32-bit floats."""
        return bool(self._numbers.narrow)

    def numbers(self) -> Any:
        """Return the cells as a float array, or as a sparse matrix in CSC format."""
        try:
            return numbers(self._cells)
        except NotNumbers as error:
            raise BadCells("not numbers", error.position) from None

    @property
    def is_frame(self) -> bool:
        """Whether columns are stored one by one, so that each is read at once."""
        return not self._is_target and container_of(self._cells) not in ("numpy", "sparse")

    def head(self, rows: int, columns: list[int]) -> Any:
        """Return the first rows of some columns as ``numbers`` does."""
        flat = self._is_target and getattr(self._cells, "ndim", 1) != 2
        if flat:
            return np.asarray(self.column(0)[:rows])[:, None]
        try:
            if isinstance(self._cells, np.ndarray):
                return numbers(self._cells[:rows])[:, columns]
            cells = take_rows(self._cells, slice(rows))
            return numbers(cells if len(columns) == self.width else take(cells, columns))
        except NotNumbers as error:
            raise BadCells("not numbers", error.position) from None

    def distinct(
        self, position: int, *, counts: bool, sets: bool = False, gap: float | None = None
    ) -> Distinct:
        """Return the distinct values of one column; with ``sets``, the elements of its cells."""
        try:
            if self._is_target:
                return distinct_labels(self._cells, counts=counts, sets=sets)
            return distinct(self._columns, position, counts=counts, gap=gap)
        except NotCategories as error:
            raise BadCells(error.rule, error.position) from None

    def codes(self, position: int) -> tuple[Distinct, Array]:
        """Return a column's distinct values, and each row's position among them; None, NaN last."""
        found = self.distinct(position, counts=False)
        if found.values.dtype.kind in "mM" and found.nan:
            raise BadCells("missing times", position)
        return found, codes_of(self._columns[position], found)

    def target(self) -> Array:
        """Return the target of the rows: numbers without NaN, or text in an object array."""
        return plain_target(self._cells if self._is_target else self._beside.y)

    def target_kind(self) -> str:
        """Return the container and the dtype of the target, as in a schema, separated by a space."""
        schema = target_schema(self._cells if self._is_target else self._beside.y)
        if schema is None:
            raise BadCells("no target")
        return f"{schema.container} {schema.dtypes[0]}"

    def folds(self) -> Array:
        """Return the fold of each row."""
        if self._folds is None:
            raise BadCells("folds")
        return self._folds

    @cached_property
    def _floats(self) -> Any:
        return self.numbers()

    def distances(
        self, queries: Array, rows: slice, metric: str, p: float, weights: Array
    ) -> Array:
        """Return the distance of each query to each of the given rows, by a metric of scipy."""
        return distances(queries, self._floats[rows], metric, p, weights)

    def has_target(self) -> bool:
        """Return whether this client has the target."""
        return self._beside.y is not None

    def keys(self) -> Any:
        """Return the cells of the key column, in the order of the rows; None without a key column."""
        return self._keys

    def matching(self) -> Any:
        """Return this owner's side of a match of keys: there is none while something is fitted."""
        return self._own.matching()

    def secret(self) -> bytes:
        """Return 32 random bytes that only this client knows, the same throughout the fit."""
        return self._own.secret()

    def masking(self) -> Any:
        """Return this owner's keys, and a cipher: only owners of columns have them."""
        return self._own.masking()

    def given(self) -> Array:
        """Return the array that the server sent to this client alone, to go with its rows."""
        if self._given is None:
            raise BadCells("journal")
        return self._given

    def partial(self, start: int, stop: int) -> Array:
        """Return this client's part of the predictions for the rows from start to stop."""
        if self._part is None:
            raise BadCells("no model")
        some = np.arange(start, min(stop, self.rows))
        own = names_of(self._cells) or [str(j) for j in range(self.width)]
        with no_text_leaves(
            self._part, self._cells, () if isinstance(self._part, Pipeline) else own
        ):
            return partial_of(self._part, take_rows(self._cells, some))

    def missing(self, marker: Any) -> Array:
        """Return the number of missing cells per column."""
        if marker is None or marker == marker:  # noqa: PLR0124 - only NaN differs from itself
            # scikit-learn accepts NaN only if NaN is the marker
            lost = np.flatnonzero(missing(self._cells, float("nan")))
            if len(lost):
                raise BadCells("missing", int(lost[0]))
        return missing(self._cells, marker)

    def gaps_by_kind(self) -> Array:
        """Return two lines: how many cells of each column are None, and how many are NaN."""
        for position in times_at(self._cells):
            raise BadCells("times", position)
        too_large = infinite(self.numbers()) if is_of_floats(self._cells) else None
        if too_large is not None:
            raise BadCells("infinity", too_large)
        return gaps_by_kind(self._cells)

    def equal_to(self, marker: Any) -> Array:
        """Return the number of cells per column that equal a value."""
        if self._is_target:
            return np.atleast_1d(np.count_nonzero(np.asarray(self._cells) == marker, axis=0))
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
        except UsageError:  # not numbers: refused below
            weights = np.array([np.nan])
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise BadCells("bad weights", what=column)
        return weights

    def stored(self) -> int:
        """Return how many cells are stored."""
        if sparse.issparse(self._cells):
            return int(self._cells.nnz)
        return self.rows * self.width
