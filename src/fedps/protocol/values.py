"""Parameters and arrays as extension types: what MessagePack does not know by itself.

There is no pickle and no code: functions travel by name, and a client looks them up among those that it
trusts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np

from fedps.errors import UsageError
from fedps.learned import Function, Numbers, Parameters, PerClient, PerRow
from fedps.protocol.arrays import Budget, pack, unpack
from fedps.protocol.limits import MAX_NESTING
from fedps.protocol.objects import unfolded_size
from fedps.protocol.ragged import pack_ragged, unpack_ragged
from fedps.statistics.base import Ragged

_ARRAY, _NAMED, _TUPLE, _DTYPE, _FUNCTION, _SCALAR, _RAGGED, _GENERATOR, _NA = range(1, 10)
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
        if value is None or type(value) in (bool, int, float, str):
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
            return Ext(_ARRAY, pack(value.astype(object) if value.dtype.kind == "U" else value))
        if isinstance(value, np.generic):
            return Ext(_SCALAR, pack(np.asarray(value)))
        return self._named(value, name)

    def _named(self, value: Any, name: str) -> Any:
        """Return a dtype or a function by its name, a generator by its state."""
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
}


def read_value(code: int, data: memoryview, budget: Budget, depth: int = 0) -> Any:
    """Return what an extension type holds; ValueError for what is not one."""
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
    """Return a dtype of plain cells: no other has a use, and a text of a billion letters harms."""
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
    if not plain or not whole or type(gauss) is not float:
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
