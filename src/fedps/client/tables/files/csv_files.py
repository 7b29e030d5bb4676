"""CSV files read block by block, with one type per column for all blocks and files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from fedps.client.tables.files.csv_options import CSV, must_be, open_csv
from fedps.client.tables.files.paths import same_columns, stamp_of
from fedps.client.tables.sources.arrow_source import ArrowSource
from fedps.errors import UsageError

BLOCK_BYTES = 1 << 22
_ERRORS = (pa.ArrowException, OSError, UnicodeError)
WIDER = {pa.null(): pa.int64(), pa.int64(): pa.float64()}  # anything else widens to text


class CsvFiles(ArrowSource):
    """Some CSV files as one Arrow table that is never whole in memory.

    ``given`` has the types of columns that are not to be found out, and ``how`` how the files are written.
    """

    nan_for_none = True

    def __init__(
        self, paths: Sequence[Path], given: Mapping[str, Any] | None = None, how: CSV | None = None
    ) -> None:
        self._paths = paths
        self._given = given or {}
        self._how = CSV("") if how is None else how
        self.rows = 0
        self.nulls: Counter[str] = Counter()
        self.filled: set[str] = set()  # see ParquetFiles: a CSV file has no footer to tell it
        self._types: dict[str, Any] = {}
        for path in paths:
            self._survey(path)
        # A column without a single value is read as pandas reads it: all NaN.
        self._types = {
            name: pa.float64() if kind == pa.null() else kind for name, kind in self._types.items()
        }
        self.schema = pa.schema(list(self._types.items()))

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the rows in order, as Arrow tables of any size."""
        wanted = list(self._types) if columns is None else list(columns)
        for path in self._paths:
            for batch in self._blocks(path):
                yield pa.Table.from_batches([batch]).select(wanted)

    def fingerprint(self) -> str:
        """Return what differs if the files do."""
        return stamp_of(list(self._paths))

    def _survey(self, path: Path) -> None:
        """Read a file once: decide the types, count rows and missing cells."""
        found = {name: self._given.get(name) or kind for name, kind in self._inferred(path).items()}
        if self._types:
            same_columns(path, list(self._types), list(found))
        for name, kind in found.items():
            self._types[name] = _common(self._types.get(name, pa.null()), kind)
        tally = self._count(path)
        while not isinstance(tally, Counter):
            # One column does not fit its type in some later block: widen it, and read again.
            name = list(found)[tally]
            if self._given.get(name) == pa.float64():
                raise UsageError(
                    f"{path.name}: column {name!r} cannot be read as 'float': some cells are something "
                    "else."
                )
            if self._types[name] == pa.string():  # not even text: the file is not UTF-8
                raise self._unreadable(path)
            self._types[name] = WIDER.get(self._types[name], pa.string())
            tally = self._count(path)
        self.nulls.update(tally)

    def _count(self, path: Path) -> Counter[str] | int:
        """Return the missing cells per column, or the position of a column that needs a wider type."""
        rows, nulls = 0, Counter[str]()
        try:
            for batch in self._opened(path, self._types):
                rows += batch.num_rows
                nulls.update(dict(zip(batch.schema.names, _null_counts(batch), strict=True)))
        except _ERRORS as error:
            column, fault = _misfit(error), self._unreadable(path, error)
        else:
            self.rows += rows
            return nulls
        if column is None:
            raise fault
        return column

    def _opened(self, path: Path, types: Mapping[str, Any]) -> Any:
        return open_csv(self._how, path, types, BLOCK_BYTES)

    def _blocks(self, path: Path) -> Iterator[Any]:
        try:
            yield from self._opened(path, self._types)
        except _ERRORS as error:
            fault = self._unreadable(path, error)
        else:
            return
        raise fault

    def _inferred(self, path: Path) -> dict[str, Any]:
        """Return the column types that the first block suggests."""
        try:
            schema = self._opened(path, {}).schema
        except _ERRORS as error:
            schema, fault = None, self._unreadable(path, error)
        if schema is None:
            raise fault
        twice = [name for name, times in Counter(schema.names).items() if times > 1]
        if twice:
            msg = f"{path.name}: two columns have the name {twice[0]!r}. Rename one."
            raise UsageError(msg)
        return {column.name: _simple(column.type) for column in schema}

    def _unreadable(self, path: Path, error: Exception | None = None) -> UsageError:
        """Return what is wrong with a file, with the line if pyarrow tells it, and never a cell."""
        where = "" if error is None else _line(error)
        other = (
            ""
            if self._how != CSV(self._how.path)
            else " Files that are written otherwise: fedps.CSV(path, sep=...)."
        )
        return UsageError(
            f"{path.name} cannot be read as CSV{where}. It must be {must_be(self._how)}.{other}"
        )


def _null_counts(batch: Any) -> list[int]:
    return [column.null_count for column in batch.columns]


def _simple(kind: Any) -> Any:
    """Return the type that pandas.read_csv would use: dates and times stay text."""
    plain = pa.types.is_null(kind) or pa.types.is_boolean(kind)
    return kind if plain or kind in (pa.int64(), pa.float64()) else pa.string()


def _common(left: Any, right: Any) -> Any:
    if left == right or pa.types.is_null(right):
        return left
    if pa.types.is_null(left):
        return right
    return pa.float64() if {left, right} == {pa.int64(), pa.float64()} else pa.string()


def _misfit(error: Exception) -> int | None:
    """Return which column Arrow could not convert. Its message quotes the cell: drop it."""
    found = re.match(r"In CSV column #(\d+):", str(error))
    return int(found[1]) if found else None


def _line(error: Exception) -> str:
    """Return which line is wrong, and how many cells it has, if Arrow says so; the rest quotes cells."""
    line = re.search(r"Row #(\d+)", str(error))
    cells = re.search(r"Expected (\d+) columns, got (\d+)", str(error))
    where = f": line {line[1]}" if line else ""
    if cells:
        where += f"{' has' if line else ': a line has'} {cells[2]} cells instead of {cells[1]}"
    return where
