"""Arrays as bytes: the smallest lossless form of each is chosen here, and nowhere else.

An array is written as a form, a dtype, its shape and a payload. The forms:

=========  =====================================================================================
RAW        the lowest bytes of all cells, then the next ones: exponents stand together and deflate
SAME       one value that all cells share
WHOLE      whole numbers as varints, whatever the dtype: counts and sums of integers
STEPS      the same for differences: sorted whole numbers
MIXED      a bitmap, varints where it is set, raw doubles elsewhere
NARROW     doubles that are exact as 32-bit floats
SCALARS    text, bytes, None, bools, numbers, dates and so on of an object array, as MessagePack
=========  =====================================================================================

Every form is exact to the bit. A reader checks every length before it allocates. Lists of numbers of different
lengths are one array: a header for each would cost more bytes.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import accumulate, pairwise
from math import prod
from types import NoneType
from typing import Any

import msgspec
import numpy as np

from fedps.protocol.limits import MAX_DIMENSIONS, MAX_MESSAGE, MAX_WIDTH, OBJECT_COST
from fedps.protocol.packing.few_cells import EXACT_WHOLE, few_whole, none_shorter
from fedps.protocol.packing.object_cells import (
    as_bytes,
    from_bytes,
    object_as_bytes,
    object_from_bytes,
)
from fedps.protocol.packing.varints import (
    FEW,
    read_few,
    read_varints,
    unzigzag,
    varint_size,
    write_few,
    write_varints,
    zigzag,
)
from fedps.protocol.unfolded_size import unfolded_size
from fedps.statistics.base import Array
from fedps.statistics.categories.cell_sorts import OBJECT_TYPES, is_plain
from fedps.statistics.categories.sent_cells import is_long
from fedps.statistics.ragged import Ragged

DTYPES = [
    np.dtype(code)
    for code in (
        *("<f8", "<f4", "<i8", "|b1", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "|O"),
        *("<f2", "<M8[D]", "<M8[s]", "<M8[ms]", "<M8[us]", "<M8[ns]"),
        *("<m8[s]", "<m8[ms]", "<m8[us]", "<m8[ns]"),
    )
]
_CODES = {dtype: code for code, dtype in enumerate(DTYPES)}
AT_ONCE = 1 << 16  # cells that are read at once, so that reading needs little extra memory


class Form(IntEnum):
    """How a payload is written."""

    RAW = 0
    SAME = 1
    WHOLE = 2
    STEPS = 3
    MIXED = 4
    NARROW = 5
    SCALARS = 6


_FORMS = tuple(Form)


def _form(code: int) -> Form:
    return _FORMS[code] if code < len(_FORMS) else Form(code)  # which raises


SCALARS = {NoneType, bool, int, float, str, bytes}
_LONG, _OBJECT = (
    1,
    2,
)  # the extension types of integers beyond 64 bits and of objects, among scalars


class Budget:
    """How many bytes of memory a message may still decode to."""

    def __init__(self, size: int = 2 * MAX_MESSAGE) -> None:
        self.left = size

    def spend(self, size: int) -> None:
        """Take from what is left; ValueError when it is used up."""
        self.left -= size + OBJECT_COST
        if self.left < 0:
            raise ValueError(f"unfolds to more than {2 * MAX_MESSAGE} bytes")


def pack(array: Array) -> bytes:
    """Return an array in its smallest form.

    >>> len(pack(np.arange(1000.0))), len(pack(np.full(1000, 7.0)))
    (1005, 7)
    """
    array = np.asarray(array)
    dtype = array.dtype.newbyteorder("<")
    if dtype not in _CODES:
        raise TypeError(f"arrays of dtype {array.dtype} do not travel")
    flat = np.ascontiguousarray(array, dtype=dtype).reshape(-1)
    if dtype.kind in "mM":
        flat = flat.view(DTYPES[2])  # times are whole numbers of their unit
    form, payload = _scalars(flat) if dtype.kind == "O" else _smallest(flat)
    dims = write_few(array.shape)
    return bytes([form, _CODES[dtype], array.ndim]) + dims + payload


def unpack(data: bytes | memoryview, budget: Budget) -> Array:
    """Return the array that was packed; ValueError if the bytes are not one."""
    if len(data) < 3 or data[1] >= len(DTYPES) or data[2] > MAX_DIMENSIONS:
        raise ValueError("is not a packed array")
    form, dtype, ndim = _form(data[0]), DTYPES[data[1]], data[2]
    dims, start = read_few(data, 3, ndim)
    size = prod(dims)
    # an array without cells may still announce a long side: count each side as at least 1
    budget.spend((size or prod(max(n, 1) for n in dims)) * max(dtype.itemsize, 8))
    payload = memoryview(data)[start:]
    if (form == Form.SCALARS) != (dtype.kind == "O"):
        raise ValueError(f"has dtype {dtype} in form {form.name}")
    if form == Form.SCALARS:
        budget.spend(unfolded_size(payload, budget.left))
        return _read_scalars(payload, size).reshape(dims)
    if dtype.kind in "mM":
        return _read(form, payload, DTYPES[2], size).view(dtype).reshape(dims)
    return _read(form, payload, dtype, size).reshape(dims)


def _smallest(flat: Array) -> tuple[Form, bytes]:
    """Try the forms and return the one of fewest bytes."""
    best = (Form.RAW, _planes(flat))
    if flat.size == 0:
        return best
    if flat.size > 1 and _is_same(flat):
        form, payload = _smallest(flat[:1])
        return Form.SAME, bytes([form]) + payload
    if flat.dtype.itemsize == 1:
        return best  # nothing is shorter than a byte
    if flat.size <= FEW:
        items = flat.tolist()
        if (few := few_whole(items)) is not None:
            return _shorter_few(few, best)
        if flat.dtype == DTYPES[0] and none_shorter(items):
            return best
    whole, numbers = _whole(flat)
    if whole.all():
        best = _shorter_whole(numbers, best)
    elif flat.dtype == DTYPES[0]:
        best = _shorter_float(flat, whole, numbers, best)
    return best


def _is_same(flat: Array) -> bool:
    """Whether all cells have the same bits."""
    if flat.size <= FEW:
        cells = flat.tobytes()
        return cells == cells[: flat.dtype.itemsize] * flat.size
    bits = flat.view(f"<u{flat.dtype.itemsize}")
    return bool((bits == bits[0]).all())


def _shorter_few(numbers: list[int], best: tuple[Form, bytes]) -> tuple[Form, bytes]:
    """Return what :func:`_shorter_whole` does, by plain integers: arrays are slow for a few."""
    steps = [b - a for a, b in pairwise([0, *numbers])]
    for form, signed in ((Form.WHOLE, numbers), (Form.STEPS, steps)):
        payload = write_few(2 * n if n >= 0 else -2 * n - 1 for n in signed)
        if len(payload) < len(best[1]):
            best = form, payload
    return best


def _whole(flat: Array) -> tuple[Array, Array]:
    """Return which cells are whole numbers, and these as integers (0 elsewhere)."""
    if flat.dtype.kind != "f":
        numbers = flat.astype(np.int64)
        fits = numbers >= 0 if flat.dtype == DTYPES[7] else np.ones(len(flat), dtype=bool)
        return fits, numbers
    with np.errstate(invalid="ignore"):  # some NaNs raise a warning
        whole = (np.abs(flat) < EXACT_WHOLE) & ~(np.signbit(flat) & (flat == 0))
    whole &= np.where(whole, flat, 0.5) == np.rint(np.where(whole, flat, 0))
    return whole, np.where(whole, flat, 0).astype(np.int64)


def _shorter_whole(numbers: Array, best: tuple[Form, bytes]) -> tuple[Form, bytes]:
    """Return varints of the numbers or of their steps, if that is shorter."""
    plain = zigzag(numbers)
    steps = numbers.copy()
    steps[1:] -= numbers[:-1]
    steps = zigzag(steps)
    sizes = varint_size(plain), varint_size(steps)
    if min(sizes) >= len(best[1]):
        return best
    if sizes[0] <= sizes[1]:
        return Form.WHOLE, write_varints(plain)
    return Form.STEPS, write_varints(steps)


def _shorter_float(
    flat: Array, whole: Array, numbers: Array, best: tuple[Form, bytes]
) -> tuple[Form, bytes]:
    """Return 32-bit floats, or varints among doubles, if that is shorter."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        narrow = flat.astype("<f4")
    back = narrow.astype("<f8").view("<u8")
    if (back == flat.view("<u8")).all():
        best = (Form.NARROW, _planes(narrow))
    written = zigzag(numbers[whole])
    if len(flat) / 8 + varint_size(written) + 8 * int((~whole).sum()) < len(best[1]):
        rest = _planes(flat[~whole])
        best = (Form.MIXED, np.packbits(whole).tobytes() + write_varints(written) + rest)
    return best


