"""Varints: whole numbers in as few bytes as they need, for whole arrays at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fedps.statistics.base import Array

_LONGEST = 10
_AT_ONCE = 1 << 16
FEW = 32  # up to this many numbers, a Python loop is faster than NumPy


def zigzag(numbers: Array) -> Array:
    """Map signed to unsigned numbers so that small ones of either sign stay small.

    >>> zigzag(np.array([0, -1, 1, -2])).tolist()
    [0, 1, 2, 3]
    """
    numbers = numbers.astype(np.int64, copy=False)
    return ((numbers << 1) ^ (numbers >> 63)).view(np.uint64)


def unzigzag(numbers: Array) -> Array:
    """Undo :func:`zigzag`."""
    half = (numbers >> np.uint64(1)).view(np.int64)
    return half ^ -(numbers & np.uint64(1)).view(np.int64)


def _lengths(numbers: Array) -> Array:
    lengths = np.ones(len(numbers), dtype=np.int64)
    for k in range(1, _LONGEST):
        more = numbers >> np.uint64(7 * k) != 0
        if not more.any():
            break
        lengths += more
    return lengths


def varint_size(numbers: Array) -> int:
    """Return how many bytes the numbers need."""
    if len(numbers) <= FEW:
        return sum(max(n.bit_length() + 6, 7) // 7 for n in numbers.tolist())
    return int(_lengths(numbers).sum())


def write_varints(numbers: Array) -> bytes:
    """Return unsigned numbers as varints, seven bits a byte, the lowest first."""
    if len(numbers) <= FEW:
        return write_few(numbers.tolist())
    lengths = _lengths(numbers)
    starts = np.cumsum(lengths) - lengths
    out = np.empty(int(lengths.sum()), dtype=np.uint8)
    for k in range(int(lengths.max(initial=0))):
        here = lengths > k
        bits = (numbers[here] >> np.uint64(7 * k)).astype(np.uint8) & 0x7F
        out[starts[here] + k] = bits | ((lengths[here] - 1 > k).astype(np.uint8) << 7)
    return out.tobytes()


def write_few(numbers: Iterable[int]) -> bytes:
    """Return a few unsigned numbers as varints."""
    out = bytearray()
    for number in numbers:
        left = number
        while left > 0x7F:
            out.append(left & 0x7F | 0x80)
            left >>= 7
        out.append(left)
    return bytes(out)


def read_varints(data: bytes | memoryview, start: int, count: int) -> tuple[Array, int]:
    """Return ``count`` numbers that start at a position, and the position after them."""
    if count <= FEW:
        few, end = read_few(data, start, count)
        return np.array(few, dtype=np.uint64), end
    if len(data) - start < count:
        raise ValueError("is cut short")
    numbers = np.empty(count, dtype=np.uint64)
    for first in range(0, count, _AT_ONCE):
        wanted = min(_AT_ONCE, count - first)
        window = np.frombuffer(data[start : start + wanted * _LONGEST], dtype=np.uint8)
        ends = np.flatnonzero(window < 0x80)[:wanted]
        if len(ends) < wanted:
            raise ValueError("is cut short")
        begins = np.concatenate([[0], ends[:-1] + 1])
        numbers[first : first + wanted] = _read_block(window, begins, ends - begins + 1)
        start += int(ends[-1]) + 1
    return numbers, start


def read_few(data: bytes | memoryview, start: int, count: int) -> tuple[list[int], int]:
    """Return a few numbers that start at a position, and the position after them."""
    numbers: list[int] = []
    size = len(data)
    for _ in range(count):
        if start < size and data[start] < 0x80:  # most are short
            numbers.append(data[start])
            start += 1
            continue
        number = length = 0
        more = True
        while more:
            if start >= size or length == _LONGEST:
                raise ValueError("is cut short")
            byte = data[start]
            number |= (byte & 0x7F) << 7 * length
            start, length, more = start + 1, length + 1, byte > 0x7F
            if number >> 64:
                raise ValueError("has a number of more than 64 bits")
        numbers.append(number)
    return numbers, start


def _read_block(window: Array, begins: Array, lengths: Array) -> Array:
    if lengths.max() > _LONGEST:
        raise ValueError("has a number of more than 64 bits")
    numbers = np.zeros(len(begins), dtype=np.uint64)
    for k in range(int(lengths.max())):
        here = lengths > k
        bits = window[begins[here] + k]
        if k == _LONGEST - 1 and (bits > 1).any():
            raise ValueError("has a number of more than 64 bits")
        numbers[here] |= (bits & 0x7F).astype(np.uint64) << np.uint64(7 * k)
    return numbers
