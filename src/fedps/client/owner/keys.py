"""Keys as bytes: what stands for a table's keys, and an order of rows that tells nothing about them."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from fedps.statistics.base import Array

DIGEST = 16  # bytes


def key_bytes(key: str) -> bytes:
    """Return a key as bytes, whatever characters it has."""
    return key.encode("utf-8", "surrogatepass")


def salt_secret(salt: bytes) -> bytes:
    """Return what a salt of any length is as the key of a digest."""
    return blake2b(salt, digest_size=32, person=b"fedps salt").digest()


def keys_digest(keys: Array) -> bytes:
    """Return a digest of all keys in their order."""
    lengths = np.strings.str_len(keys).astype("<i8").tobytes()
    return blake2b(lengths + key_bytes("".join(keys.tolist())), digest_size=DIGEST).digest()


def in_common_order(keys: Array, salt: bytes) -> Array:
    """Return the positions of keys in an order that is the same wherever they and the salt are.

    Not that of the keys themselves: a server that is shown rows would know whose key comes before whose.
    """
    secret = salt_secret(salt)
    digests = [
        blake2b(key_bytes(key), key=secret, digest_size=DIGEST, person=b"fedps order").digest()
        for key in keys.tolist()
    ]
    words = np.frombuffer(b"".join(digests), dtype=">u8").reshape(-1, 2)
    return np.lexsort((words[:, 1], words[:, 0]))
