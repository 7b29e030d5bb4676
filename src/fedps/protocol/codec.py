"""Messages as bytes: typed MessagePack, deflated if that is shorter, checked for size when read."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec
import numpy as np

from fedps.errors import PeerError, UsageError
from fedps.learned import FrozenState, Function, Numbers, Parameters, PerClient, PerRow
from fedps.protocol.bad_fields import explain_error, explain_rule
from fedps.protocol.limits import (
    MAX_MESSAGE,
    MAX_NESTING,
    VERSION,
    WORTH_COMPRESSING,
    WORTH_COUNTING,
)
from fedps.protocol.packing.arrays import Budget, pack, pack_ragged, unpack, unpack_ragged
from fedps.protocol.packing.deflated import deflated
from fedps.protocol.packing.object_cells import (
    as_bytes,
    from_bytes,
    object_as_bytes,
    object_from_bytes,
)
from fedps.protocol.unfolded_size import unfolded_size
from fedps.protocol.words import DTYPE, NAMED, TUPLE, WORDS
from fedps.statistics.base import Array
from fedps.statistics.categories.cell_sorts import OBJECT_TYPES, is_plain
from fedps.statistics.categories.sent_cells import LongInteger, SentObject, is_long
from fedps.statistics.ragged import Ragged

M = TypeVar("M")

_PLAIN, _DEFLATED = VERSION * 2, VERSION * 2 + 1


def encode(message: Any, functions: FunctionNames | None = None) -> bytes:
    """Return a message as bytes.

    ``functions`` gives names, by ``id``, to functions that have none of their own.
    """
    packed = encode_part(message, functions)
    # a message above the cap is refused even if it compresses well: do not spend time on it
    if WORTH_COMPRESSING <= len(packed) <= MAX_MESSAGE:
        shorter = deflated(packed)
        if len(shorter) < len(packed):
            return bytes([_DEFLATED]) + shorter
    return bytes([_PLAIN]) + packed


def encode_part(message: Any, functions: FunctionNames | None = None) -> bytes:
    """Return a part of a message, such as one answer, as the bytes inside of the message."""
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
    """Stands for an unreadable value until the decoder reports which field it was for."""

    def __init__(self, rule: str) -> None:
        self.rule = rule


def _inflate(data: memoryview, peer: str) -> bytes:
    opener = zlib.decompressobj(-15, zdict=WORDS)
    try:
        body = opener.decompress(data, MAX_MESSAGE)
    except zlib.error:
        raise PeerError(f"{peer} sent bytes that do not inflate.") from None
    if opener.unconsumed_tail or not opener.eof or opener.unused_data:
        raise PeerError(
            f"{peer} sent a message that does not inflate to a whole one below the cap."
        )
    return body


def _typed(kind: Any, value: Any) -> Any:
    """Accept a value for a field of a type that MessagePack does not know."""
    if kind is Array and type(value) is np.ndarray:
        return value
    if isinstance(value, _Bad):
        raise ValueError(value.rule)  # noqa: TRY004 - msgspec passes on ValueError
    if kind is Numbers and isinstance(value, Parameters):
        return FrozenState(value)  # the enclosing message knows its shape, and reads it again
    wanted = np.ndarray if kind in (np.ndarray, np.ndarray[Any, Any]) else kind
    origin = getattr(wanted, "__origin__", wanted)
    if isinstance(origin, type) and isinstance(value, origin):
        return value
    raise ValueError(f"must be {origin.__name__}, not {type(value).__name__}")


__all__ = ["FunctionNames", "decode", "decode_part", "encode", "encode_part"]


_ARRAY, _NAMED, _TUPLE, _DTYPE = 1, NAMED, TUPLE, DTYPE
_FUNCTION, _SCALAR, _RAGGED, _GENERATOR, _NA, _LONG, _SENT, _OBJECT = range(5, 13)
_INSTANCE = "dtype:"  # np.dtype("f8") in place of np.float64, which is what people write
_KEYS = 624  # numbers in the state of NumPy's MT19937

Ext = msgspec.msgpack.Ext
FunctionNames = Mapping[int, str]


class Writer:
    """Turns what MessagePack does not know into extension types."""

    def __init__(self, functions: FunctionNames) -> None:
        self.functions = functions

    def write(self, value: Any) -> Any:
        """Return an extension for an array, or for parameters and numbers by name."""
        if isinstance(value, np.ndarray):
            return Ext(_ARRAY, pack(value))
        if isinstance(value, Ragged):
            return Ext(_RAGGED, pack_ragged(value))
        if isinstance(value, Parameters | Numbers):
            plain = {key: self.plain(item, key) for key, item in value.items()}
            return Ext(_NAMED, msgspec.msgpack.encode(plain))
        return self.plain(value, "value")

    def plain(self, value: Any, name: str) -> Any:
        """Return a parameter in types that MessagePack knows."""
        plain = value is None or type(value) in (bool, int, float, str, bytes)
        if plain and not is_long(value):
            return value
        if isinstance(value, list | PerClient):
            items = value.values if isinstance(value, PerClient) else value
            return [self.plain(item, name) for item in items]
        if isinstance(value, tuple):
            items = [self.plain(item, name) for item in value]
            return Ext(_TUPLE, msgspec.msgpack.encode(items))
        if isinstance(value, dict):
            return {str(key): self.plain(item, name) for key, item in value.items()}
        if isinstance(value, PerRow):
            return Ext(_ARRAY, pack(value.values))
        if isinstance(value, np.ndarray):
            return Ext(_ARRAY, pack(value.astype(object) if value.dtype.kind in "US" else value))
        if isinstance(value, np.generic):
            text = isinstance(value, np.str_ | np.bytes_)
            return value.item() if text else Ext(_SCALAR, pack(np.asarray(value)))
        return self._named(value, name)

    def _named(self, value: Any, name: str) -> Any:
        """Return a dtype or a function by its name, a generator by its state, other cells as bytes."""
        if (cell := _cell(value)) is not None:
            return cell
        if isinstance(value, Function):
            return Ext(_FUNCTION, value.name.encode())
        if isinstance(value, np.dtype):
            return Ext(_DTYPE, (_INSTANCE + value.str).encode())
        if isinstance(value, type) and _is_dtype(value):
            return Ext(_DTYPE, np.dtype(value).str.encode())
        if isinstance(value, np.random.RandomState):
            _, *state = value.get_state()
            return Ext(_GENERATOR, msgspec.msgpack.encode([self.plain(v, name) for v in state]))
        if type(value).__name__ == "NAType":  # pandas' own, told without importing pandas
            return Ext(_NA, b"")
        if id(value) in self.functions:
            return Ext(_FUNCTION, self.functions[id(value)].encode())
        if isinstance(value, Callable):  # type: ignore[arg-type]
            return Ext(_FUNCTION, function_name(value).encode())
        raise UsageError(
            f"parameter {name!r} is a {type(value).__name__}, which cannot be sent to clients."
        )


def _cell(value: Any) -> Any:
    """Return a cell that MessagePack has no type for; None if it is something else."""
    if is_long(value):
        return Ext(_LONG, as_bytes(value))
    if isinstance(value, SentObject):
        return Ext(_SENT, object_as_bytes(value.cell))
    known = type(value) in OBJECT_TYPES and is_plain(value)
    return Ext(_OBJECT, object_as_bytes(value)) if known else None


def function_name(function: Any) -> str:
    """Return the dotted name under which a client could find a function.

    >>> function_name(np.log1p)
    'numpy.log1p'
    """
    name = str(getattr(function, "__qualname__", getattr(function, "__name__", "<lambda>")))
    home = getattr(function, "__module__", None)
    if isinstance(function, np.ufunc):
        home = "numpy" if getattr(np, name, None) is function else "scipy.special"
    if home is None or "<" in name:
        raise UsageError(
            "a lambda or local function cannot be sent to clients. Use a NumPy function, or one "
            "that can be imported at the clients and that their policies list in 'functions'."
        )
    return f"{home}.{name}"


def _is_dtype(value: type) -> bool:
    try:
        np.dtype(value)
    except TypeError:
        return False
    return value in (bool, int, float, str) or issubclass(value, np.generic)


_PLAIN_VALUES: dict[int, Callable[[memoryview, Budget], Any]] = {
    _ARRAY: unpack,
    _RAGGED: unpack_ragged,
    _SCALAR: lambda data, budget: unpack(data, budget)[()],
    _DTYPE: lambda data, _: _read_dtype(bytes(data).decode()),
    _FUNCTION: lambda data, _: Function(bytes(data).decode()),
    _NA: lambda *_: _pandas_na(),
    _LONG: lambda data, _: LongInteger(from_bytes(data)),
    _SENT: lambda data, _: SentObject(object_from_bytes(data)),
    _OBJECT: lambda data, _: object_from_bytes(data),
}


def read_value(code: int, data: memoryview, budget: Budget, depth: int = 0) -> Any:
    """Return the value of an extension type; ValueError if it is not a known one."""
    if depth > MAX_NESTING:
        raise ValueError("is nested too deeply")
    if code in _PLAIN_VALUES:
        return _PLAIN_VALUES[code](data, budget)
    if code not in (_NAMED, _TUPLE, _GENERATOR):
        raise ValueError(f"has an unknown extension type {code}")
    budget.spend(unfolded_size(data, budget.left))

    def unfold(inner: int, packed: memoryview) -> Any:
        return read_value(inner, packed, budget, depth + 1)

    items = msgspec.msgpack.decode(data, ext_hook=unfold)
    if code == _TUPLE and isinstance(items, list):
        return tuple(items)
    if code == _GENERATOR:
        return _read_generator(items)
    if code == _NAMED and isinstance(items, dict) and all(type(key) is str for key in items):
        return Parameters(items)
    raise ValueError("has parameters of the wrong shape")


def _read_dtype(name: str) -> Any:
    """Return a dtype of plain cells. Others are of no use, and 'U1000000000' takes 4 GB per cell."""
    plain = name.removeprefix(_INSTANCE)
    if not re.fullmatch(r"[<>|=]?([biufcO]\d{0,2}|[SU]0?)", plain):
        raise ValueError("is not a dtype of plain cells")
    dtype = np.dtype(plain)
    return dtype if name != plain else dtype.type


def _read_generator(state: Any) -> np.random.RandomState:
    """Return a generator in the state that a peer sent."""
    if not isinstance(state, list) or len(state) != 4:
        raise ValueError("has a random state that is not one")
    keys, position, has_gauss, gauss = state
    plain = isinstance(keys, np.ndarray) and keys.dtype == np.uint32 and keys.shape == (_KEYS,)
    whole = type(position) is int and 0 <= position <= _KEYS and has_gauss in (0, 1)
    # from a state of zeros every draw is zero, for ever: what draws until it fits would never end
    if not plain or not keys.any() or not whole or type(gauss) is not float:
        raise ValueError("has a random state that is not one")
    generator = np.random.RandomState()
    generator.set_state(("MT19937", keys, position, has_gauss, gauss))
    return generator


def _pandas_na() -> Any:
    """Return pandas' marker of missing values, where pandas is installed."""
    try:
        from pandas import NA
    except ImportError:
        raise ValueError("has pandas.NA, and pandas is not installed here") from None
    return NA
