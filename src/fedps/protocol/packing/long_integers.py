"""Integers beyond 64 bits, which MessagePack has no type for, as bytes."""

from __future__ import annotations

from fedps.protocol.limits import MAX_INTEGER


def as_bytes(number: int) -> bytes:
    """Return an integer as bytes.

    >>> from_bytes(as_bytes(-(2**70))) == -(2**70)
    True
    """
    return number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True)


def from_bytes(data: bytes | memoryview) -> int:
    """Return an integer that was written; ValueError if it is too long."""
    if len(data) > MAX_INTEGER:
        raise ValueError(f"has an integer of {len(data)} bytes; the cap is {MAX_INTEGER}")
    return int.from_bytes(data, "big", signed=True)
