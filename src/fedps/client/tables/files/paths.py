"""Which files a path, a directory or a glob means."""

from __future__ import annotations

from glob import glob, has_magic
from pathlib import Path

from fedps.errors import UsageError

PARQUET = (".parquet", ".pq")
CSV = (".csv", ".csv.gz")


def matching_files(source: str | Path) -> list[Path]:
    """Return the files of a path, a directory or a glob, sorted by name and all of one format."""
    path = Path(source).expanduser()
    if path.is_dir():
        found = [file for file in path.iterdir() if not file.name.startswith((".", "_"))]
        found = [file for file in found if file.is_file() and is_known(file)]
    elif path.exists():
        found = [path]
    elif has_magic(str(path)):
        found = [Path(name) for name in glob(str(path), recursive=True)]  # noqa: PTH207 - absolute ones too
    else:
        raise UsageError(f"there is no file {str(source)!r}.")
    if not found:
        raise UsageError(f"{str(source)!r} matches no Parquet or CSV file.")
    _check_formats(found)
    return sorted(found)


def is_known(path: Path) -> bool:
    """Return whether a file's name says that it is Parquet or CSV."""
    return path.name.lower().endswith((*PARQUET, *CSV))


def is_parquet(path: Path) -> bool:
    """Return whether a file's name says that it is Parquet."""
    return path.name.lower().endswith(PARQUET)


def _check_formats(paths: list[Path]) -> None:
    strange = [path for path in paths if not is_known(path)]
    if strange:
        known = ", ".join((*PARQUET, *CSV))
        raise UsageError(f"{strange[0].name}: unknown kind of file. Known are {known}.")
    if len({is_parquet(path) for path in paths}) > 1:
        raise UsageError("Parquet and CSV files cannot be one table. Name one kind: '*.parquet'.")


def same_columns(path: Path, expected: list[str], found: list[str]) -> None:
    """Refuse a file whose columns are not those of the files before it, in any order."""
    known, here = set(expected), set(found)
    for name in expected:
        if name not in here:
            raise UsageError(f"{path.name} has no column {name!r}, which the files before it have.")
    for name in found:
        if name not in known:
            raise UsageError(f"{path.name} has a column {name!r}, which the files before it lack.")
