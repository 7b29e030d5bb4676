"""Messages as bytes: typed MessagePack, deflated where that is shorter, bounded on the way in."""

from __future__ import annotations

import zlib
from typing import Any, TypeVar

import msgspec
import numpy as np

from fedps.errors import PeerError
from fedps.learned import FrozenState, Numbers, Parameters
from fedps.protocol.arrays import Budget
from fedps.protocol.fields import explain_error, explain_rule
from fedps.protocol.limits import (
    MAX_MESSAGE,
    VERSION,
    WORDS,
    WORTH_COMPRESSING,
    WORTH_COUNTING,
    WORTH_TRYING_HARD,
)
from fedps.protocol.objects import unfolded_size
from fedps.protocol.values import FunctionNames, Writer, read_value

M = TypeVar("M")

SAMPLE = 1 << 15  # bytes on which ways to compress a large message are compared
_PLAIN, _DEFLATED = VERSION * 2, VERSION * 2 + 1


def encode(message: Any, functions: FunctionNames | None = None) -> bytes:
    """Return a message as bytes.

    ``functions`` gives names, by ``id``, to functions that have none of their own.
    """
    packed = encode_part(message, functions)
    # what is beyond the cap is refused however short it gets, so it may as well look like it
    if WORTH_COMPRESSING <= len(packed) <= MAX_MESSAGE:
        deflated = _deflated(packed)
        if len(deflated) < len(packed):
            return bytes([_DEFLATED]) + deflated
    return bytes([_PLAIN]) + packed


def _deflated(packed: bytes) -> bytes:
    """Return some bytes compressed: small ones well, large ones fast."""
    if len(packed) < WORTH_TRYING_HARD:
        return _squeezed(packed, 6, zlib.Z_DEFAULT_STRATEGY)
    # where nothing repeats, as among distances, to look for repeats takes most of the time
    middle = len(packed) // 2
    sample = packed[middle : middle + SAMPLE]
    ways = (zlib.Z_HUFFMAN_ONLY, zlib.Z_DEFAULT_STRATEGY)
    best = min(ways, key=lambda way: len(_squeezed(sample, 1, way)))
    return _squeezed(packed, 1, best)


def _squeezed(packed: bytes, level: int, strategy: int) -> bytes:
    squeezer = zlib.compressobj(level, zlib.DEFLATED, -15, zlib.DEF_MEM_LEVEL, strategy, WORDS)
    return squeezer.compress(packed) + squeezer.flush()


def encode_part(message: Any, functions: FunctionNames | None = None) -> bytes:
    """Return a part of a message, such as one answer, as it stands inside it."""
    return msgspec.msgpack.encode(message, enc_hook=Writer(functions or {}).write)


def decode(data: bytes, kind: type[M], peer: str) -> M:
    """Return the message in some bytes; PeerError, naming the peer and the field, if it is bad."""
    if len(data) > MAX_MESSAGE:
        raise PeerError(f"{peer} sent {len(data)} bytes; the cap is {MAX_MESSAGE}.")
    if not data or data[0] not in (_PLAIN, _DEFLATED):
        raise PeerError(
            f"{peer} sent a message that is not of FedPS wire version {VERSION}. "
            "Install the same version of fedps on both sides."
        )
    budget = Budget()
    body = memoryview(data)[1:]
    if data[0] == _DEFLATED:
        body = memoryview(_inflate(body, peer))
        budget.left -= len(body)
    if len(body) > WORTH_COUNTING:
        try:
            budget.spend(unfolded_size(body, budget.left))
        except ValueError as error:
            raise PeerError(f"{peer} sent a bad {kind.__name__}: it {error}.") from None
    message: M = decode_part(body, kind, peer, budget)
    return message


def decode_part(data: Any, kind: Any, peer: str, budget: Budget, name: str | None = None) -> Any:
    """Return a part of a message; every array in it is charged to the budget."""
    name = name or kind.__name__
    bad: list[_Bad] = []

    def unfold(code: int, packed: memoryview) -> Any:
        try:
            return read_value(code, packed, budget)
        except _UNREADABLE as error:
            bad.append(_Bad(explain_rule(error)))
            return bad[-1]

    try:
        message = msgspec.msgpack.decode(data, type=kind, dec_hook=_typed, ext_hook=unfold)
    except _UNREADABLE as error:
        raise PeerError(f"{peer} sent a bad {name}: {explain_error(error, data, kind)}.") from None
    if bad:
        raise PeerError(f"{peer} sent a bad {name}: it {bad[0].rule}.")
    return message


_UNREADABLE = (msgspec.DecodeError, ValueError, TypeError, RecursionError, OverflowError)


class _Bad:
    """Stands for what could not be read until the field that it was for is known."""

    def __init__(self, rule: str) -> None:
        self.rule = rule


def _inflate(data: memoryview, peer: str) -> bytes:
    opener = zlib.decompressobj(-15, zdict=WORDS)
    try:
        body = opener.decompress(data, MAX_MESSAGE)
    except zlib.error:
        raise PeerError(f"{peer} sent bytes that do not inflate.") from None
    if opener.unconsumed_tail or not opener.eof or opener.unused_data:
        raise PeerError(f"{peer} sent a message that inflates to no whole one below the cap.")
    return body


def _typed(kind: Any, value: Any) -> Any:
    """Accept a value for a field of a type that MessagePack does not know."""
    if isinstance(value, _Bad):
        raise ValueError(value.rule)  # noqa: TRY004 - msgspec passes on ValueError
    if kind is Numbers and isinstance(value, Parameters):
        return FrozenState(value)  # the message that it is in knows its shape
    wanted = np.ndarray if kind in (np.ndarray, np.ndarray[Any, Any]) else kind
    origin = getattr(wanted, "__origin__", wanted)
    if isinstance(origin, type) and isinstance(value, origin):
        return value
    raise ValueError(f"must be {origin.__name__}, not {type(value).__name__}")


__all__ = ["FunctionNames", "decode", "decode_part", "encode", "encode_part"]
