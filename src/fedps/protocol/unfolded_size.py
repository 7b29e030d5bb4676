"""How much memory MessagePack bytes would take, counted before they are decoded.

A byte of MessagePack can become a hundred in Python: an empty list, a short text, a small
dictionary. Here the objects are only counted, by their headers.
"""

from __future__ import annotations

from fedps.protocol.limits import MAX_PAIRS

_OBJECT, _MAP = 72, 256  # about what Python takes for an object, and for a dictionary besides
_PLAIN, _TEXT, _LIST, _PAIRS = range(4)


def _header(first: int) -> tuple[int, int, int]:
    """Return what a first byte begins, how many digits its length has, or else the length."""
    if first in range(0xA0, 0xC0):
        return _TEXT, 0, first - 0xA0
    if first in (0xD9, 0xDA, 0xDB):
        return _TEXT, 1 << first - 0xD9, 0
    if first in range(0x90, 0xA0) or first in (0xDC, 0xDD):
        return _LIST, {0xDC: 2, 0xDD: 4}.get(first, 0), first - 0x90 if first < 0xA0 else 0
    if first in range(0x80, 0x90) or first in (0xDE, 0xDF):
        return _PAIRS, {0xDE: 2, 0xDF: 4}.get(first, 0), first - 0x80 if first < 0x90 else 0
    if first in range(0xC4, 0xC7):
        return _PLAIN, 1 << first - 0xC4, 0
    if first in range(0xC7, 0xCA):
        return _PLAIN, 1 << first - 0xC7, 1
    numbers = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
    numbers |= {0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8, 0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17}
    return _PLAIN, 0, numbers.get(first, 0)


_HEADERS = [_header(first) for first in range(256)]


def unfolded_size(data: bytes | memoryview, most: int) -> int:
    """Return how many bytes the objects in some bytes would take; counting may stop above ``most``.

    What extension types hold is not counted. ValueError if there is too large a dictionary: with
    keys made for it, those take time that grows with the square of their number.

    >>> unfolded_size(bytes([0x92, 0x01, 0xA2]) + b"ab", 1000)  # a list of a number and a text
    218
    """
    position, size = 0, 0
    while position < len(data) and size <= most:
        kind, length, position = _read_header(data, position)
        size += _OBJECT
        if kind == _TEXT:
            plain = bytes(data[position : position + length]).isascii()
            size += length if plain else 4 * length
        if kind == _PAIRS:
            if length > MAX_PAIRS:
                raise ValueError(f"has a dictionary of {length} keys; the cap is {MAX_PAIRS}")
            size += _MAP
        elif kind != _LIST:
            position += length
    return size


def item_at(data: bytes | memoryview, position: int, index: int) -> int:
    """Return where an item of the list at a position begins; -1 where there is none.

    >>> item_at(bytes([0x92, 0xA2]) + b"ab" + bytes([0x07]), 0, 1)
    4
    """
    if not 0 <= position < len(data) or index < 0:
        return -1
    kind, length, position = _read_header(data, position)
    if kind != _LIST or index >= length:
        return -1
    while index and position < len(data):
        kind, length, position = _read_header(data, position)
        index -= 1
        if kind == _LIST:
            index += length
        elif kind == _PAIRS:
            index += 2 * length
        else:
            position += length
    return position if position < len(data) else -1


def _read_header(data: bytes | memoryview, position: int) -> tuple[int, int, int]:
    """Return what begins at a position, its length, and where it goes on."""
    kind, digits, length = _HEADERS[data[position]]
    position += 1
    if digits:
        length += int.from_bytes(data[position : position + digits], "big")
        position += digits
    return kind, length, position