def _read(form: Form, payload: memoryview, dtype: np.dtype[np.generic], size: int) -> Array:
    """Read a payload of plain numbers."""
    if form == Form.RAW:
        return _read_raw(payload, dtype, size)
    if form == Form.NARROW and dtype == DTYPES[0]:
        with np.errstate(invalid="ignore"):  # some NaNs raise a warning
            return _read_raw(payload, DTYPES[1], size).astype(dtype)
    if form == Form.SAME:
        if not payload or payload[0] == Form.SAME:
            raise ValueError("repeats nothing")
        return np.repeat(_read(_form(payload[0]), payload[1:], dtype, 1), size)
    if form == Form.MIXED and dtype == DTYPES[0]:
        return _read_mixed(payload, size)
    if form in (Form.WHOLE, Form.STEPS):
        return _read_whole(payload, dtype, size, steps=form == Form.STEPS)
    raise ValueError(f"has dtype {dtype} in form {form.name}")


def _planes(flat: Array) -> bytes:
    """Return the bytes of all cells, the lowest of each first."""
    size = flat.dtype.itemsize
    return np.ascontiguousarray(flat).view(np.uint8).reshape(-1, size).T.tobytes()


def _read_raw(payload: memoryview, dtype: np.dtype[np.generic], size: int) -> Array:
    if len(payload) != size * dtype.itemsize:
        raise ValueError(f"has {len(payload)} bytes, not {size * dtype.itemsize}")
    planes = np.frombuffer(payload, dtype=np.uint8).reshape(dtype.itemsize, size)
    values = np.empty(size, dtype=dtype)  # one array, aligned and free of the message
    values.view(np.uint8).reshape(size, dtype.itemsize)[:] = planes.T
    if dtype.kind == "b" and size and values.view("u1").max() > 1:
        raise ValueError("has a truth value other than 0 and 1")
    return values


