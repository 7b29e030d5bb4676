"""RowDigest: a short number that differs if the rows of a table do.

It tells whether a later pass over a source has the rows of the first one. It is made of Arrow's buffers by NumPy, a
small part of the time that it takes to read the rows, and is no secret: it never leaves the client.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_BASE, _ODD, _OTHER = (
    np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
_NULL = np.uint64(0x5851F42D4C957F2D)
_TEXT_BYTES = 1 << 20  # so much text is hashed at a time: each byte takes some words


class RowDigest:
    """The digest of the rows so far; ``bag`` in any order, ``list`` in the one in which they came.

    >>> one, other = RowDigest(), RowDigest()
    >>> one.add(pa.table({"a": [1, 2], "b": ["x", None]}))
    >>> other.add(pa.table({"a": [2, 1], "b": [None, "x"]}))
    >>> one.bag == other.bag, one.list == other.list, one.rows
    (True, False, 2)
    """

    def __init__(self) -> None:
        self.rows = 0
        self._sums = np.zeros(2, dtype=np.uint64)

    def add(self, table: Any) -> None:
        """Take in some more rows."""
        every = row_hashes(table)
        turns = np.arange(self.rows, self.rows + len(every), dtype=np.uint64) * np.uint64(
            2
        ) + np.uint64(1)
        self._sums += np.array([every.sum(), _mixed(every * turns).sum()], dtype=np.uint64)
        self.rows += len(every)

    @property
    def bag(self) -> str:
        """The digest of the rows in any order."""
        return _short((self.rows, int(self._sums[0])))

    @property
    def list(self) -> str:
        """The digest of the rows in their order."""
        return _short((self.rows, int(self._sums[1])))


def _short(numbers: tuple[int, ...]) -> str:
    return blake2b(repr(numbers).encode(), digest_size=8).hexdigest()


def row_hashes(table: Any) -> Hashes:
    """Return a number for each row of an Arrow table."""
    total = np.zeros(table.num_rows, dtype=np.uint64)
    for j, column in enumerate(table.columns):
        cells = np.concatenate([np.empty(0, np.uint64), *map(_of_array, column.chunks)])
        total += _mixed(cells + np.uint64((j + 1) * int(_BASE) % 2**64))
    return _mixed(total)


def _mixed(numbers: Hashes) -> Hashes:
    """Return numbers whose bits all depend on all bits."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _ODD
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _OTHER
    return np.asarray(numbers ^ (numbers >> np.uint64(31)))


def _of_array(array: Any) -> Hashes:
    """Return a number for each cell of an Arrow array."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    cells = _of_values(array)
    if array.null_count:
        cells = np.where(np.asarray(array.is_valid()), cells, _NULL)
    return cells


def _of_values(array: Any) -> Hashes:
    kind = array.type
    if pa.types.is_boolean(kind):
        return np.asarray(pc.fill_null(array, False)).astype(np.uint64)
    if _is_text(kind):
        big = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
        return _of_texts(array.cast(pa.large_binary() if big else pa.large_string()))
    try:
        width = kind.bit_width // 8
    except ValueError:  # nested, or of no width: its rows are counted, and not its cells
        return np.zeros(len(array), dtype=np.uint64)
    if pa.types.is_null(kind) or array.buffers()[1] is None:
        return np.zeros(len(array), dtype=np.uint64)
    return _of_fixed(array, width)


def _is_text(kind: Any) -> bool:
    views = ("string_view", "binary_view")
    return str(kind) in ("string", "large_string", "binary", "large_binary", *views)


def _of_fixed(array: Any, width: int) -> Hashes:
    """Return the bits of cells that all have the same width, as numbers."""
    start, stop = array.offset * width, (array.offset + len(array)) * width
    data = np.frombuffer(array.buffers()[1], dtype=np.uint8)[start:stop]
    if width in (1, 2, 4, 8):
        return data.view(f"u{width}").astype(np.uint64)
    padded = np.zeros((len(array), -(-width // 8) * 8), dtype=np.uint8)
    padded[:, :width] = data.reshape(len(array), width)
    total = np.zeros(len(array), dtype=np.uint64)
    for words in padded.view(np.uint64).T:
        total = _mixed(total + words)
    return total


def _of_texts(array: Any) -> Hashes:
    """Return a number for each text: a polynomial of its bytes, and its length."""
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    whole = np.frombuffer(data, dtype=np.uint8) if data is not None else np.empty(0, np.uint8)
    found, start = np.empty(len(array), dtype=np.uint64), 0
    while start < len(array):
        stop = int(np.searchsorted(ends, ends[start] + _TEXT_BYTES, side="right")) - 1
        stop = min(max(stop, start + 1), len(array))
        found[start:stop] = _of_some_texts(
            whole[ends[start] : ends[stop]], np.diff(ends[start : stop + 1])
        )
        start = stop
    return found


def _of_some_texts(data: NDArray[np.uint8], lengths: NDArray[np.int64]) -> Hashes:
    if len(lengths) == 1 and len(data) > _TEXT_BYTES:
        digest = blake2b(data.tobytes(), digest_size=8).digest()
        return np.frombuffer(digest, dtype=np.uint64)
    stops = np.cumsum(lengths)
    places = np.arange(len(data)) - np.repeat(stops - lengths, lengths)
    powers = np.cumprod(
        np.full(int(lengths.max(initial=0)) + 1, _BASE, dtype=np.uint64), dtype=np.uint64
    )
    sums = np.zeros(len(data) + 1, dtype=np.uint64)
    np.cumsum((data.astype(np.uint64) + np.uint64(1)) * powers[places], out=sums[1:])
    return np.asarray(_mixed(sums[stops] - sums[stops - lengths] + lengths.astype(np.uint64)))
