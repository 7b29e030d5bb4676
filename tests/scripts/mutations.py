"""Ways to change a message: its bytes, or what it says while it stays a well-formed message."""

from __future__ import annotations

import random
import zlib
from copy import deepcopy
from typing import Any

import msgspec
import numpy as np

from fedps.protocol.limits import VERSION
from fedps.protocol.packing.arrays import Budget, pack, unpack
from fedps.protocol.words import WORDS
from tests.scripts.wire import ARRAY, FACTS, TUPLE, Ext, deflated, msgpack, plain

# Bytes --------------------------------------------------------------------------------------------

ODD = (0x00, 0x01, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xC0, 0xC1, 0xC7, 0xC9, 0xCB, 0xCF, 0xD3)
ODD += (0xD9, 0xDB, 0xDC, 0xDD, 0xDE, 0xDF, 0xE0, 0xFF)


def flip_bits(data: bytearray, rng: random.Random, other: bytes) -> None:
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def edit_bytes(data: bytearray, rng: random.Random, other: bytes) -> None:
    for _ in range(rng.choice((1, 1, 2, 5))):
        data[rng.randrange(len(data))] = rng.choice((rng.randrange(256), rng.choice(ODD)))


def insert(data: bytearray, rng: random.Random, other: bytes) -> None:
    place = rng.randrange(len(data) + 1)
    data[place:place] = bytes(rng.choice(ODD) for _ in range(rng.choice((1, 1, 2, 8, 64))))


def remove(data: bytearray, rng: random.Random, other: bytes) -> None:
    place = rng.randrange(len(data))
    del data[place : place + rng.choice((1, 1, 2, 8))]


def truncate(data: bytearray, rng: random.Random, other: bytes) -> None:
    del data[rng.randrange(len(data)) :]


def splice(data: bytearray, rng: random.Random, other: bytes) -> None:
    data[rng.randrange(len(data)) :] = other[rng.randrange(len(other)) :]


def repeat(data: bytearray, rng: random.Random, other: bytes) -> None:
    start = rng.randrange(len(data))
    part = data[start : start + rng.choice((1, 4, 20))]
    data[start:start] = part * rng.choice((1, 3, 1000))


def lengthen(data: bytearray, rng: random.Random, other: bytes) -> None:
    """Change what announces a length: headers of lists, texts and extensions, and shapes."""
    places = [i for i, byte in enumerate(data) if 0x80 <= byte < 0xC0 or 0xC4 <= byte < 0xE0]
    place = rng.choice(places or [0])
    if rng.random() < 0.5:
        data[place] = (data[place] & 0xF0) | rng.randrange(16)
    else:
        size = rng.choice((2, 4))
        data[place + 1 : place + 1 + size] = rng.choice((0, 1, 255, 2**15, 2**16 - 1)).to_bytes(
            size, "big"
        )


MUTATIONS = (flip_bits, edit_bytes, insert, remove, truncate, splice, repeat, lengthen)


# What it says -------------------------------------------------------------------------------------

CELLS = (0, 1, -1, 2, 7, 255, 2**31, 2**53, 2**63 - 1, -(2**63))
PLAIN = (*CELLS, 0.5, -0.0, float("nan"), float("inf"), 1e308, None, True, False, "", "x", "risk")
OTHERS = ([], [[]], {}, {"a": 1}, "x" * 600, b"x", ["moments"], ["named", []])


def odd_value(rng: random.Random) -> Any:
    kind = rng.random()
    if kind < 0.6:
        return rng.choice(PLAIN)
    if kind < 0.8:
        return deepcopy(rng.choice(OTHERS))
    shape = rng.choice(((), (0,), (1,), (2,), (1, 2), (2, 1), (3, 0)))
    dtype = rng.choice((np.float64, np.float32, np.int64, np.uint8, np.bool_))
    return Ext(ARRAY, pack(np.full(shape, rng.choice((0, 1, 1, 3))).astype(dtype)))


