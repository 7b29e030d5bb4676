"""The distinct values of a column of any table, in the fastest way that its storage allows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy import sparse

from fedps.client.tables.cells.distinct_in_arrays import Unsuited, merge_equal, of_array, of_objects
from fedps.client.tables.cells.missing_cells import cells, marked
from fedps.client.tables.cells.native_table import ColumnReader, column_at, pandas, polars
from fedps.statistics.base import Distinct


class NotCategories(Exception):  # noqa: N818 - named for what the column is
    """The column at a position is neither all text nor all numbers. Carries no cell."""

    def __init__(self, position: int, rule: str = "not categories") -> None:
        super().__init__(f"the column at position {position} does not hold categories")
        self.position = position
        self.rule = rule


def distinct(X: Any, position: int, *, counts: bool, gap: float | None = None) -> Distinct:
    """Return the distinct values of one column of a table, or of its :class:`ColumnReader`.

    ``gap`` is a number that marks missing cells: beside text it counts as None.

    >>> distinct(np.array([["b"], ["a"], ["b"]]), 0, counts=True).counts
    array([1, 2])
    """
    column = X[position] if isinstance(X, ColumnReader) else column_at(X, position)
    try:
        if sparse.issparse(column):
            return _of_sparse(column, counts=counts)
        if gap is None:
            return of_column(column, counts=counts)
        return _beside_gaps(column, gap, counts=counts)
    except Unsuited as reason:
        raise NotCategories(position, reason.rule) from None


def _beside_gaps(column: Any, gap: float, *, counts: bool) -> Distinct:
    """Return the values of a column in which a number marks missing cells."""
    gaps = 0
    if column.dtype == object:
        column = np.asarray(column, dtype=object)
        gone = marked(column, gap)
        kinds = set(map(type, column[~gone])) - {type(None)}
        if not kinds or any(issubclass(kind, str | bytes) for kind in kinds):
            column, gaps = column[~gone], int(gone.sum())
    found = of_column(column, counts=counts)
    return found._replace(none=found.none + gaps)


def of_column(column: Any, *, counts: bool) -> Distinct:
    """Return the distinct values of a 1-D array or a Series, or raise Unsuited."""
    if isinstance(column, np.ndarray):
        return of_array(column, counts=counts)
    if hasattr(column, "iloc"):
        return _of_pandas(column, counts=counts)
    return _of_polars(column, counts=counts)


def _of_sparse(column: Any, *, counts: bool) -> Distinct:
    """Count the stored cells, and the others as zeros."""
    if column.has_canonical_format is False:
        column = column.copy()
        column.sum_duplicates()
    stored = of_array(column.data, counts=True)
    zeros = column.shape[0] - column.data.size
    if not zeros or stored.counts is None:
        return Distinct(stored.values, stored.counts if counts else None, 0, stored.nan)
    at = int(np.searchsorted(stored.values, 0))
    values = np.insert(stored.values, at, 0)
    weights = np.insert(stored.counts, at, zeros)
    return merge_equal(values, weights if counts else None, nan=stored.nan)


def _of_pandas(column: Any, *, counts: bool) -> Distinct:
    pd, dtype = pandas(), column.dtype
    if isinstance(dtype, np.dtype):
        return of_array(column.to_numpy(), counts=counts)
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_categorical(column.array, counts=counts)
    if isinstance(dtype, pd.StringDtype):
        if dtype.storage == "python":
            return _without_none(of_objects(column.to_numpy().tolist(), counts=counts))
        return of_arrow(column.array.__arrow_array__(), counts=counts)
    if dtype.kind in "biu":
        # exact, and of their own type: scikit-learn makes float64 of them, but not beside objects
        kept = column.dropna()
        found = of_array(kept.to_numpy(dtype=dtype.numpy_dtype), counts=counts)
        return found._replace(nan=len(column) - len(kept))
    if dtype.kind == "f":
        return of_array(cells(column), counts=counts)
    if dtype.kind in "mM":
        return of_array(times_of(column), counts=counts)
    if isinstance(dtype, pd.ArrowDtype):
        return of_arrow(column.array.__arrow_array__(), counts=counts)
    raise Unsuited("objects")


def times_of(column: Any) -> NDArray[Any]:
    """Return a pandas column of times as an array, those with a time zone in UTC."""
    if getattr(column.dtype, "tz", None) is not None:
        if column.isna().any():
            raise Unsuited("zoned gaps")
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return np.asarray(column)


def _without_none(found: Distinct) -> Distinct:
    return Distinct(found.values, found.counts, 0, found.none + found.nan)


def _of_categorical(column: Any, *, counts: bool) -> Distinct:
    """Count the codes, then sort the few categories that occur."""
    codes = column.codes
    tally = np.bincount(codes.astype(np.int64) + 1, minlength=1)
    nan = int(tally[0])
    present = np.flatnonzero(tally[1:])
    labels = np.asarray(column.categories.take(present))
    values = _as_seen(of_array(labels, counts=False).values, missing=nan > 0)
    order = np.argsort(labels, kind="stable")
    weights = tally[1:][present][order].astype(np.int64, copy=False)
    return Distinct(values, weights if counts else None, 0, nan)


def _as_seen(values: NDArray[Any], *, missing: bool) -> NDArray[Any]:
    """Return a categorical's values as scikit-learn's validation returns them.

    NumPy makes floats of integers with missing cells.
    """
    if values.dtype.kind in "iu" and missing:
        return values.astype(np.float64)
    return values


def _of_polars(column: Any, *, counts: bool) -> Distinct:
    pl = polars()
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return of_array(column.to_numpy(), counts=counts)
    if not counts:
        values = column.unique().cast(pl.String).sort(nulls_last=True)
        texts = values.drop_nulls().to_numpy()
        return Distinct(texts, None, len(values) - texts.size, 0)
    tally = column.alias("value").value_counts(name="count")
    tally = tally.with_columns(pl.col("value").cast(pl.String)).sort("value", nulls_last=True)
    texts = tally["value"].drop_nulls().to_numpy()
    weights = tally["count"].to_numpy().astype(np.int64)
    return Distinct(texts, weights[: texts.size], int(weights[texts.size :].sum()), 0)


def of_arrow(column: Any, *, counts: bool) -> Distinct:
    """Return the distinct values of Arrow data, without making Python objects of its cells."""
    kind = column.type
    if pa.types.is_dictionary(kind) or pa.types.is_string_view(kind):
        kind = pa.large_string() if pa.types.is_string_view(kind) else kind.value_type
        column = column.cast(kind)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _of_arrow_text(column, counts=counts)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return of_array(_arrow_numbers(column), counts=counts)
    return _of_arrow_objects(column, counts=counts)


def _of_arrow_objects(column: Any, *, counts: bool) -> Distinct:
    """Return dates, times of day, decimals or bytes, made objects of Python once they are distinct."""
    try:
        tally = pc.value_counts(column)
    except pa.ArrowNotImplementedError:  # lists and structs
        raise Unsuited("objects") from None
    cells = dict(zip(*(tally.field(i).to_pylist() for i in range(2)), strict=True))
    nulls = cells.pop(None, 0)
    found = of_objects(cells, counts=False)
    weights = [cells[value] for value in found.values.tolist()] if counts else None
    return Distinct(found.values, np.array(weights, np.int64) if counts else None, 0, nulls)


def _of_arrow_text(column: Any, *, counts: bool) -> Distinct:
    weights = None
    if counts:
        tally = pc.value_counts(column)
        values, weights = tally.field(0), tally.field(1).to_numpy()
    else:
        values = pc.unique(column)
    # Arrow sorts by UTF-8 bytes, which is the order of code points; nulls come last.
    order = pc.array_sort_indices(values)
    kept = len(values) - values.null_count
    texts = values.take(order[:kept]).to_numpy(zero_copy_only=False)
    if weights is None:
        return Distinct(texts, None, 0, values.null_count)
    weights = weights[order.to_numpy()].astype(np.int64, copy=False)
    return Distinct(texts, weights[:kept], 0, int(weights[kept:].sum()))


def _arrow_numbers(column: Any) -> NDArray[Any]:
    if column.null_count:
        column = column.cast(pa.float64())
    if isinstance(column, pa.ChunkedArray):
        return np.asarray(column.to_numpy())
    return np.asarray(column.to_numpy(zero_copy_only=False))
