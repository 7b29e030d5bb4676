"""CSV files read block by block, with one type per column for all blocks and files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv

from fedps.client.tables.files.paths import same_columns
from fedps.errors import UsageError

BLOCK_BYTES = 1 << 22
# What pandas.read_csv takes as missing: a file must mean the same as the frame read from it.
MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
WIDER = {pa.null(): pa.int64(), pa.int64(): pa.float64()}  # anything else widens to text


class CsvFiles:
    """Some CSV files as one Arrow table that is never whole in memory.

    ``given`` has the types of columns that are not to be found out.
    """

    def __init__(self, paths: Sequence[Path], given: Mapping[str, Any] | None = None) -> None:
        self._paths = paths
        self._given = given or {}
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
            for batch in _blocks(path, self._types):
                yield pa.Table.from_batches([batch]).select(wanted)

    def _survey(self, path: Path) -> None:
        """Read a file once: decide the types, count rows and missing cells."""
        found = {name: self._given.get(name) or kind for name, kind in _inferred(path).items()}
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
                raise _unreadable(path)
            self._types[name] = WIDER.get(self._types[name], pa.string())
            tally = self._count(path)
        self.nulls.update(tally)

    def _count(self, path: Path) -> Counter[str] | int:
        """Return the missing cells per column, or the position of a column that needs a wider type."""
        rows, nulls = 0, Counter[str]()
        try:
            for batch in _opened(path, self._types):
                rows += batch.num_rows
                nulls.update(dict(zip(batch.schema.names, _null_counts(batch), strict=True)))
        except (pa.ArrowInvalid, OSError) as error:
            column = _misfit(error)
        else:
            self.rows += rows
            return nulls
        if column is None:
            raise _unreadable(path)
        return column


def _null_counts(batch: Any) -> list[int]:
    return [column.null_count for column in batch.columns]


def _opened(path: Path, types: dict[str, Any]) -> Any:
    return csv.open_csv(
        path,
        read_options=csv.ReadOptions(block_size=BLOCK_BYTES),
        convert_options=csv.ConvertOptions(
            column_types=types, null_values=list(MISSING), strings_can_be_null=True
        ),
    )


def _blocks(path: Path, types: dict[str, Any]) -> Iterator[Any]:
    try:
        yield from _opened(path, types)
    except (pa.ArrowInvalid, OSError):
        error = _unreadable(path)
    else:
        return
    raise error


def _inferred(path: Path) -> dict[str, Any]:
    """Return the column types that the first block suggests."""
    try:
        schema = _opened(path, {}).schema
    except (pa.ArrowInvalid, OSError):
        schema = None
    if schema is None:
        raise _unreadable(path)
    twice = [name for name, times in Counter(schema.names).items() if times > 1]
    if twice:
        msg = f"{path.name}: two columns have the name {twice[0]!r}. Rename one."
        raise UsageError(msg)
    return {column.name: _simple(column.type) for column in schema}


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


def _unreadable(path: Path) -> UsageError:
    return UsageError(
        f"{path.name} cannot be read as CSV. It must be UTF-8 with a header line, commas, and the "
        "same number of cells in every row."
    )
