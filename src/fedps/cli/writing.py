"""Writing tables piece by piece, as Parquet or CSV."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from fedps.client.tables.files.paths import CSV, PARQUET, is_known, is_parquet
from fedps.errors import FedPSError, UsageError
from fedps.files.saved_fits import in_folder, whole_file


class Writer:
    """Writes Arrow tables of the same columns one after another; the first one settles the types."""

    def __init__(self, sink: Any, *, as_parquet: bool) -> None:
        self._sink = sink
        self._as_parquet = as_parquet
        self._schema: Any = None
        self._writer: Any = None

    def write(self, table: Any) -> None:
        """Add some rows."""
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
                    "later ones, which do not go together. Make it one type in the pipeline."
                ) from None
        return pa.table(columns, schema=self._schema)


def _settled(schema: Any) -> Any:
    """Return a schema in which columns that are empty so far are text: anything can be that."""
    fields = [pa.field(f.name, pa.string() if pa.types.is_null(f.type) else f.type) for f in schema]
    return pa.schema(fields)


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """Give a writer of a file that is there as a whole in the end, or not at all."""
    with whole_file(path) as beside, pa.OSFile(str(beside), "wb") as file:
        zipped = path.name.lower().endswith(".gz")
        sink = pa.CompressedOutputStream(file, "gzip") if zipped else file
        writer = Writer(sink, as_parquet=is_parquet(path))
        try:
            yield writer
        finally:
            writer.close()
            if sink is not file:
                sink.close()


def writable(path: Path) -> Path:
    """Return a path that a table can be written to; UsageError where it cannot."""
    if not is_known(path):
        raise UsageError(f"{str(path)!r}: it can be {', '.join((*PARQUET, *CSV))}.")
    return in_folder(path)
