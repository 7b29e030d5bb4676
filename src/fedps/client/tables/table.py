"""Table and Chunk: a client's rows, as a whole or in chunks, and what they look like (the schema)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fedps.client.tables.cells.as_numbers import NotNumbers, numbers
from fedps.client.tables.cells.missing_cells import nan_objects, none_objects
from fedps.client.tables.cells.native_table import (
    column_at,
    container_of,
    first_rows,
    is_series,
    names_of,
    shape,
)
from fedps.errors import UsageError, did_you_mean
from fedps.statistics.cells.schema import Container, Schema


def schema_of(X: Any) -> Schema:
    """Return the schema of a native table.

    >>> schema_of(np.array([[1.0, np.nan]]))
    Schema(container='numpy', names=None, width=2, dtypes=('<f8',), rows=1, empty=(1,))
    """
    rows, width = shape(X)
    return Schema(container_of(X), names_of(X), width, dtypes_of(X), rows, empty_columns(X))


def dtypes_of(X: Any) -> tuple[str, ...]:
    """Return each column's dtype as text, or a single one if all are equal."""
    kind = container_of(X)
    if kind in ("numpy", "sparse"):
        return (X.dtype.str,)
    dtype_name = cache(_pandas_dtype if kind == "pandas" else _polars_dtype)
    dtypes = tuple(map(dtype_name, X.dtypes))
    return dtypes[:1] if len(set(dtypes)) == 1 else dtypes


def _pandas_dtype(dtype: Any) -> str:
    if isinstance(dtype, np.dtype) or dtype.name != "category":
        return str(dtype)
    # The categories of a client are data, which a schema must not show; their dtype is not.
    categories = dtype.categories
    return "category:" + np.asarray(categories[:0] if categories is not None else []).dtype.str


def _polars_dtype(dtype: Any) -> str:
    text = str(dtype)
    name = text.partition("(")[0]
    return name if name in ("Categorical", "Enum") else text


def empty_columns(X: Any) -> tuple[int, ...]:
    """Return the positions of all-missing columns."""
    rows, width = shape(X)
    if rows == 0:
        return tuple(range(width))
    if container_of(X) == "sparse":
        return _empty_sparse(X)
    head = first_rows(X, 1)  # a column with a value in the first row need not be read
    if isinstance(X, np.ndarray):
        candidates = np.flatnonzero(absent(head[0])).tolist()
    elif hasattr(X, "iloc"):
        candidates = np.flatnonzero(head.isna().to_numpy()).tolist()
    else:
        candidates = [j for j in range(width) if bool(absent(column_at(head, j))[0])]
    return tuple(j for j in candidates if bool(absent(column_at(X, j)).all()))


def _empty_sparse(X: Any) -> tuple[int, ...]:
    if X.dtype.kind != "f":
        return ()
    columns = X.tocsc()
    before = np.concatenate(([0], np.cumsum(np.isnan(columns.data))))
    return tuple(np.flatnonzero(np.diff(before[columns.indptr]) == X.shape[0]).tolist())


def absent(column: Any) -> NDArray[np.bool_]:
    """Return which cells of a 1-D array or Series are missing: None, NaN, pd.NA, NaT or null."""
    if hasattr(column, "iloc"):
        return np.asarray(column.isna())
    if not isinstance(column, np.ndarray):
        floats = column.dtype.is_float()
        return np.asarray(column.is_nan().fill_null(True) if floats else column.is_null())
    if column.dtype.kind in "fc":
        return np.isnan(column)
    if column.dtype.kind == "O":
        return none_objects(column) | nan_objects(column)
    return np.isnat(column) if column.dtype.kind in "mM" else np.zeros(column.shape, dtype=bool)


