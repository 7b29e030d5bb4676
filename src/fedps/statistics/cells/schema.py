"""Schema: what a client's table looks like, without its cells."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

# An answer has up to 32 bytes for a column, and a list of columns unfolds to 72 for each: a message may have
# 16 MiB, and unfold to 32 (protocol/limits.py). Names and dtypes unfold to some 100 each.
MOST_COLUMNS, MOST_NAMED = 2**18, 100_000

Container = Literal["numpy", "sparse", "pandas", "polars"]
Text = Annotated[str, Meta(max_length=512)]
ColumnTexts = Annotated[tuple[Text, ...], Meta(max_length=MOST_NAMED)]
Positions = Annotated[tuple[Annotated[int, Meta(ge=0)], ...], Meta(max_length=MOST_COLUMNS)]


class Schema(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Column names, dtypes and the number of rows.

    ``dtypes`` has one entry if all columns have the same dtype. ``empty`` lists the positions of
    all-missing columns: these agree with any dtype of other clients. Shows names, dtypes, which
    columns are empty and the number of rows; costs a few bytes per column.
    """

    container: Container
    names: ColumnTexts | None
    width: Annotated[int, Meta(ge=0, le=MOST_COLUMNS)]
    dtypes: ColumnTexts
    rows: Annotated[int, Meta(ge=0, le=2**53)]
    empty: Positions = ()

    def dtype(self, position: int) -> str:
        """Return the dtype of the column at a position."""
        return self.dtypes[0] if len(self.dtypes) == 1 else self.dtypes[position]
