"""Schema: what a client's table looks like, without any of its cells."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Container = Literal["numpy", "sparse", "pandas", "polars"]
Text = Annotated[str, Meta(max_length=512)]
ColumnTexts = Annotated[tuple[Text, ...], Meta(max_length=100_000)]
Positions = Annotated[tuple[Annotated[int, Meta(ge=0)], ...], Meta(max_length=100_000)]


class Schema(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Column names, dtypes and the number of rows.

    ``dtypes`` holds one entry where all columns share it. ``empty`` lists the positions of columns
    that hold nothing but missing values: such a column agrees with any other client's. Discloses
    names, dtypes and the row count; costs a few bytes per column.
    """

    container: Container
    names: ColumnTexts | None
    width: Annotated[int, Meta(ge=0, le=100_000)]
    dtypes: ColumnTexts
    rows: Annotated[int, Meta(ge=0, le=2**53)]
    empty: Positions = ()

    def dtype(self, position: int) -> str:
        """Return the dtype of the column at a position."""
        return self.dtypes[0] if len(self.dtypes) == 1 else self.dtypes[position]
