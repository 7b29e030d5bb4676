"""DatasetFiles: a dataset of pyarrow: Feather files, folders with partitions, or what a user has made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import dataset as arrow_dataset

from fedps.client.tables.files.paths import same_columns, stamp_of
from fedps.client.tables.sources.arrow_source import ArrowSource
from fedps.client.tables.sources.survey import Survey
from fedps.errors import UsageError

_BATCH_ROWS = 65_536
_FORMATS = {"Parquet": "parquet", "Feather": "feather"}


class DatasetFiles(ArrowSource):
    """The rows of a dataset, in the order of its files."""

    def __init__(self, dataset: Any, called: str = "the dataset") -> None:
        self._dataset = dataset
        self._called = called
        self.schema = dataset.schema

    @cached_property
    def _survey(self) -> Survey:
        survey = Survey()
        for _ in survey.watching(self.tables()):
            pass
        return survey

    @property
    def rows(self) -> int:  # type: ignore[override]
        """How many rows there are."""
        return self._survey.digest.rows

    @property
    def nulls(self) -> Counter[str]:  # type: ignore[override]
        """How many cells of each column are null."""
        return self._survey.nulls

    @property
    def filled(self) -> set[str]:  # type: ignore[override]
        """Columns of floats that have a number."""
        return self._survey.filled

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the rows in the order of the files; little is read ahead, so that little is in memory."""
        names = list(self.schema.names if columns is None else columns)
        schema = pa.schema([self.schema.field(name) for name in names], self.schema.metadata)
        try:
            for batch in self._scanned(names):
                yield pa.Table.from_batches([batch]).select(names).cast(schema)
        except (pa.ArrowException, OSError) as error:
            reason = type(error).__name__
        else:
            return
        raise UsageError(f"{self._called} cannot be read: pyarrow says {reason}.")

    def _scanned(self, names: list[str]) -> Iterator[Any]:
        how: dict[str, Any] = {"columns": names, "batch_size": _BATCH_ROWS}
        ahead = {"batch_readahead": 1, "fragment_readahead": 1, "use_threads": False}
        options = arrow_dataset.ParquetFragmentScanOptions(pre_buffer=False)
        is_parquet = isinstance(
            getattr(self._dataset, "format", None), arrow_dataset.ParquetFileFormat
        )
        if is_parquet:
            how["fragment_scan_options"] = options
        yield from self._dataset.to_batches(**how, **ahead)

    def fingerprint(self) -> str:
        """Return what differs if the files do; nothing of a dataset that is in memory or elsewhere."""
        paths = [Path(path) for path in getattr(self._dataset, "files", ())]
        return stamp_of(paths) if paths and all(path.is_file() for path in paths) else ""


def dataset_of(kind: str, files: Sequence[Path], root: Path | None) -> DatasetFiles:
    """Return the dataset of some files; those in sub-folders of ``root`` have what these are called as columns."""
    try:
        made = _made(kind, files, root)
        reason = ""
    except (pa.ArrowException, OSError) as error:
        reason = type(error).__name__
    if reason:
        raise UsageError(
            f"{files[0].name} cannot be read as {kind}, or has other columns than the rest."
        )
    return DatasetFiles(made, files[0].name if root is None else root.name)


def _made(kind: str, files: Sequence[Path], root: Path | None) -> Any:
    how: dict[str, Any] = {"format": _FORMATS[kind]}
    if root is not None:
        how["partition_base_dir"] = str(root)
        how["partitioning"] = arrow_dataset.HivePartitioning.discover(infer_dictionary=False)
    paths = [str(path) for path in files]
    found = arrow_dataset.dataset(paths, **how)
    schemas = [fragment.physical_schema for fragment in found.get_fragments()]
    for path, schema in zip(files, schemas, strict=True):
        same_columns(path, schemas[0].names, schema.names)
    folders = _folder_fields(found.schema, schemas[0])
    if root is not None:
        how["partitioning"] = arrow_dataset.partitioning(pa.schema(folders), flavor="hive")
    plain = [schema.remove_metadata() for schema in schemas]
    common = pa.unify_schemas([*plain, pa.schema(folders)], promote_options="permissive")
    return arrow_dataset.dataset(paths, schema=common.with_metadata(schemas[0].metadata), **how)


def _folder_fields(every: Any, in_files: Any) -> list[Any]:
    """Return the columns that folders are called by; whole numbers are int64, as in most files."""
    named = [field for field in every if field.name not in in_files.names]
    whole = pa.types.is_integer
    return [pa.field(f.name, pa.int64() if whole(f.type) else f.type) for f in named]
