"""Excel: a client's table in a sheet of Excel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fedps.errors import UsageError


def import_pandas() -> Any:
    """Return pandas."""
    import pandas as pd

    return pd


@dataclass(frozen=True)
class Excel:
    """A client's table in a sheet of an Excel file. A sheet fits in memory, and is read whole.

    Parameters
    ----------
    path : str or Path
        The file, ``.xlsx``.
    sheet : str or int, default=0
        The name of the sheet, or its position.
    skip_rows : int, default=0
        How many lines to leave out before the header.
    na_values : sequence of str or number, default=()
        What else means a missing cell.
    dtypes : dict of str to str, default=None
        What some columns are read as, such as ``{"zip": "str"}``.
    """

    path: str | Path
    sheet: str | int = 0
    skip_rows: int = 0
    na_values: Sequence[str | float] = ()
    dtypes: Mapping[str, str] | None = None


def read_sheet(sheet: Excel) -> Any:
    """Return the sheet as a pandas data frame."""
    path = Path(sheet.path).expanduser()
    if not path.is_file():
        raise UsageError(f"there is no file {str(sheet.path)!r}.")
    if find_spec("openpyxl") is None or find_spec("pandas") is None:
        raise UsageError(
            f"{path.name}: Excel files need openpyxl and pandas: pip install 'fedps[excel]'."
        )
    pd: Any = import_pandas()

    texts = {
        name: str for name, dtype in (sheet.dtypes or {}).items() if dtype in ("str", "category")
    }
    try:
        found = pd.read_excel(
            path,
            sheet_name=sheet.sheet,
            skiprows=sheet.skip_rows,
            na_values=list(sheet.na_values),
            dtype=texts or None,
            engine="openpyxl",
        )
    except Exception as error:  # noqa: BLE001 - of several libraries, whose texts can quote cells
        reason = type(error).__name__
    else:
        found.columns = [str(name) for name in found.columns]
        return found
    raise UsageError(
        f"{path.name} cannot be read as Excel ({reason}). Is {sheet.sheet!r} one of its sheets, with a header line?"
    )
