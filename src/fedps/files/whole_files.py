"""Writing files that are complete or not there at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fedps.errors import UsageError


def check_folder(path: Path) -> None:
    """Raise UsageError unless the folder of a path exists and can be written to."""
    if not path.parent.is_dir():
        raise UsageError(f"{str(path)!r}: there is no folder {str(path.parent)!r}.")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{str(path)!r}: the folder {str(path.parent)!r} cannot be written to.")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary path to write to, which replaces ``path`` unless an exception is raised."""
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent
        )
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}.") from None
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(0o666 & ~_umask())  # mkstemp makes files that only their owner may read
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
