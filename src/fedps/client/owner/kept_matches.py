"""KeptMatches: the rows that an owner found in matches, in memory or beside its ledger."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from fedps.client.file_lock import file_lock
from fedps.client.own_files import make_own_folder, read_own, write_own
from fedps.client.owner.keys import keys_digest
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
        return cls(keys_digest(keys), rows.astype("<i8").tobytes())

    def rows(self, keys: Array) -> Array:
        """Return the positions of the rows; BadCells if the keys are no longer those of the match."""
        if keys_digest(keys) != self.keys:
            raise BadCells("rows changed")
        return self._at

    @property
    def _at(self) -> Array:
        return np.frombuffer(self.positions, dtype="<i8").astype(np.int64)

    def apart(self, other: MatchedRows) -> int:
        """Return how many rows only one of both has; 0 if they are of different tables."""
        return len(np.setxor1d(self._at, other._at)) if self.keys == other.keys else 0


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

    def is_close(self, found: MatchedRows, least: int) -> bool:
        """Return whether rows differ from those of an earlier match, by fewer than ``least``.

        What is computed from both would tell the cells of those few.
        """
        return any(0 < found.apart(other) < least for other in self._all())

    def _all(self) -> Iterator[MatchedRows]:
        yield from self._known.values()
        if self._folder is not None:
            for path in sorted(self._folder.glob(f"*{_ENDING}")):
                yield msgspec.msgpack.decode(read_own(path, _LARGEST), type=MatchedRows)

    def _path(self, name: str) -> Path:
        """Return the file of a match. Its name is a server's, and never part of a path."""
        assert self._folder is not None
        stem = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return self._folder / f"{stem}{_ENDING}"
