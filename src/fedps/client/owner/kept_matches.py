"""KeptMatches: the rows that an owner found in matches, in memory or beside its ledger."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from fedps.client.file_lock import file_lock
from fedps.client.own_files import make_own_folder, read_own, write_own
from fedps.statistics import BadCells
from fedps.statistics.base import Array

_LARGEST = 2**34  # bytes of a file
_ENDING, _LOCK = ".match", ".lock"


class MatchedRows(msgspec.Struct, frozen=True, array_like=True):
    """The rows of one match, by their positions, and a digest of the keys that they were found by."""

    keys: bytes
    positions: bytes

    @classmethod
    def of(cls, keys: Array, rows: Array) -> Self:
        """Return what is kept of the rows that were found."""
        return cls(_digest(keys), rows.astype("<i8").tobytes())

    def rows(self, keys: Array) -> Array:
        """Return the positions of the rows; BadCells if the keys are no longer those of the match."""
        if _digest(keys) != self.keys:
            raise BadCells("rows changed")
        return np.frombuffer(self.positions, dtype="<i8").astype(np.int64)


class KeptMatches:
    """What an owner has kept of matches, by their names.

    Parameters
    ----------
    folder : path, optional
        Where they are kept if each message has a process of its own. Default: in memory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[str, MatchedRows] = {}

    def keep(self, name: str, found: MatchedRows) -> None:
        """Keep the rows of a match. BadCells if others are kept under this name."""
        if self.get(name) not in (None, found):
            raise BadCells("match exists")
        self._known[name] = found
        if self._folder is not None:
            make_own_folder(self._folder)
            with file_lock(self._folder / _LOCK):
                write_own(self._path(name), msgspec.msgpack.encode(found))

    def get(self, name: str) -> MatchedRows | None:
        """Return what was kept under a name; None if nothing was."""
        if name not in self._known and self._folder is not None:
            path = self._path(name)
            if path.exists():
                data = read_own(path, _LARGEST)
                self._known[name] = msgspec.msgpack.decode(data, type=MatchedRows)
        return self._known.get(name)

    def _path(self, name: str) -> Path:
        """Return the file of a match. Its name is a server's, and never part of a path."""
        assert self._folder is not None
        stem = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return self._folder / f"{stem}{_ENDING}"


def _digest(keys: Array) -> bytes:
    lengths = np.strings.str_len(keys).astype("<i8").tobytes()
    text = "".join(keys.tolist()).encode("utf-8", "surrogatepass")
    return blake2b(lengths + text, digest_size=16).digest()
