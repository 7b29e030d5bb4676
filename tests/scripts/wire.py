"""Hand-made messages: bytes as a peer could send them, whatever it means by them."""

from __future__ import annotations

import ctypes
import gc
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from fedps.client import Policy, Responder, open_table
from fedps.protocol.limits import VERSION
from fedps.protocol.packing.arrays import pack
from fedps.protocol.words import WORDS

CELL = "J. Smith, 3 May 1974"
ARRAY, FACTS, TUPLE, DTYPE, FUNCTION, SCALAR, RAGGED = range(1, 8)

Ext = msgspec.msgpack.Ext
msgpack = msgspec.msgpack.encode


def plain(message: Any) -> bytes:
    """Return a message that is not compressed: of a list, or of a body that is bytes already."""
    body = message if isinstance(message, bytes) else msgpack(message)
    return bytes([2 * VERSION]) + body


def deflated(message: Any) -> bytes:
    """Return the same, compressed."""
    body = message if isinstance(message, bytes) else msgpack(message)
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=WORDS)
    return bytes([2 * VERSION + 1]) + squeezer.compress(body) + squeezer.flush()


def array(*cells: Any, dtype: Any = np.float64) -> Ext:
    return Ext(ARRAY, pack(np.array(cells, dtype=dtype)))


def facts(body: bytes = b"\x80") -> Ext:
    return Ext(FACTS, body)


def varint(number: int) -> bytes:
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def packed(form: int, dtype: int, shape: tuple[int, ...], payload: bytes) -> bytes:
    """Return a packed array from its parts, whether they fit together or not."""
    return bytes([form, dtype, len(shape)]) + b"".join(map(varint, shape)) + payload


def described(name: Any, params: Any = None, *more: Any) -> list[Any]:
    """Return an estimator as data: its name, its parameters, the estimators inside."""
    return [name, facts() if params is None else params, *more]


def round_of(*asks: Any, tells: Any = (), number: Any = 1, pipeline: Any = None) -> list[Any]:
    """Return the first round of a fit about a pipeline."""
    return [number, list(tells), list(asks), b"", [pipeline]]


def reply_of(*answers: Any, schemas: Any = None, **fields: Any) -> list[Any]:
    schemas = [["numpy", None, 2, ["<f8"], 5, []]] if schemas is None else schemas
    whole = {"client": "oslo", "round": 1, "schemas": schemas, "answers": answers}
    return list({**whole, **fields}.values())


def responder(cells: Any = None, **policy: Any) -> Responder:
    cells = np.arange(40.0).reshape(20, 2) if cells is None else cells
    return Responder("oslo", open_table(cells), Policy(**policy) if policy else Policy.open())


def memory(field: str) -> int:
    """Return a figure of /proc/self/status in bytes: VmRSS is now, VmHWM the peak."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


def reset_peak() -> None:
    """Give back what is free, and begin to measure the peak anew."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
