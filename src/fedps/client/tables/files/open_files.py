"""open_files: the source of a path, a folder or a glob."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fedps.client.tables.cast_columns import FROM_THE_START
from fedps.client.tables.files.csv_files import CsvFiles
from fedps.client.tables.files.csv_options import CSV
from fedps.client.tables.files.dataset_files import dataset_of
from fedps.client.tables.files.parquet_files import ParquetFiles
from fedps.client.tables.files.paths import kind_of_file, matching_files, partitions
from fedps.client.tables.sources.arrow_source import ArrowSource
from fedps.errors import UsageError


def open_files(source: str | Path | CSV, dtypes: Mapping[str, str]) -> ArrowSource:
    """Return the source of some files; text that is to stay text is read so from the start."""
    types = {name: FROM_THE_START.get(dtype) for name, dtype in dtypes.items()}
    if isinstance(source, CSV):
        return CsvFiles(matching_files(source.path, "CSV"), types, source)
    paths = matching_files(source)
    kind, root = str(kind_of_file(paths[0])), partitions(source, paths)
    if root is not None and kind == "CSV":
        raise UsageError(
            f"{root.name} has CSV files in sub-folders. Name them by a glob: {str(root / '**' / '*.csv')!r}."
        )
    if kind == "CSV":
        return CsvFiles(paths, types)
    return (
        ParquetFiles(paths) if kind == "Parquet" and root is None else dataset_of(kind, paths, root)
    )
