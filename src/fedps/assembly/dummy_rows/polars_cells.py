"""Made-up cells and wide-enough dtypes for polars frames. polars is imported on first use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np


def polars_row(names: Sequence[str] | None, dtypes: list[str]) -> Any:
    """Return a frame of one row with those names and dtypes."""
    import polars as pl

    names = [f"column_{j}" for j in range(len(dtypes))] if names is None else names
    each = zip(names, dtypes, strict=True)
    return pl.DataFrame([_cell(dtype).alias(name) for name, dtype in each])


def _cell(text: str) -> Any:
    """Return a Series of one valid cell; an Object "x" for a dtype that polars does not know."""
    import polars as pl
    from polars.exceptions import PolarsError

    try:
        dtype = _dtype(text)
        return pl.Series([_value(dtype)], dtype=dtype)
    except (PolarsError, TypeError, ValueError, OverflowError):
        return pl.Series(["x"], dtype=pl.Object)


def _dtype(text: str) -> Any:
    """Return the dtype that a text names."""
    import polars as pl

    name, _, inner = text.partition("(")
    found = getattr(pl, name, None)
    if not (isinstance(found, type) and issubclass(found, pl.DataType)):
        raise TypeError
    if name == "Enum":
        return pl.Enum(["x"])
    if name == "List":
        return pl.List(_dtype(inner.removesuffix(")")))
    if name == "Decimal":
        return pl.Decimal(*map(int, re.findall(r"\d+", inner)))
    if name in ("Datetime", "Duration"):
        quoted = re.findall(r"'([\w/+-]+)'", inner)
        return found(*quoted[:2])
    return found


def _value(dtype: Any) -> Any:
    import polars as pl

    values = {
        pl.Null: None,
        pl.Boolean: True,
        pl.Date: date(2020, 1, 1),
        pl.Datetime: datetime(2020, 1, 1),  # noqa: DTZ001 - polars adds the zone of the dtype
        pl.Duration: timedelta(days=1),
        pl.Time: time(1),
        pl.Binary: b"x",
    }
    if dtype.is_numeric():
        return 1
    if dtype.is_nested():
        inner = getattr(dtype, "inner", None)  # a Struct has none
        return None if inner is None else [_value(inner)]
    return values.get(dtype.base_type(), "x")


def polars_dtype_name(dtype: Any) -> str:
    """Return a dtype as a schema spells it."""
    text = str(dtype)
    name = text.partition("(")[0]
    return name if name in ("Categorical", "Enum") else text


def polars_from_pandas(row: Any) -> str:
    """Return the dtype that the column of a pandas frame has in polars; Object for objects."""
    import polars as pl
    from polars.exceptions import PolarsError

    if row.dtypes.iloc[0] == np.dtype("O"):
        return "Object"  # which may be text, numbers or anything else
    try:
        return polars_dtype_name(pl.from_pandas(row.rename(columns=str)).dtypes[0])
    except (PolarsError, TypeError, ValueError):
        return "Object"


def polars_pooled(dtypes: tuple[str, ...]) -> str:
    """Return the supertype that polars finds for columns of those dtypes, else Object."""
    import polars as pl
    from polars.exceptions import PolarsError

    frames = [_cell(dtype).alias("cell").to_frame() for dtype in dtypes]
    try:
        return polars_dtype_name(pl.concat(frames, how="vertical_relaxed").dtypes[0])
    except PolarsError:
        # objects of pandas beside dates of polars can only be dates: others do not sort with them
        known = set(dtypes) - {"Object", "Categorical"}
        return "Date" if known == {"Date"} else "Object"


def polars_like(table: Any, columns: list[Any]) -> Any:
    """Return a frame with the names and dtypes of another, but different cells."""
    import polars as pl

    each = zip(table.columns, table.dtypes, columns, strict=True)
    return pl.DataFrame([_series(name, dtype, cells) for name, dtype, cells in each])


def with_objects(table: Any) -> Any:
    """Return a frame with objects for truth values, as scikit-learn reads those of which some are null."""
    import polars as pl

    kinds = dict(zip(table.columns, table.dtypes, strict=True))
    truths = [name for name, dtype in kinds.items() if dtype == pl.Boolean]
    return table.with_columns(
        pl.Series(name, table[name].to_list(), dtype=pl.Object) for name in truths
    )


def with_floats(table: Any) -> Any:
    """Return a frame with floats for integers of which some are null, as scikit-learn reads all of them."""
    import polars as pl

    gaps = [c.name for c in table.iter_columns() if c.dtype.is_integer() and c.null_count()]
    return table.with_columns(pl.col(gaps).cast(pl.Float64)) if gaps else table


def _series(name: str, dtype: Any, cells: Any) -> Any:
    import polars as pl
    from polars.exceptions import PolarsError

    if getattr(cells, "dtype", np.dtype("O")).kind in "mM":
        return _times(name, dtype, pl.Series(name, cells))
    listed = cells.tolist() if hasattr(cells, "tolist") else list(cells)
    if dtype == pl.Null and all(cell is None or cell != cell for cell in listed):  # noqa: PLR0124
        return pl.Series(name, [None] * len(listed), dtype=pl.Null)  # NaN of 32 bits in an array
    # scikit-learn reads a column of nulls that has no other type as NaN
    plain = dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Null
    if not plain and any(isinstance(cell, float) and cell != cell for cell in listed):  # noqa: PLR0124
        dtype = pl.Object  # which keeps NaN
    found = pl.Series(name, listed, strict=False, dtype=dtype if dtype == pl.Object else None)
    if dtype == pl.Object:
        return pl.Series(name, listed, dtype=pl.Object)
    if found.dtype.is_float() and dtype.is_integer() and not _integral(found):
        return found
    if dtype == pl.Enum and found.dtype == pl.String:
        dtype = _enum_for(dtype, found)
    try:
        return found.cast(dtype)
    except PolarsError:
        return found


def _times(name: str, dtype: Any, times: Any) -> Any:
    """Return times in a dtype, those with a time zone from UTC; as they are where it cannot hold them."""
    if not dtype.is_temporal():
        return times
    if getattr(dtype, "time_zone", None) is not None:
        times = times.dt.replace_time_zone("UTC")
    return times.cast(dtype)


def _integral(found: Any) -> bool:
    cells = found.drop_nulls().to_numpy()
    return bool(np.all(np.isfinite(cells)) and np.all(cells == np.floor(cells)))


def _enum_for(dtype: Any, found: Any) -> Any:
    """Return the Enum where it knows all values, else one of those values."""
    import polars as pl

    values = found.drop_nulls().unique().sort()
    return dtype if values.is_in(dtype.categories).all() else pl.Enum(values)
