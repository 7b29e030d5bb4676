"""Table and Chunk: a client's rows, as a whole or in chunks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fedps.client.tables.cells.as_numbers import NotNumbers, numbers
from fedps.client.tables.cells.native_table import column_at, names_of, shape
from fedps.client.tables.libraries import container_of, is_series
from fedps.client.tables.table_schema import absent, empty_columns, schema_of
from fedps.errors import UsageError, did_you_mean
from fedps.statistics.cells.schema import Container, Schema


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
        more = ", ..." if len(names) > 10 else ""
        hint = f" It has {', '.join(names[:10])}{more}."
    return f"the table has no column {name!r}.{hint}"


class Table(ABC):
    """A client's table: its schema, and its rows chunk by chunk, as often as needed."""

    container: Container
    target_name: str | None = None

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