def places_in(node: Any) -> list[tuple[Any, Any]]:
    """Return all containers with all their keys."""
    found: list[tuple[Any, Any]] = []
    keys = range(len(node)) if isinstance(node, list) else node if isinstance(node, dict) else ()
    for key in list(keys):
        found.append((node, key))
        found += places_in(node[key])
    return found


def change_tree(node: Any, rng: random.Random, other: Any) -> None:
    """Change one place of a message that was taken apart."""
    places = places_in(node)
    if not places:
        return
    parent, key = rng.choice(places)
    value = parent[key]
    if isinstance(value, Ext) and rng.random() < 0.8:
        parent[key] = changed_extension(value, rng, other)
    elif isinstance(value, list) and value and rng.random() < 0.6:
        change_list(value, rng)
    elif type(value) is int and rng.random() < 0.5:
        parent[key] = min(max(value + rng.choice((-2, -1, 1, 2)), -(2**63)), 2**64 - 1)
    elif rng.random() < 0.3:
        above, below = rng.choice(places_in(other) or [([0], 0)])
        parent[key] = deepcopy(above[below])
    else:
        parent[key] = odd_value(rng)


def change_list(items: list[Any], rng: random.Random) -> None:
    place = rng.randrange(len(items))
    action = rng.randrange(4)
    if action == 0:
        del items[place]
    elif action == 1:
        items.insert(place, deepcopy(items[place]))
    elif action == 2:
        items.reverse()
    else:
        items.extend(items[place : place + 1] * rng.choice((1, 10, 300)))


def changed_extension(value: Ext, rng: random.Random, other: Any) -> Ext:
    if rng.random() < 0.7:
        try:
            return changed_inside(value, rng, other)
        except (ValueError, TypeError, msgspec.DecodeError):
            pass  # it was changed before, or cannot be packed again
    data = bytearray(value.data or b"\x00")
    rng.choice(MUTATIONS)(data, rng, bytes(data))
    return Ext(rng.choice((value.code, value.code, value.code, rng.randrange(12))), bytes(data))


def changed_inside(value: Ext, rng: random.Random, other: Any) -> Ext:
    """Change the parameters or the cells that an extension holds."""
    if value.code == ARRAY:
        return Ext(ARRAY, pack(changed_array(unpack(value.data, Budget()), rng)))
    if value.code not in (FACTS, TUPLE):
        raise ValueError
    inner = msgspec.msgpack.decode(value.data)
    change_tree(inner, rng, other)
    return Ext(value.code, msgpack(inner))


def changed_array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    action = rng.randrange(6)
    if action < 3 and array.size:
        cells: Any = array.astype(object).reshape(-1)
        cells[rng.randrange(cells.size)] = rng.choice(PLAIN)
        with np.errstate(all="ignore"):
            try:
                return cells.astype(array.dtype).reshape(array.shape)
            except (TypeError, ValueError, OverflowError):
                return cells
    if action == 3:
        return array.reshape(rng.choice(((-1,), (-1, 1), (1, -1))))
    if action == 4:
        return np.concatenate([array, array]) if array.ndim else array
    return array[::-1] if array.ndim else array


# Both ---------------------------------------------------------------------------------------------


def body_of(data: bytes) -> bytes:
    if data[0] == 2 * VERSION:
        return data[1:]
    return zlib.decompressobj(-15, zdict=WORDS).decompress(data[1:])


def mutated(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Return a message changed in its bytes, inside its compressed body, or in what it says."""
    other = rng.choice(others)
    kind = rng.random()
    if kind < 0.15:
        return changed_bytes(data, rng, other)
    body = body_of(data)
    if kind < 0.4:
        body = changed_bytes(body, rng, body_of(other))
    else:
        tree = msgspec.msgpack.decode(body)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            change_tree(tree, rng, msgspec.msgpack.decode(body_of(other)))
        body = msgpack(tree)
    return deflated(body) if rng.random() < 0.5 else plain(body)


def changed_bytes(data: bytes, rng: random.Random, other: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if changed:
            rng.choice(MUTATIONS)(changed, rng, other)
    return bytes(changed)
