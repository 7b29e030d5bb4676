"""A client's own rows, transformed or predicted by a fitted estimator. They are not sent."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.pipeline import Pipeline

from fedps.assembly import dummy_row, empty_output, rows_from, taking_na, with_gaps
from fedps.assembly.unified_gaps import needs_reading, with_known_gap
from fedps.client.tables import Chunk, Table, names_of, positions_of, take
from fedps.client.tables.concat_rows import concat_rows
from fedps.errors import ClientError, UsageError
from fedps.learned import Array

log = logging.getLogger("fedps.client")


def transform(fitted: Any, table: Table, client: str, kinds: Array | None = None) -> Any:
    """Return the transformed rows; for a label transformer, the transformed target.

    ``kinds`` is as what the missing cells of each column count, if not as what they are.
    """
    return _applied("transform", fitted, table, client, kinds)


def predict(fitted: Any, table: Table, client: str, kinds: Array | None = None) -> Any:
    """Return a fitted model's predictions for the rows; ``kinds`` as above."""
    return _applied("predict", fitted, table, client, kinds)


def _applied(method: str, fitted: Any, table: Table, client: str, kinds: Array | None) -> Any:
    of_target = not hasattr(fitted, "n_features_in_") and hasattr(fitted, "classes_")

    def one(chunk: Chunk) -> Any:
        own = rows_from(fitted, chunk.start)
        if of_target:
            return _one(method, own, with_known_gap(chunk.y, fitted.classes_))
        rows = chunk.X if kinds is None else with_gaps(chunk.X, kinds)
        return _one(method, taking_na(own) if needs_reading(own, rows) else own, rows)

    try:
        parts = [one(chunk) for chunk in table.chunks()]
        return concat_rows(parts) if parts else _nothing(method, fitted, table)
    except UsageError as error:  # from an estimator of ours, which quotes no cell
        raise UsageError(f"client {client!r}: {error}") from None
    except Exception as error:
        log.debug("%s failed at client %r", method, client, exc_info=True)
        reason = type(error).__name__
    raise ClientError(
        f"client {client!r}: {type(fitted).__name__}.{method} failed on its rows with {reason}. The "
        "logger 'fedps.client' has the reason at level DEBUG."
    )


def _one(method: str, fitted: Any, rows: Any) -> Any:
    names = getattr(fitted, "feature_names_in_", None)
    if names is not None and names_of(rows) is not None:
        rows = take(rows, positions_of(rows, names))
    if method == "predict":
        fitted, rows = _as_wide(fitted, rows)
    return getattr(fitted, method)(rows)


def _as_wide(fitted: Any, rows: Any) -> tuple[Any, Any]:
    """Return the model itself, and its rows in the precision of the pooled rows.

    KMeans cannot predict for rows of float32 from centres of float64, nor the other way round.
    """
    model = fitted.steps[-1][1] if isinstance(fitted, Pipeline) else fitted
    if not isinstance(model, KMeans):
        return fitted, rows
    rows = rows if model is fitted else fitted[:-1].transform(rows)
    if hasattr(rows, "astype"):  # polars frames have none, and are always read as float64
        rows = rows.astype(model.cluster_centers_.dtype)
    return model, rows


def _nothing(method: str, fitted: Any, table: Table) -> Any:
    """Return the output of an empty table."""
    schema = table.schema()
    row = dummy_row(schema.container, schema.names, schema.width, schema.dtypes)
    try:
        return _one(method, fitted, row)[:0]
    except ValueError:  # an encoder does not know the category of the made-up row
        if method == "predict":
            return np.empty(0)
        return empty_output(fitted, row[:0])
