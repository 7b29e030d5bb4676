"""Transformers that learn nothing but the form of their input."""

from __future__ import annotations

from typing import Any

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.learned import Nothing


def assemble_stateless(transformer: Any, numbers: Nothing, table: Any) -> Any:
    """Fit on a row of ones, also where a column of numbers has no numeric dtype."""
    rows = table if hasattr(table, "indptr") else like(table, [[1]] * table.shape[1])
    transformer.fit(rows)
    return rows


def assemble_function_transformer(transformer: Any, numbers: Nothing, table: Any) -> Any:
    """Fit on a made-up row, whose dtypes a function may depend on."""
    transformer.fit(table)
    return table
