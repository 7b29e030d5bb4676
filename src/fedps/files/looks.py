"""What a look found, in a file: a page, JSON, or its table as CSV."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fedps.client.tables.formula_texts import harmless
from fedps.errors import UsageError
from fedps.files.marked_tables import marked_table
from fedps.files.whole_files import check_folder, whole_file
from fedps.looks import Correlation, Crosstab, Description
from fedps.report.rendering import Section

if TYPE_CHECKING:
    import pandas as pd

LookResult = Description | Correlation | Crosstab


def check_look_path(path: Path | None) -> None:
    """Raise UsageError for a file that a look cannot be written to; None is no file."""
    check_look_ending(path)
    if path is not None:
        check_folder(path)


def check_look_ending(path: Path | None) -> None:
    """Raise UsageError for a name that says no format; the file may be on another machine."""
    if path is not None and path.suffix.lower() not in LOOK_FORMATS:
        raise UsageError(
            f"--out {str(path)!r}: must end with {', '.join(LOOK_FORMATS)}: a page, all that is known, or the "
            "table."
        )


def look_sections(found: LookResult) -> list[Section]:
    """Return all tables of what a look found, the correlation in a description included."""
    inside = found.correlation if isinstance(found, Description) else None
    return [*found.sections(), *(() if inside is None else inside.sections())]


def write_look(found: LookResult, path: Path) -> None:
    """Write what a look found to a file, in the format that its suffix stands for."""
    text = LOOK_FORMATS[path.suffix.lower()](found)
    with whole_file(path) as beside:
        beside.write_text(text, "utf-8")


def _csv(found: LookResult) -> str:
    return _harmless(marked_table(found)).to_csv()


def _harmless(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts no spreadsheet runs, names of rows and columns included."""
    safe = frame.map(_cell)
    safe.index = frame.index.map(_cell)
    safe.columns = frame.columns.map(_cell)
    for axis in (safe.index, safe.columns):
        axis.names = [_cell(name) for name in axis.names]
    return safe


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_cell(part) for part in value)
    return harmless(value) if isinstance(value, str) else value


LOOK_FORMATS: dict[str, Callable[[LookResult], str]] = {
    ".html": lambda found: found.to_html(),
    ".json": lambda found: found.to_json() + "\n",
    ".csv": _csv,
}