def _read_whole(
    payload: memoryview, dtype: np.dtype[np.generic], size: int, *, steps: bool
) -> Array:
    if size > len(payload):
        raise ValueError("is cut short")
    if size <= FEW and (few := _read_few(payload, dtype, size, steps=steps)) is not None:
        return few
    values = np.empty(size, dtype=dtype)
    total = np.zeros(1, dtype=np.int64)
    position = 0
    for first in range(0, size, AT_ONCE):
        numbers, position = read_varints(payload, position, min(AT_ONCE, size - first))
        signed = unzigzag(numbers)
        if steps:
            signed = np.cumsum(signed) + total
            total = signed[-1:]
        values[first : first + AT_ONCE] = _as_dtype(signed, dtype)
    if position != len(payload):
        raise ValueError("has bytes left over")
    return values


def _read_few(
    payload: memoryview, dtype: np.dtype[np.generic], size: int, *, steps: bool
) -> Array | None:
    """Return a few whole numbers; None where they need the care of a narrow dtype."""
    numbers, end = read_few(payload, 0, size)
    if end != len(payload):
        raise ValueError("has bytes left over")
    signed = [n >> 1 ^ -(n & 1) for n in numbers]
    if steps:
        signed = list(accumulate(signed))
    safe = dtype in (DTYPES[0], DTYPES[2]) and max(map(abs, signed), default=0) < EXACT_WHOLE
    return np.array(signed, dtype=dtype) if safe else None


