"""What a server has of a fit whose parts stay with their owners, in a file: data, and no code."""

from __future__ import annotations

from pathlib import Path

from fedps.errors import PeerError, UsageError
from fedps.files.whole_files import check_folder, whole_file
from fedps.protocol.codec import decode, encode
from fedps.protocol.owners.kept_parts import KeptParts, SavedParts

PARTS_SUFFIX = ".parts"
_MAGIC = b"FedPS parts\n"


def checked_parts_path(path: str | Path) -> Path:
    """Return a path that kept parts can be written to; UsageError if it cannot."""
    target = Path(path).expanduser()
    if target.suffix.lower() != PARTS_SUFFIX:
        raise UsageError(
            f"{str(path)!r}: with split='columns' the fitted parts stay with their owners, and what the server "
            f"has is no skops file. Use {target.with_suffix(PARTS_SUFFIX).name!r}."
        )
    check_folder(target)
    return target


def save_parts(parts: KeptParts, path: str | Path) -> Path:
    """Write what a server needs to predict by parts that stay with their owners."""
    target = checked_parts_path(path)
    packed = encode(parts.saved())
    with whole_file(target) as beside:
        beside.write_bytes(_MAGIC + packed)
    return target


def load_parts(path: Path) -> KeptParts:
    """Return what a file of kept parts holds; UsageError if it is none."""
    data = path.read_bytes()
    try:
        if not data.startswith(_MAGIC):
            raise ValueError
        return decode(data[len(_MAGIC) :], SavedParts, path.name).restored()
    except (PeerError, ValueError, TypeError, AttributeError):
        raise UsageError(
            f"{path.name} is not a file of parts that fedps wrote, or it is of another version of fedps."
        ) from None
