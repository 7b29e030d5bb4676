"""Parquet files read batch by batch, with one schema for all files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from fedps.client.tables.files.paths import same_columns, stamp_of
from fedps.client.tables.sources.arrow_source import ArrowSource
from fedps.errors import UsageError

BATCH_ROWS = 65_536


class ParquetFiles(ArrowSource):
    """Some Parquet files as one Arrow table that is never whole in memory."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self.schema = self._common_schema()
        self.rows = 0
        self.nulls: Counter[str] = Counter()
        self.filled: set[str] = set()  # columns of floats that are known to have a number
        for path in paths:
            self._survey(path)

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the rows in order, as Arrow tables of any size."""
        names = list(self.schema.names if columns is None else columns)
        schema = pa.schema([self.schema.field(name) for name in names], self.schema.metadata)
        for path in self._paths:
            with _opened(path) as file:
                for batch in file.iter_batches(BATCH_ROWS, columns=names):
                    yield pa.Table.from_batches([batch]).select(names).cast(schema)

    def fingerprint(self) -> str:
        """Return what differs if the files do."""
        return stamp_of(list(self._paths))

    def _common_schema(self) -> Any:
        schemas = [_schema(path) for path in self._paths]
        first = schemas[0]
        for path, schema in zip(self._paths, schemas, strict=True):
            same_columns(path, first.names, schema.names)
        fields = [self._common_field(name, schemas) for name in first.names]
        return pa.schema(fields, metadata=first.metadata)

    def _common_field(self, name: str, schemas: list[Any]) -> Any:
        field = schemas[0].field(name)
        for path, schema in zip(self._paths, schemas, strict=True):
            try:
                both = [pa.schema([field.remove_metadata()]), pa.schema([schema.field(name)])]
                field = pa.unify_schemas(both, promote_options="permissive").field(name)
            except pa.ArrowException:
                msg = (
                    f"{path.name}: column {name!r} is {schema.field(name).type}, but {field.type} "
                    "in the files before it. Write both with one type."
                )
                raise UsageError(msg) from None
        return field.with_nullable(True)

    def _survey(self, path: Path) -> None:
        """Count rows and nulls, from the file's footer if it has them."""
        with _opened(path) as file:
            self.rows += file.metadata.num_rows
            footers = _footer(file.metadata)
            known = _footer_nulls(footers, self.schema.names, file.metadata.num_row_groups)
            self.nulls.update(known)
            self.filled |= _footer_numbers(footers)
            others = [name for name in self.schema.names if name not in known]
            for batch in file.iter_batches(BATCH_ROWS, columns=others) if others else ():
                self.nulls.update(
                    {name: batch.column(name).null_count for name in batch.schema.names}
                )


def _opened(path: Path) -> Any:
    try:
        # newer versions of pyarrow would read ahead, and keep the whole file in memory
        return parquet.ParquetFile(path, pre_buffer=False)
    except (pa.ArrowException, OSError):
        pass
    raise UsageError(f"{path.name} cannot be read as Parquet.")


def _schema(path: Path) -> Any:
    with _opened(path) as file:
        return file.schema_arrow


def _footer(metadata: Any) -> list[tuple[str, Any]]:
    """Return the columns of all row groups that have statistics, and these."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    columns = [group.column(position) for group in groups for position in range(group.num_columns)]
    footers = [(column.path_in_schema, column.statistics) for column in columns]
    return [(name, statistics) for name, statistics in footers if statistics is not None]


def _footer_nulls(
    footers: list[tuple[str, Any]], names: Sequence[str], row_groups: int
) -> dict[str, int]:
    """Return the nulls of each column if all its row groups have their number."""
    nulls: Counter[str] = Counter()
    groups: Counter[str] = Counter()
    for name, statistics in footers:
        if statistics.has_null_count:
            nulls[name] += statistics.null_count
            groups[name] += 1
    return {name: nulls[name] for name in names if groups[name] == row_groups}


def _footer_numbers(footers: list[tuple[str, Any]]) -> set[str]:
    """Return the columns of floats that have a smallest and a largest number: NaN is neither."""
    return {
        name
        for name, statistics in footers
        if statistics.physical_type in ("FLOAT", "DOUBLE")
        and statistics.has_min_max
        and statistics.min <= statistics.max
    }
