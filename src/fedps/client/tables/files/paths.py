"""Which files a path, a directory or a glob means."""

from __future__ import annotations

from glob import glob, has_magic
from hashlib import blake2b
from pathlib import Path

from fedps.client.tables.sources.uri import without_password
from fedps.errors import UsageError

PARQUET = (".parquet", ".pq")
CSV_NAMES = (".csv", ".csv.gz")
FEATHER = (".feather", ".arrow", ".ipc")
EXCEL = (".xlsx", ".xlsm")
_KINDS = {"Parquet": PARQUET, "CSV": CSV_NAMES, "Feather": FEATHER, "Excel": EXCEL}


def matching_files(source: str | Path, kind: str | None = None) -> list[Path]:
    """Return the files of a path, a directory or a glob, sorted by name and all of one format.

    ``kind`` says what they are, whatever their names are.
    """
    path, shown = Path(source).expanduser(), without_password(str(source))
    if path.is_dir():
        found = _in_folder(path, kind)
    elif path.exists():
        found = [path]
    elif has_magic(str(path)):
        found = [Path(name) for name in glob(str(path), recursive=True)]  # noqa: PTH207 - absolute ones too
    else:
        raise UsageError(f"there is no file {shown!r}.")
    if not found:
        raise UsageError(f"{shown!r} matches no {kind or 'Parquet or CSV'} file.")
    if kind is None:
        _check_formats(found)
    return sorted(found)


def _in_folder(folder: Path, kind: str | None) -> list[Path]:
    """Return the files of a folder; if it has none, those of its partitions, folders such as ``year=2024``."""
    known = _KINDS[kind] if kind is not None else None

    def wanted(file: Path) -> bool:
        hidden = file.name.startswith((".", "_"))
        suits = (
            kind_of_file(file) is not None if known is None else file.name.lower().endswith(known)
        )
        return not hidden and suits and file.is_file()

    found = [file for file in folder.iterdir() if wanted(file)]
    if not found:
        parts = [part for part in folder.iterdir() if part.is_dir() and "=" in part.name]
        found = [file for part in parts for file in part.rglob("*") if wanted(file)]
    return found


def partitions(source: str | Path, files: list[Path]) -> Path | None:
    """Return the folder whose sub-folders say something about the rows in them; None if there are none."""
    root = Path(source).expanduser()
    return root if root.is_dir() and files[0].parent != root else None


def is_known(path: Path) -> bool:
    """Return whether a file's name says that it is Parquet or CSV, which is what tables are written to."""
    return path.name.lower().endswith((*PARQUET, *CSV_NAMES))


def kind_of_file(path: Path) -> str | None:
    """Return the kind of table that a file's name says it is.

    >>> kind_of_file(Path("oslo.CSV.gz")), kind_of_file(Path("notes.txt"))
    ('CSV', None)
    """
    name = path.name.lower()
    return next((kind for kind, ends in _KINDS.items() if name.endswith(ends)), None)


def is_parquet(path: Path) -> bool:
    """Return whether a file's name says that it is Parquet."""
    return path.name.lower().endswith(PARQUET)


def _check_formats(paths: list[Path]) -> None:
    strange = [path for path in paths if kind_of_file(path) is None]
    if strange:
        known = ", ".join(end for ends in _KINDS.values() for end in ends)
        raise UsageError(
            f"{strange[0].name}: unknown kind of file. Known are {known}; a text file of another name is fedps.CSV(path)."
        )
    kinds = list(dict.fromkeys(str(kind_of_file(path)) for path in paths))
    if len(kinds) > 1:
        both = " and ".join(kinds[:2])
        raise UsageError(
            f"{both} files cannot be one table. Name one kind: '*{_KINDS[kinds[0]][0]}'."
        )


def stamp_of(paths: list[Path]) -> str:
    """Return what differs if files do: their names, sizes and times."""
    every = []
    for path in paths:
        try:
            found = path.stat()
        except OSError:
            return "a file is gone"
        every.append((path.name, found.st_size, found.st_mtime_ns))
    return f"files {blake2b(repr(every).encode(), digest_size=8).hexdigest()}"


def same_columns(path: Path, expected: list[str], found: list[str]) -> None:
    """Refuse a file whose columns are not those of the files before it, in any order."""
    known, here = set(expected), set(found)
    for name in expected:
        if name not in here:
            raise UsageError(f"{path.name} has no column {name!r}, which the files before it have.")
    for name in found:
        if name not in known:
            raise UsageError(f"{path.name} has a column {name!r}, which the files before it lack.")
