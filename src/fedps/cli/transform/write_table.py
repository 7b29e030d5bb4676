"""Writing a table piece by piece, as Parquet or CSV."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from fedps.client.tables.files.paths import CSV_NAMES, PARQUET, is_known, is_parquet
from fedps.client.tables.formula_cells import without_formulas
from fedps.errors import FedPSError, UsageError
from fedps.files.whole_files import check_folder, whole_file


class TableWriter:
    """Writes Arrow tables with the same columns one after another; the first one sets the types.

    Parameters
    ----------
    sink : file
        Where the bytes go.
    as_parquet : bool
        Whether to write Parquet, or CSV.
    raw_text : bool
        Whether texts in CSV stay as they are, also those that a spreadsheet would run.

    ``escaped`` is how many cells got an apostrophe in front, so that no spreadsheet runs them.
    """

    def __init__(self, sink: Any, *, as_parquet: bool, raw_text: bool) -> None:
        self._sink = sink
        self._as_parquet = as_parquet
        self._escapes = not as_parquet and not raw_text
        self.escaped = 0
        self._schema: Any = None
        self._writer: Any = None

    def write(self, table: Any) -> None:
        """Add some rows."""
        if self._escapes:
            table, escaped = without_formulas(table)
            self.escaped += escaped
        if self._schema is None:
            self._schema = _settled(table.schema)
            make = parquet.ParquetWriter if self._as_parquet else csv.CSVWriter
            self._writer = make(self._sink, self._schema)
        self._writer.write_table(self._fitting(table))

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.close()

    def _fitting(self, table: Any) -> Any:
        """Return rows with the types of the first ones."""
        columns = []
        for field in self._schema:
            try:
                columns.append(table[field.name].cast(field.type))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                found = table.schema.field(field.name).type
                # Arrow's own text can quote a cell
                raise FedPSError(
                    f"the output column {field.name!r} is {field.type} in the first rows and {found} in "
                    "later ones, which cannot be combined. Make it one type in the pipeline."
                ) from None
        return pa.table(columns, schema=self._schema)


def _settled(schema: Any) -> Any:
    """Return a schema in which columns that are empty so far are text: any later cell fits there."""
    fields = [pa.field(f.name, pa.string() if pa.types.is_null(f.type) else f.type) for f in schema]
    return pa.schema(fields)


@contextmanager
def table_writer(path: Path, *, raw_text: bool = False) -> Iterator[TableWriter]:
    """Give a writer of a file that is written completely or not at all."""
    with whole_file(path) as beside, pa.OSFile(str(beside), "wb") as file:
        zipped = path.name.lower().endswith(".gz")
        sink = pa.CompressedOutputStream(file, "gzip") if zipped else file
        writer = TableWriter(sink, as_parquet=is_parquet(path), raw_text=raw_text)
        try:
            yield writer
        finally:
            writer.close()
            if sink is not file:
                sink.close()


def check_table_path(path: Path) -> None:
    """Raise UsageError for a path that a table cannot be written to."""
    if not is_known(path):
        raise UsageError(f"{str(path)!r}: must end with {', '.join((*PARQUET, *CSV_NAMES))}.")
    check_folder(path)