@dataclass(frozen=True, repr=False, eq=False)
class Chunk:
    """Some rows of a table: features and target as one would pass them to scikit-learn.

    ``source`` is the original table, with the target and columns that are not features.
    """

    X: Any
    y: Any = None
    source: Any = field(default=None)
    start: int = 0  # the number of rows before it

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a column of the original table, the target included, as float64."""
        table = self.X if self.source is None else self.source
        names = list(names_of(table) or ())
        if name not in names:
            raise UsageError(no_such_column(name, names))
        position = names.index(name)
        try:
            cells = numbers(_one_column(table, position))
        except NotNumbers:
            msg = f"column {name!r} does not hold numbers only."
            raise UsageError(msg) from None
        return np.asarray(cells[:, 0], dtype=np.float64)


def _one_column(table: Any, position: int) -> Any:
    return column_at(table, position).to_frame()


def no_such_column(name: str, names: list[str]) -> str:
    """Return the sentence that a table has no column of that name, with a suggestion."""
    if not names:
        return f"there is no column {name!r}: the table has no column names."
    hint = did_you_mean(name, names)
    if not hint:
        many = len(names) > 11
        more = f" and {len(names) - 10} more: see its columns" if many else ""
        hint = f" It has {', '.join(names[:10] if many else names)}{more}."
    return f"the table has no column {name!r}.{hint}"


def no_such_target(target: str | int, names: list[Any]) -> str:
    """Return the sentence that a table has no such target: of a number, with the column at that position.

    >>> no_such_target("2", ["age", "sex", "sick"])
    "target: there is no column '2', and this table goes by name. At position 2 it has 'sick': target='sick'."
    """
    shown = list(map(str, names))
    try:
        name = names[int(target)]
    except (ValueError, IndexError):
        return "target: " + no_such_column(str(target), shown)
    return (
        f"target: there is no column {str(target)!r}, and this table goes by name. At position {target} it "
        f"has {name!r}: target={name!r}."
    )


class Table(ABC):
    """A client's table: its schema, and its rows chunk by chunk, as often as needed."""

    container: Container
    target_name: str | None = None

    @property
    def is_described(self) -> bool:
        """Whether the schema is known without reading files for it."""
        return True

    @property
    def unordered(self) -> str | None:
        """Why the rows have no order; None if they have one."""
        return None

    def keep_order(self) -> None:  # noqa: B027 - most tables have nothing to do for it
        """Demand that all passes from now on have the rows in the same order: in memory they have."""

    def fingerprint(self) -> str:
        """Return what differs if rows do; empty if they cannot, or if that is not known."""
        return ""

    def rest(self) -> None:  # noqa: B027 - as above
        """Close what is open until rows are read again; what was found out about them stays."""

    def release(self) -> None:  # noqa: B027 - as above
        """Let go of the rows as they are, after a fit: the next one may see others."""

    @abstractmethod
    def schema(self) -> Schema:
        """Return the schema of the features."""

    @abstractmethod
    def target_schema(self) -> Schema | None:
        """Return the schema of the target, as of a table without names; None without a target."""

    @abstractmethod
    def chunks(self) -> Iterator[Chunk]:
        """Yield the rows in order; nothing if there are none."""


class InMemory(Table):
    """A table in memory: one chunk, never copied."""

    def __init__(
        self, X: Any, y: Any = None, source: Any = None, target_name: str | None = None
    ) -> None:
        self.container = container_of(X)
        self.target_name = target_name
        self._chunk = Chunk(X, y, source)

    @cached_property
    def _schemas(self) -> tuple[Schema, Schema | None]:
        return schema_of(self._chunk.X), target_schema(self._chunk.y)

    def schema(self) -> Schema:
        """Return the schema of the features."""
        return self._schemas[0]

    def target_schema(self) -> Schema | None:
        """Return the schema of the target; None without a target."""
        return self._schemas[1]

    def chunks(self) -> Iterator[Chunk]:
        """Yield the whole table; nothing if it has no rows."""
        if shape(self._chunk.X)[0]:
            yield self._chunk


def target_schema(y: Any) -> Schema | None:
    """Return the schema of a target: one column, or those of an indicator matrix."""
    if y is None:
        return None
    if sparse.issparse(y) or isinstance(y, np.ndarray):
        column = y if y.ndim > 1 else y.reshape(-1, 1)
        kind: Container = "sparse" if sparse.issparse(y) else "numpy"
        rows, width = shape(column)
        return Schema(kind, None, width, (y.dtype.str,), rows, empty_columns(column))
    if is_series(y):
        empty = (0,) if bool(absent(y).all()) else ()
        if y.dtype.kind == "O":  # text: for scikit-learn the same as an array of it
            return Schema("numpy", None, 1, ("|O",), len(y), empty)
        return Schema("pandas", ("target",), 1, (str(y.dtype),), len(y), empty)
    return Schema("numpy", None, 1, ("|O",), len(y), () if len(y) else (0,))
