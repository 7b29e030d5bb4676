"""Arrow tables as frames of pandas or polars, whichever is installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from fedps.errors import UsageError


def frame_library() -> Literal["pandas", "polars"]:
    """Return which library makes frames from Arrow data and files: pandas, else polars."""
    if find_spec("pandas") is not None:
        return "pandas"
    if find_spec("polars") is not None:
        return "polars"
    msg = "pyarrow tables and files need a frame library. Install pandas or polars."
    raise UsageError(msg)


def frame_from_arrow(table: Any) -> Any:
    """Return a pyarrow Table as a pandas frame, or as a polars one without pandas."""
    if frame_library() == "pandas":
        return table.to_pandas()
    return import_module("polars").from_arrow(table)


def nan_for_none(frame: Any) -> Any:
    """Return a pandas frame whose object columns hold NaN for None, as from ``read_csv``."""
    objects = [name for name, dtype in frame.dtypes.items() if dtype == np.dtype(object)]
    return frame.assign(**{name: _with_nan(frame[name]) for name in objects}) if objects else frame


def _with_nan(column: Any) -> Any:
    cells = column.to_numpy(copy=True)
    cells[column.isna().to_numpy()] = float("nan")
    return type(column)(cells, index=column.index, dtype=object)
