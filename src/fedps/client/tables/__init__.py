"""Tables: what a client's table is, and what can be read from it.

For: opening whatever a person would pass as a table, and reading shape, numbers and categories.
May import: numpy, scipy, pyarrow, scikit-learn's validation, ``errors``, ``statistics``.
pandas and polars only where the user already has them loaded, or to read files.
Its one rule: cells are seen here exactly as scikit-learn would see them, and no error quotes one.
"""

from __future__ import annotations

from fedps.client.tables.cells.as_numbers import NotNumbers, infinite, numbers
from fedps.client.tables.cells.distinct_labels import distinct_labels
from fedps.client.tables.cells.distinct_values import NotCategories, distinct
from fedps.client.tables.cells.missing_cells import missing
from fedps.client.tables.cells.native_table import (
    ColumnReader,
    first_rows,
    names_of,
    positions_of,
    shape,
    take,
    take_rows,
)
from fedps.client.tables.cells.number_columns import NumberColumns
from fedps.client.tables.open_table import open_table
from fedps.client.tables.table import Chunk, Table
from fedps.statistics.base import Distinct

__all__ = [
    "Chunk",
    "ColumnReader",
    "Distinct",
    "NotCategories",
    "NotNumbers",
    "NumberColumns",
    "Table",
    "distinct",
    "distinct_labels",
    "first_rows",
    "infinite",
    "missing",
    "names_of",
    "numbers",
    "open_table",
    "positions_of",
    "shape",
    "take",
    "take_rows",
]
