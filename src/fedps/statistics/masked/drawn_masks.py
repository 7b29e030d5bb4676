"""Masks: uniform numbers of the ring, which whoever has their seed can draw again."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple, Protocol

import numpy as np

from fedps.statistics.base import Array, BadCells, Block
from fedps.statistics.masked.own_columns import OwnColumns
from fedps.statistics.masked.ring import LIMBS

SEED = 32  # bytes of a seed, of a public key, and of what two clients share
SEALED = SEED + 16  # bytes that are sealed: a seed, and how many rows and columns its masks cover
BOX = (
    SEALED + 24 + 16
)  # bytes of them sealed, with what no other box has and what proves who sealed it
_ROWS_AT_ONCE = 1 << 12  # of a stream: masks of any rows can be drawn without those before


class Masking(Protocol):
    """What a client brings: keys of its own in this fit, and a cipher."""

    public: bytes

    def seal(self, peer: bytes, text: bytes) -> bytes:
        """Return a text that only the client with a public key can read, and knows to be from this one."""

    def open(self, peer: bytes, box: bytes) -> bytes:
        """Return the text that the client with a public key sealed for this one."""

    def shared(self, peer: bytes) -> bytes:
        """Return what only this client and the one with a public key know."""

    def stream(self, seed: bytes, number: int, size: int) -> bytes:
        """Return so many random bytes, the same for the same seed and number."""


class Seed(NamedTuple):
    """What the masks of a client are drawn from, and how many rows and columns they cover."""

    seed: bytes
    rows: int
    width: int

    def packed(self) -> bytes:
        """Return it as it is sealed."""
        return self.seed + self.rows.to_bytes(8, "little") + self.width.to_bytes(8, "little")

    @classmethod
    def of(cls, packed: bytes) -> Seed:
        """Return a seed that was sealed."""
        sizes = np.frombuffer(packed[SEED:], dtype="<u8").tolist()
        return cls(packed[:SEED], *sizes)


def own_seed(block: Block, own: OwnColumns) -> Seed:
    """Return what a client's masks are drawn from: its secret of the fit, and the very numbers to be masked.

    So the same masks never lie on other numbers, whatever a server makes of the columns before.
    """
    digest = blake2b(key=block.secret(), digest_size=SEED, person=b"fedps mask seed")
    digest.update(repr(own.whole.shape).encode())
    for numbers in (own.exponents, own.pivot, np.ascontiguousarray(own.whole)):
        digest.update(numbers.tobytes())
    return Seed(digest.digest(), *own.whole.shape)


def drawn(masking: Masking, seed: Seed, start: int, stop: int) -> Array:
    """Return the masks of some rows: numbers of the ring, (rows, width, 2)."""
    rows = range(seed.rows)[start:stop]
    first, last = rows.start // _ROWS_AT_ONCE, -(-rows.stop // _ROWS_AT_ONCE)
    size = _ROWS_AT_ONCE * seed.width * LIMBS * 8
    stream = b"".join(masking.stream(seed.seed, number, size) for number in range(first, last))
    shape = ((last - first) * _ROWS_AT_ONCE, seed.width, LIMBS)
    skipped = rows.start - first * _ROWS_AT_ONCE
    return np.frombuffer(stream, dtype="<u8").reshape(shape)[skipped:][: len(rows)]


def cancelling(masking: Masking, peer: bytes, seeds: tuple[Seed, Seed]) -> Array:
    """Return masks that only two clients know, for one to add and the other to subtract.

    They are of these two seeds alone: with other columns of either, they are others.
    """
    first, second = seeds
    seed = blake2b(first.seed + second.seed, key=masking.shared(peer), digest_size=SEED).digest()
    stream = masking.stream(seed, 0, first.width * second.width * LIMBS * 8)
    return np.frombuffer(stream, dtype="<u8").reshape(first.width, second.width, LIMBS)


def demand_peers(given: Array, beside: int, public: bytes) -> list[bytes]:
    """Return all clients' public keys from a given array; refuse one with the same key twice, or without this one.

    Each line has a key, and ``beside`` further bytes.
    """
    if given.dtype != np.uint8 or given.ndim != 2 or given.shape[1] != SEED + beside:
        raise BadCells("keys")
    keys = [line[:SEED].tobytes() for line in given]
    if len(set(keys)) < len(keys) or public not in keys:
        raise BadCells("keys")
    return keys
