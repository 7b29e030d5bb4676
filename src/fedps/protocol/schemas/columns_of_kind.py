"""ColumnsOfKind: chooses the columns of a table that hold numbers, categories or dates, in any container."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fedps.protocol.schemas.dtype_families import family, plain_name

COLUMN_KINDS = ("numbers", "categories", "dates")
_DATES = ("datetime64", "date")


def described_as(dtype: str) -> str:
    """Return what a column of a dtype is described as: as pandas' ``describe`` does.

    >>> described_as("Int64"), described_as("bool"), described_as("datetime64[us, UTC]"), described_as("|O")
    ('numbers', 'categories', 'dates', 'categories')
    """
    name = plain_name(dtype)
    if name.startswith(_DATES):
        return "dates"
    return "numbers" if family(dtype) == "numbers" else "categories"


class ColumnsOfKind:
    """Chooses the columns of a kind, all of them or among some.

    It is called with a row of a table, as ``make_column_selector`` is.

    Parameters
    ----------
    kind : {"numbers", "categories", "dates"}
        What the columns hold.
    among : sequence, optional
        The columns to choose among: names, or positions in arrays. Default: all columns.
    """

    def __init__(self, kind: str, among: Sequence[Any] | None = None) -> None:
        self.kind = kind
        self.among = among

    def __call__(self, row: Any) -> list[Any]:
        """Return the names of the columns, or their positions; LookupError that names one that is not there."""
        width = row.shape[1]
        named = hasattr(row, "columns")
        dtypes = [str(dtype) for dtype in row.dtypes] if named else [row.dtype.str] * width
        names = list(row.columns) if named else list(range(width))
        kinds = dict(zip(names, map(described_as, dtypes), strict=True))
        for name in self.among or ():
            if name not in kinds:
                raise LookupError(name)
        return [name for name in self.among or names if kinds[name] == self.kind]

    @property
    def written(self) -> dict[str, Any]:
        """What travels of it."""
        return {"kind": [self.kind, None if self.among is None else list(self.among)]}
