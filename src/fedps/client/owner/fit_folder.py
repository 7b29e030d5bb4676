"""FitFolder: a client's parts of fits beside its ledger, by the names of the fits. None is written over."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from fedps.assembly.skops_io import skops_io
from fedps.client.file_lock import file_lock
from fedps.client.own_files import NotOwn, make_own_folder, read_own, write_own
from fedps.statistics import BadCells

MOST_FITS = 1000  # a server chooses their names, and could fill a disk
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
_LARGEST_PART = 1 << 31  # bytes
_LARGEST_NOTE = 64 * 1024


class FitNote(Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a kept part: of which fit it is, and since when; times are in UTC.

    ``digest`` is of what was fitted and learned. ``kept`` is False while the part is being written;
    ``empty`` says that the client had no columns to fit.
    """

    fit: str
    digest: str
    kept: bool
    empty: bool
    time: str


def is_fit_name(name: str) -> bool:
    """Return whether a name can be that of a kept fit: it comes from a server, and names files.

    >>> is_fit_name("risk-2024"), is_fit_name("../risk"), is_fit_name(".risk"), is_fit_name("")
    (True, False, False, False)
    """
    return _NAME.fullmatch(name) is not None


class FitFolder:
    """The folder ``<ledger>.fits``, with ``<name>.skops`` and a note, ``<name>.json``, for each fit.

    Parameters
    ----------
    ledger : Path
        The client's ledger file.
    """

    def __init__(self, ledger: Path) -> None:
        self.path = ledger.with_name(ledger.name + ".fits")

    def lock(self) -> AbstractContextManager[None]:
        """Hold the folder, which is made if necessary."""
        make_own_folder(self.path)
        return file_lock(self.path / ".lock")

    def note(self, fit: str) -> FitNote | None:
        """Return what is known of a fit; BadCells if it cannot be the name of one."""
        if not is_fit_name(fit):
            raise BadCells("fit name", what=fit)
        try:
            found = read_own(self.path / f"{fit}.json", _LARGEST_NOTE)
            return msgspec.json.decode(found, type=FitNote)
        except FileNotFoundError:
            return None
        except (NotOwn, msgspec.DecodeError):  # somebody's file, which is not written over either
            raise BadCells("fit exists", what=fit) from None

    def check_free(self, fit: str, digest: str = "") -> bool:
        """Return whether this very fit has been kept before; BadCells if another of its name was."""
        found = self.note(fit)
        if found is not None and found.kept:
            if found.digest == digest:
                return True
            raise BadCells("fit exists", what=fit)
        if found is None and len(list(self.path.glob("*.json"))) >= MOST_FITS:
            raise BadCells("fits full")
        return False

    def begin(self, fit: str, digest: str) -> None:
        """Note that a part is being written: if the process dies, it may be written again."""
        self._write_note(FitNote(fit, digest, False, False, _now()))

    def keep(self, fit: str, digest: str, part: Any) -> None:
        """Write a part. The caller holds the lock, and has begun."""
        if part is not None:
            write_own(self.path / f"{fit}.skops", skops_io().dumps(part))
        self._write_note(FitNote(fit, digest, True, part is None, _now()))

    def give_up(self, fit: str) -> None:
        """Remove what was begun."""
        for ending in (".skops", ".json"):
            (self.path / f"{fit}{ending}").unlink(missing_ok=True)

    def part(self, fit: str) -> Any:
        """Return a kept part, None if there were no columns; BadCells if the fit was not kept here."""
        found = self.note(fit)
        if found is None or not found.kept:
            raise BadCells("not kept", what=fit)
        if found.empty:
            return None
        try:
            data = read_own(self.path / f"{fit}.skops", _LARGEST_PART)
        except (OSError, NotOwn):
            raise BadCells("not kept", what=fit) from None
        # nobody but this client could write the file: it holds what was fitted here
        skops = skops_io()
        return skops.loads(data, trusted=skops.get_untrusted_types(data=data))

    def _write_note(self, note: FitNote) -> None:
        write_own(self.path / f"{note.fit}.json", msgspec.json.encode(note))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
