"""What a fitted transformer or model makes of a client's own rows."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.pipeline import Pipeline

from fedps.assembly import dummy_row, rows_from
from fedps.client.tables import Table, names_of, positions_of, take
from fedps.client.tables.concat_rows import concat_rows
from fedps.errors import ClientError, UsageError

log = logging.getLogger("fedps.client")


def transform(fitted: Any, table: Table, client: str) -> Any:
    """Return the transformed rows; a label transformer's are those of the target."""
    return _applied("transform", fitted, table, client)


def predict(fitted: Any, table: Table, client: str) -> Any:
    """Return a fitted model's predictions for the rows."""
    return _applied("predict", fitted, table, client)


def _applied(method: str, fitted: Any, table: Table, client: str) -> Any:
    of_target = not hasattr(fitted, "n_features_in_") and hasattr(fitted, "classes_")
    try:
        parts = [
            _one(method, rows_from(fitted, chunk.start), chunk.y if of_target else chunk.X)
            for chunk in table.chunks()
        ]
        return concat_rows(parts) if parts else _nothing(method, fitted, table)
    except UsageError as error:  # of a stand-in, that knows the rows that it was fitted on
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
    """Return the model itself, and its rows in the precision of all clients' rows together.

    From centres of 64 bits, KMeans predicts nothing for rows of 32 bits, nor the other way round.
    """
    model = fitted.steps[-1][1] if isinstance(fitted, Pipeline) else fitted
    if not isinstance(model, KMeans):
        return fitted, rows
    rows = rows if model is fitted else fitted[:-1].transform(rows)
    if hasattr(rows, "astype"):  # polars frames have none, and are always read as 64 bits
        rows = rows.astype(model.cluster_centers_.dtype)
    return model, rows


def _nothing(method: str, fitted: Any, table: Table) -> Any:
    """Return no rows in the form of the output."""
    schema = table.schema()
    row = dummy_row(schema.container, schema.names, schema.width, schema.dtypes)
    try:
        return _one(method, fitted, row)[:0]
    except ValueError:  # an encoder that does not know the made-up row
        if method == "predict":
            return np.empty(0)
        return np.empty((0, len(fitted.get_feature_names_out())))
