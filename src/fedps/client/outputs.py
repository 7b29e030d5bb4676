"""What a fitted transformer makes of a client's own rows."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from scipy import sparse

from fedps.assembly import rows_from, template
from fedps.client.tables import Table, names_of, positions_of, take
from fedps.errors import ClientError

log = logging.getLogger("fedps.client")


def transform(fitted: Any, table: Table, client: str) -> Any:
    """Return the transformed rows; a label transformer's are those of the target."""
    of_target = not hasattr(fitted, "n_features_in_") and hasattr(fitted, "classes_")
    try:
        parts = [
            _one(rows_from(fitted, chunk.start), chunk.y if of_target else chunk.X)
            for chunk in table.chunks()
        ]
        return _together(parts) if parts else _nothing(fitted, table)
    except Exception as error:
        log.debug("transform failed at client %r", client, exc_info=True)
        reason = type(error).__name__
    raise ClientError(
        f"client {client!r}: {type(fitted).__name__}.transform failed on its rows with {reason}. The "
        "logger 'fedps.client' has the reason at level DEBUG."
    )


def _one(fitted: Any, rows: Any) -> Any:
    names = getattr(fitted, "feature_names_in_", None)
    if names is not None and names_of(rows) is not None:
        rows = take(rows, positions_of(rows, names))
    return fitted.transform(rows)


def _nothing(fitted: Any, table: Table) -> Any:
    """Return no rows in the form of the output."""
    schema = table.schema()
    row = template(schema.container, schema.names, schema.width, schema.dtypes)
    try:
        return _one(fitted, row)[:0]
    except ValueError:  # an encoder that does not know the made-up row
        return np.empty((0, len(fitted.get_feature_names_out())))


def _together(parts: list[Any]) -> Any:
    """Return chunks of output as one."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if sparse.issparse(first):
        return sparse.vstack(parts).asformat(first.format)
    if hasattr(first, "iloc"):
        import pandas as pd

        return pd.concat(parts, ignore_index=True)
    if hasattr(first, "vstack"):
        import polars as pl

        return pl.concat(parts)
    return np.concatenate(parts)
