"""Checkpoint: a server's record of a fit, so that after a restart it asks nothing twice.

It holds the merged answers of each round. Some answers are merged by keeping all of them, so that they
can be added up exactly: the file holds these one by one. It consists of frames, each with its length
and digest, so that a frame that a crash cut off is detected and ignored. The file is removed when the
fit is done.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Raw, Struct, structs

from fedps.errors import PeerError, UsageError
from fedps.protocol.codec import decode_part, encode_part
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.heard import Heard
from fedps.protocol.limits import VERSION
from fedps.protocol.packing.arrays import Budget
from fedps.protocol.pooled import Limited, Unified
from fedps.report.run import Costs, LeftOut
from fedps.statistics import Schema
from fedps.statistics.base import Array

StrPath = str | os.PathLike[str]

FRAME = struct.Struct("<4sQ16s")
MAGIC = b"fdps"
LARGEST = 1 << 40  # the file is the server's own: nothing but the disk bounds it


class Start(Struct, frozen=True):
    """What is fitted, and which clients were left out.

    ``generator`` is the state of NumPy's global generator when the fit began, so that with
    ``random_state=None`` a plan draws the same numbers after a restart. ``names`` maps an engine's
    addresses to the names of clients. ``fit`` is the name under which owners of columns keep their parts,
    and ``match`` that of the rows that they have matched.
    """

    version: int
    estimator: str
    left_out: tuple[LeftOut, ...]
    generator: tuple[Array, int, int, float]
    names: dict[str, str]
    fit: str = ""
    match: str = ""


class Record(Struct, frozen=True):
    """What a round asked, as a digest, and the merged answers.

    ``names`` maps an engine's addresses to the names of clients, as known in that round.
    """

    asked: bytes
    schemas: dict[str, tuple[Schema, ...]]
    merged: tuple[Raw, ...] | None
    sizes: tuple[dict[str, int], ...]
    costs: Costs
    names: dict[str, str]
    limited: tuple[Limited, ...]
    unified: tuple[Unified, ...] = ()
    own: tuple[dict[str, Raw], ...] = ()

    @property
    def heard(self) -> Heard:
        """What the coordinator heard in this round."""
        return Heard(self.schemas, self.merged, self.limited, self.unified, self.own)


class Checkpoint:
    """The record of one fit in a file: read if the file exists, and appended to."""

    def __init__(self, path: StrPath, estimator: str, fit: str = "") -> None:
        self._path = Path(path)
        self._next = 0
        self._records: list[Record] = []
        frames, size = _frames(self._path)
        if not frames:
            self._start = Start(VERSION, estimator, (), _generator(), {}, fit)
            self._write_start()
            return
        self._start = self._read(frames[0], Start)
        same = (self._start.version, self._start.estimator) == (VERSION, estimator)
        if not same or (fit and fit != self._start.fit):
            raise self._of_another_fit()
        # frames are appended after the last complete one: behind a broken one they would be lost
        with self._written():
            os.truncate(self._path, size)
        self._records = [self._read(frame, Record) for frame in frames[1:]]
        _set_generator(self._start.generator)

    def fit_name(self, new: str) -> str:
        """Return the name of the fit: the one in the file, which a new name becomes if there is none."""
        if not self._start.fit:
            self._start = structs.replace(self._start, fit=new)
            self._write_start()
        return self._start.fit

    def match_name(self, new: str | None) -> str | None:
        """Return the name of the match whose rows are fitted: the one in the file, if there is one.

        A server that starts again matches rows again, and the clients have kept both.
        """
        if new is None:
            return None
        if not self._start.match:
            self._start = structs.replace(self._start, match=new)
            self._write_start()
        return self._start.match

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The clients that were left out when the file was written."""
        return self._start.left_out

    @property
    def cohort(self) -> tuple[str, ...]:
        """The clients that take part, in their order; empty before a round is complete."""
        return tuple(self._records[0].schemas) if self._records else ()

    @property
    def names(self) -> Mapping[str, str]:
        """The names of the clients by their addresses, for engines that have addresses."""
        return self._records[0].names if self._records else self._start.names

    @property
    def has_begun(self) -> bool:
        """Whether anything is known: a round, or a client that was left out."""
        return bool(self._records or self._start.left_out)

    def known(self, asked: Sequence[bytes]) -> Record | None:
        """Return the record of the next round, or None after the last; ``asked`` are its messages."""
        if self._next == len(self._records):
            return None
        record = self._records[self._next]
        if record.asked != _digest(asked):
            raise self._of_another_fit()
        self._next += 1
        return record

    def write(
        self,
        asked: Sequence[bytes],
        coordinator: Coordinator[Any],
        costs: Costs,
        names: Mapping[str, str],
    ) -> None:
        """Append a complete round."""
        heard = coordinator.heard
        assert heard is not None
        merged = heard.merged
        record = Record(
            _digest(asked),
            dict(heard.schemas),
            None if merged is None else tuple(Raw(encode_part(each)) for each in merged),
            tuple(dict(each.sizes) for each in coordinator.asked),
            costs,
            dict(names),
            tuple(heard.limited),
            tuple(heard.unified),
            tuple({k: Raw(encode_part(v)) for k, v in each.items()} for each in heard.own),
        )
        self._append(encode_part(record))
        self._records.append(record)
        self._next += 1

    def start_without(self, left_out: Sequence[LeftOut], names: Mapping[str, str]) -> None:
        """Start over without some clients: merged answers contain theirs, and cannot be used."""
        self._start = structs.replace(self._start, left_out=tuple(left_out), names=dict(names))
        _set_generator(self._start.generator)
        self._records, self._next = [], 0
        self._write_start()

    def remove(self) -> None:
        """Remove the file: the fit is done."""
        self._path.unlink(missing_ok=True)

    def _write_start(self) -> None:
        # written beside and moved: a crash leaves the old file or the new one, never half of one
        beside = self._path.with_name(self._path.name + ".new")
        with self._written():
            beside.unlink(missing_ok=True)
            self._append(encode_part(self._start), beside)
            beside.replace(self._path)

    def _append(self, packed: bytes, path: Path | None = None) -> None:
        """Append a frame and flush it to disk. Other users of the machine may not read it."""
        with self._written():
            file = os.open(path or self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(file, "ab") as stream:
                stream.write(FRAME.pack(MAGIC, len(packed), _digest([packed])) + packed)
                stream.flush()
                os.fsync(stream.fileno())

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Raise UsageError if the file cannot be written."""
        try:
            yield
        except OSError as error:
            raise UsageError(
                f"checkpoint {str(self._path)!r} cannot be written: {error.strerror}."
            ) from None

    def _read(self, frame: bytes, kind: Any) -> Any:
        try:
            return decode_part(frame, kind, "the checkpoint", Budget(LARGEST))
        except PeerError:
            raise self._of_another_fit() from None

    def _of_another_fit(self) -> UsageError:
        return UsageError(
            f"checkpoint {str(self._path)!r} belongs to a different fit, or to a different version of "
            "fedps. Remove the file to start over, or give another path."
        )


def _frames(path: Path) -> tuple[list[bytes], int]:
    """Return the complete frames of a file, and their total length."""
    try:
        if not path.exists():
            return [], 0
        # anything else, such as a device, must not be replaced by a file: give it a bad header
        data = path.read_bytes() if path.is_file() or path.is_dir() else b"none"
    except OSError as error:
        raise UsageError(f"checkpoint {str(path)!r} cannot be read: {error.strerror}.") from None
    if data and not data.startswith(MAGIC[: len(data)]):
        raise UsageError(f"{str(path)!r} is not a checkpoint of fedps. Give another path.")
    found, at = [], 0
    while len(data) - at >= FRAME.size:
        _, size, digest = FRAME.unpack_from(data, at)
        packed = data[at + FRAME.size : at + FRAME.size + size]
        if len(packed) < size or _digest([packed]) != digest:
            break
        found.append(packed)
        at += FRAME.size + size
    return found, at


def _digest(parts: Sequence[bytes]) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()


def _generator() -> tuple[Array, int, int, float]:
    _, *state = np.random.get_state()  # noqa: NPY002 - scikit-learn draws from it
    return tuple(state)  # type: ignore[return-value]


def _set_generator(state: tuple[Array, int, int, float]) -> None:
    np.random.set_state(("MT19937", *state))  # noqa: NPY002 - as above
