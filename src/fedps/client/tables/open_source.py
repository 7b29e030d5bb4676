"""open_source: what is read batch by batch, as a source; and tables in memory as what they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import dataset as arrow_dataset

from fedps.client.tables.cells.native_table import polars
from fedps.client.tables.files.csv_options import CSV
from fedps.client.tables.files.dataset_files import DatasetFiles
from fedps.client.tables.files.excel_sheets import Excel, read_sheet
from fedps.client.tables.files.open_files import open_files
from fedps.client.tables.files.paths import EXCEL
from fedps.client.tables.sources.arrow_source import ArrowSource
from fedps.client.tables.sources.duckdb_relations import DuckRows, is_relation
from fedps.client.tables.sources.lazy_frames import LazyRows
from fedps.client.tables.sources.reader_functions import ReadAgain, once_only
from fedps.client.tables.sources.uri import is_uri, shown_uri
from fedps.client.tables.sql.sql import SQL
from fedps.client.tables.sql.sql_source import SqlRows
from fedps.errors import UsageError


def open_source(source: Any, dtypes: Mapping[str, str]) -> ArrowSource | None:
    """Return the source of something that is read batch by batch; None if it is in memory already."""
    if isinstance(source, SQL):
        return SqlRows(source.uri, source.query, source.timeout)
    if isinstance(source, str | Path | CSV):
        if isinstance(source, str) and is_uri(source):
            raise UsageError(f"{shown_uri(source)} needs a query: fedps.SQL(uri, 'SELECT ...').")
        return open_files(source, dtypes)
    if isinstance(source, arrow_dataset.Dataset):
        return DatasetFiles(source)
    if isinstance(source, pa.RecordBatchReader):
        raise once_only(source)
    pl = polars()
    if pl is not None and isinstance(source, pl.LazyFrame):
        return LazyRows(source)
    if is_relation(source):
        return DuckRows(source)
    return None


def called_source(source: Any) -> Any:
    """Return what a function without arguments returns as a table; a reader is asked for again in each pass."""
    found = source()
    return ReadAgain(source, found) if isinstance(found, pa.RecordBatchReader) else found


def in_memory(source: Any) -> Any:
    """Return a sheet of Excel, or record batches, as a table in memory; anything else as it is."""
    if (
        isinstance(source, str | Path)
        and str(source).lower().endswith(EXCEL)
        and not is_uri(str(source))
    ):
        source = Excel(source)
    if isinstance(source, Excel):
        return read_sheet(source)
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if (
        isinstance(source, list)
        and source
        and all(isinstance(one, pa.RecordBatch) for one in source)
    ):
        return pa.Table.from_batches(source)
    return source
