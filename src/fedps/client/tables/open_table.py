"""open_table: whatever a user would call a table, as a Table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from fedps.client.tables.cast_columns import cast_columns, read_dtypes
from fedps.client.tables.cells.native_table import column_at, kind_of, take
from fedps.client.tables.cells.target import as_target
from fedps.client.tables.files.csv_options import CSV
from fedps.client.tables.files.excel_sheets import Excel
from fedps.client.tables.open_source import called_source, in_memory, open_source
from fedps.client.tables.sources.arrow_frames import frame_from_arrow
from fedps.client.tables.sources.arrow_source import ArrowSource
from fedps.client.tables.sources.source_table import SourceTable
from fedps.client.tables.sql.sql import SQL
from fedps.client.tables.table import InMemory, Table, no_such_column, no_such_target
from fedps.errors import UsageError
from fedps.statistics.cells.schema import MOST_COLUMNS, MOST_NAMED

_ACCEPTED = (
    "a pandas or polars DataFrame, a pyarrow Table, a 2-D NumPy array or list of lists, a scipy "
    "sparse matrix, the path of Parquet, CSV, Feather or Excel files, fedps.CSV(...), fedps.SQL(...), a "
    "polars LazyFrame, a pyarrow Dataset, a DuckDB relation, or a pair (X, y)"
)


def open_table(
    source: Any, *, target: str | int | None = None, dtypes: Mapping[str, str] | None = None
) -> Table:
    """Return the table of a source.

    Parameters
    ----------
    source : DataFrame, array, sparse matrix, list of lists, path, CSV, SQL, Excel or (X, y)
        A pandas or polars DataFrame, a pyarrow Table, a 2-D NumPy array or list of lists, a scipy
        sparse matrix, the path of Parquet, CSV, Feather or Excel files (a file, a directory or a glob),
        ``fedps.CSV``, ``fedps.SQL`` or ``fedps.Excel``, a polars LazyFrame, a pyarrow Dataset, a DuckDB relation,
        or a pair of features and target.
    target : str or int, default=None
        The target column, which is then not a feature: its name, or in an array its position, which
        may count from the end as in NumPy. Files and data frames go by name. Default: no target.
    dtypes : dict of str to str, default=None
        What some columns are read as, such as ``{"zip": "str"}``: "str", "category", "float", "int",
        "bool" or "datetime". Default: what they are.

    Examples
    --------
    >>> open_table([[1.0, 2.0], [3.0, 4.0]]).schema().rows
    2
    """
    wanted = {
        **read_dtypes(dtypes),
        **read_dtypes(getattr(source, "dtypes", None) if is_own(source) else None),
    }
    source = in_memory(called_source(source) if callable(source) else source)
    found = source if isinstance(source, ArrowSource) else open_source(source, wanted)
    if found is not None:
        # columns of files have names, which may be numbers
        name = None if target is None else str(target)
        try:
            return SourceTable(found, target=name, dtypes=wanted)
        finally:
            found.release()  # until a fit begins
    if isinstance(source, tuple) and len(source) == 2:
        if target is not None:
            msg = f"target={target!r} names a column, but the client is already a pair (X, y)."
            raise UsageError(msg)
        return from_pair(*source, dtypes=wanted)
    X = cast_columns(as_table(source), wanted)
    return InMemory(X) if target is None else _split(X, target)


def is_own(source: Any) -> bool:
    """Return whether a source says itself how it is read."""
    return isinstance(source, CSV | SQL | Excel)


def from_pair(X: Any, y: Any, dtypes: Mapping[str, str] | None = None) -> Table:
    """Return the table of a pair of features and target."""
    if isinstance(X, (str, Path)) or is_own(X):
        msg = "a pair (X, y) needs a table in memory as X. Name the file's label column as target."
        raise UsageError(msg)
    labels = None if y is None else as_target(y)
    if X is None and labels is None:
        raise UsageError(f"a pair of None and None is not a table. Pass {_ACCEPTED}.")
    rows = None if labels is None else _length(labels)
    table = np.empty((rows or 0, 0)) if X is None else cast_columns(as_table(X), dtypes or {})
    if rows is not None and table.shape[0] != rows:
        msg = f"X has {table.shape[0]} rows, but y has {rows}."
        raise UsageError(msg)
    return InMemory(table, labels)


def _length(y: Any) -> int:
    return len(y) if isinstance(y, (list, tuple)) else int(y.shape[0])


def _split(X: Any, target: str | int) -> Table:
    """Return the table with its target column taken out of the features."""
    position = _place_of(X, target)
    others = [j for j in range(X.shape[1]) if j != position]
    y = column_at(X, position)
    if sparse.issparse(y):  # a sparse target would be an indicator of labels
        y = y.toarray()[:, 0]
    name = target if isinstance(target, str) else None
    return InMemory(take(X, others), as_target(y), X, name)


def _place_of(X: Any, target: str | int) -> int:
    """Return the position of a column: by its label in a frame, by number in an array."""
    if kind_of(X) in ("pandas", "polars"):
        labels = list(X.columns)
        if target in labels:
            return labels.index(target)
        raise UsageError(no_such_target(target, labels))
    width = int(X.shape[1])
    if isinstance(target, str):
        raise UsageError(
            f"target: {no_such_column(target, [])} Give its position, such as target=0."
        )
    if not -width <= target < width:
        raise UsageError(
            f"target={target}: the array has {width} columns. Positions are 0 to {width - 1}, or "
            f"{-width} to -1 from the end."
        )
    return int(target) % width


def as_table(source: Any) -> Any:
    """Return a source in memory as a native table: an array, a sparse matrix or a frame."""
    if isinstance(source, pa.Table):
        check_names(source.column_names)
        source = frame_from_arrow(source)
    if isinstance(source, list):
        source = _from_rows(source)
    kind = kind_of(source)
    if kind is None:
        raise UsageError(_unknown(source))
    if kind == "numpy" and source.ndim != 2:
        msg = f"a table has 2 dimensions, this array has {source.ndim}. Try .reshape(-1, 1)."
        raise UsageError(msg)
    check_width(source.shape[1], named=kind in ("pandas", "polars"))
    if kind in ("pandas", "polars"):
        check_names(list(source.columns))
    return source


def _from_rows(source: list[Any]) -> Any:
    """Return an array of a list of rows; beside text, numbers stay numbers, as for scikit-learn's encoders."""
    try:
        made = np.asarray(source)
        return made if made.dtype.kind not in "US" else np.asarray(source, dtype=object)
    except ValueError:  # NumPy cannot make one array from rows of different lengths
        pass
    raise UsageError("the rows of this list of lists differ in length.")


def _unknown(source: Any) -> str:
    return f"{type(source).__name__} is not a table. Pass {_ACCEPTED}."


def check_width(columns: int, *, named: bool) -> None:
    """Refuse a table of more columns than a message has room for."""
    most = MOST_NAMED if named else MOST_COLUMNS
    if columns > most:
        raise UsageError(
            f"this table has {columns:,} columns. A client answers with some numbers about each column, "
            f"and a message has room for {most:,} columns{' with names' if named else ''}. Choose columns "
            "first, or hash them into fewer."
        )


def check_names(names: list[Any]) -> None:
    """Refuse names that scikit-learn refuses, and names that two columns have."""
    texts = sum(isinstance(name, str) for name in names)
    if 0 < texts < len(names):
        msg = "some column names are strings, others are not. Rename them: X.columns.astype(str)."
        raise UsageError(msg)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"two columns have the name {str(twice)!r}. Rename one."
        raise UsageError(msg)
