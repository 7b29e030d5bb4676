"""PlainTypes: the columns of a database's answer, as columns of Parquet files are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pyarrow as pa

from fedps.errors import UsageError

_PG_TYPE, _PG_TYPMOD = b"POSTGRESQL:type", b"POSTGRESQL:typmod"
_NO_CELLS = "lists, structs and intervals are no cells of a table"


class PlainTypes:
    """What becomes of the columns of an answer: numbers, text, dates, times and truth values.

    PostgreSQL's ``numeric`` comes as text and becomes decimals; UUIDs and JSON become text. A column that no estimator
    could take is a UsageError with its name.

    Parameters
    ----------
    given : pyarrow.Schema
        The columns as they come.
    where : str
        What to change to leave a column out or to convert it.
    places : mapping of str to int, optional
        How many decimals columns of PostgreSQL's ``numeric`` have that were declared without.
    utc : bool, default=True
        Whether times with a zone are those of UTC: in a database the zone is that of the session.
    """

    def __init__(
        self, given: Any, where: str, places: Mapping[str, int] | None = None, *, utc: bool = True
    ) -> None:
        self.given = given
        self._utc = utc
        self._where = where
        self._places = places or {}
        twice = [name for name in given.names if given.names.count(name) > 1]
        if twice:
            raise UsageError(f"two columns have the name {twice[0]!r}. Rename one in {where}.")
        self.schema = pa.schema([pa.field(field.name, self._plain(field)) for field in given])

    def _plain(self, field: Any) -> Any:
        kind, metadata = field.type, field.metadata or {}
        if metadata.get(_PG_TYPE) == b"money":  # it comes in cents
            raise self._refused(
                field.name, "of type money comes without its unit: CAST it to numeric"
            )
        if _is_pg_numeric(field):
            return _decimal(type_modifier(field), self._places.get(field.name, 0))
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
            if str(field.type).startswith("extension<arrow.uuid"):
                return pa.string()
            if not pa.types.is_string(kind) and not pa.types.is_large_string(kind):
                raise self._refused(
                    field.name, "has a type of its own database: CAST it to text or numbers"
                )
        if pa.types.is_nested(kind) or pa.types.is_interval(kind):
            raise self._refused(field.name, f"is {kind}, and {_NO_CELLS}")
        if pa.types.is_timestamp(kind) and kind.tz is not None and self._utc:
            return pa.timestamp(kind.unit, "UTC")
        return kind

    def _refused(self, name: str, why: str) -> UsageError:
        return UsageError(
            f"column {name!r} {why}. Leave it out of {self._where}, or convert it there."
        )

    def of(self, table: Any) -> Any:
        """Return a table of the answer with the plain types."""
        columns = [
            self._cast(column, field)
            for column, field in zip(table.columns, self.schema, strict=True)
        ]
        return pa.Table.from_arrays(columns, schema=self.schema)

    def _cast(self, column: Any, field: Any) -> Any:
        if column.type == field.type:
            return column
        if isinstance(column.type, pa.BaseExtensionType):
            if str(column.type).startswith("extension<arrow.uuid"):
                return pa.chunked_array(
                    [_texts(chunk.storage) for chunk in column.chunks], pa.string()
                )
            stored = [chunk.storage for chunk in column.chunks]
            column = pa.chunked_array(stored, column.type.storage_type)
        try:
            return column.cast(field.type)
        except pa.ArrowInvalid:  # the reason quotes a cell
            pass
        raise self._refused(
            field.name,
            f"has numbers that are not {field.type}, such as NaN, infinity or very long ones",
        )


def _is_pg_numeric(field: Any) -> bool:
    return (field.metadata or {}).get(_PG_TYPE) == b"numeric"


def type_modifier(field: Any) -> int:
    """Return the type modifier of a column of PostgreSQL; -1 if it has none."""
    return int((field.metadata or {}).get(_PG_TYPMOD, b"-1"))


def numeric_without_places(schema: Any) -> list[str]:
    """Return the columns of PostgreSQL's ``numeric`` that do not say how many decimals they have."""
    return [field.name for field in schema if _is_pg_numeric(field) and type_modifier(field) < 4]


def _decimal(modifier: int, places: int) -> Any:
    """Return the decimals of a type modifier of PostgreSQL; without one, with so many places.

    >>> str(_decimal((10 << 16 | 2) + 4, 0)), str(_decimal(-1, 1))
    ('decimal128(10, 2)', 'decimal128(38, 1)')
    """
    digits = 38 if places <= 18 else 76
    if modifier >= 4:
        digits, places = (modifier - 4) >> 16 & 0xFFFF, (modifier - 4) & 0x7FF
    if not 0 < digits <= 76 or places > digits:  # of numeric(3, -2), the places are above 1023
        digits, places = 76, 0
    return pa.decimal128(digits, places) if digits <= 38 else pa.decimal256(digits, places)


def _texts(array: Any) -> Any:
    return pa.array(
        [None if cell is None else str(UUID(bytes=cell)) for cell in array.to_pylist()], pa.string()
    )
