"""Tables: opening whatever a user would pass as a table, and reading what is in it.

May import: numpy, scipy, pyarrow, scikit-learn's validation, ``errors``, ``statistics``; pandas and
polars only if the user has imported them already, or to read files.
Its one rule: cells are read here exactly as scikit-learn would read them, and no error quotes one.

- ``open_table``: any source of rows as a table; ``owned_table``: the same with ``split="columns"``
- ``open_source``, ``named_source``: what is read batch by batch, in a program or by its name in a file
- ``table``: what a table is (``Table``, ``Chunk``, ``InMemory``), and its schema
- ``cells/``: numbers, categories, missing cells and targets, in any container
- ``sources/``: what every source of batches tells, and those of this process; ``files/`` and ``sql/``: the others
- ``concat_rows``: chunks put together again
"""

from __future__ import annotations

from fedps.client.tables.cells.as_numbers import NotNumbers, infinite, numbers
from fedps.client.tables.cells.distinct_labels import distinct_labels
from fedps.client.tables.cells.distinct_values import NotCategories, distinct
from fedps.client.tables.cells.missing_cells import gaps_by_kind, missing
from fedps.client.tables.cells.native_table import (
    ColumnReader,
    first_rows,
    names_of,
    positions_of,
    shape,
    take,
    take_rows,
    unshared,
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
    "gaps_by_kind",
    "infinite",
    "missing",
    "names_of",
    "numbers",
    "open_table",
    "positions_of",
    "shape",
    "take",
    "take_rows",
    "unshared",
]