def _read_mixed(payload: memoryview, size: int) -> Array:
    position = -(-size // 8)
    if len(payload) < position:
        raise ValueError("is cut short")
    bits = np.frombuffer(payload[:position], dtype=np.uint8)
    whole = np.unpackbits(bits, count=size).view(bool)
    values = np.empty(size)
    for first in range(0, size, AT_ONCE):
        here = whole[first : first + AT_ONCE]
        numbers, position = read_varints(payload, position, int(here.sum()))
        values[first : first + AT_ONCE][here] = unzigzag(numbers)
    values[~whole] = _read_raw(payload[position:], DTYPES[0], int((~whole).sum()))
    return values


def _as_dtype(numbers: Array, dtype: np.dtype[np.generic]) -> Array:
    """Return whole numbers in their dtype; ValueError where they do not fit it."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = numbers.astype(dtype)
        fits = values.astype(np.int64) == numbers
    if not fits.all():
        raise ValueError(f"has a number outside of {dtype}")
    return values


def _scalars(flat: Array) -> tuple[Form, bytes]:
    items = [x.item() if isinstance(x, np.generic) else x for x in flat.tolist()]
    kinds = set(map(type, items))
    if kinds & OBJECT_TYPES:
        items = [
            msgspec.msgpack.Ext(_OBJECT, object_as_bytes(x)) if type(x) in OBJECT_TYPES else x
            for x in items
        ]
    if any(map(is_long, items)):
        items = [msgspec.msgpack.Ext(_LONG, as_bytes(x)) if is_long(x) else x for x in items]
    if not kinds <= SCALARS | OBJECT_TYPES:
        raise TypeError("object arrays travel only with text, bytes, numbers, dates and None")
    return Form.SCALARS, msgspec.msgpack.encode(items)


def _read_scalars(payload: memoryview, size: int) -> Array:
    if _announced_length(payload) != size:
        raise ValueError("has another length than its shape")
    items = msgspec.msgpack.decode(payload, type=list, ext_hook=_read_object)
    kinds = set(map(type, items))
    # MessagePack itself has a type of times, which have a zone
    if not kinds <= SCALARS | OBJECT_TYPES or (
        kinds & OBJECT_TYPES and not all(map(is_plain, items))
    ):
        raise ValueError("has cells that are not text, bytes, numbers, dates or None")
    flat = np.empty(size, dtype=object)
    flat[:] = items
    return flat


def _read_object(code: int, data: memoryview) -> Any:
    if code == _OBJECT:
        return object_from_bytes(data)
    if code != _LONG:
        raise ValueError(f"has an unknown extension type {code}")
    return from_bytes(data)


def _announced_length(payload: memoryview) -> int:
    """Return the length in a MessagePack list's header, read before anything is allocated."""
    first = payload[0] if len(payload) else 0
    if 0x90 <= first <= 0x9F:
        return first - 0x90
    if first in (0xDC, 0xDD):
        return int.from_bytes(payload[1 : 3 if first == 0xDC else 5], "big")
    return -1


def pack_ragged(lists: Ragged) -> bytes:
    """Return the lengths of the lists, and then all their numbers.

    >>> len(pack_ragged(Ragged([np.arange(3), np.arange(2)])))
    16
    """
    sizes = pack(lists.sizes)
    return write_few([len(sizes)]) + sizes + pack(lists.flat)


def unpack_ragged(data: bytes | memoryview, budget: Budget) -> Ragged:
    """Return the lists that were packed; ValueError if the bytes are not such lists."""
    (length,), start = read_few(data, 0, 1)
    if length > len(data) - start:
        raise ValueError("is cut short")
    view = memoryview(data)[start:]
    sizes, numbers = unpack(view[:length], budget), unpack(view[length:], budget)
    if sizes.ndim != 1 or sizes.dtype != np.int64 or len(sizes) > MAX_WIDTH:
        raise ValueError("has bad lengths of lists")
    if (sizes < 0).any() or (sizes > numbers.size).any() or numbers.ndim != 1:
        raise ValueError("has bad lengths of lists")
    if sizes.sum() != numbers.size:
        raise ValueError("has lists of another length than announced")
    budget.spend(16 * len(sizes))
    return Ragged.cut(numbers, sizes)
