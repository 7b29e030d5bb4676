"""Keys as points of Curve25519, and points blinded by a secret number. The library does all of it."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from fedps.client.owner.keys import key_bytes, salt_secret
from fedps.statistics import BadCells
from fedps.statistics.base import Array
from fedps.statistics.matching.points import SIZE, what_is_wrong


def points_of(keys: Array, salt: bytes) -> Array:
    """Return a point for each key, the same for the same key and salt, as (n, 32) bytes.

    Nobody knows how often the base point goes into it: a digest of the key is taken to a point of the
    curve by a map that the library has (Elligator 2).
    """
    nacl = _nacl()
    secret = salt_secret(salt)
    # the library has no call for many points at once: one takes 30 times as long as this loop around it
    found = [
        nacl.crypto_sign_ed25519_pk_to_curve25519(
            nacl.crypto_core_ed25519_from_uniform(
                blake2b(key_bytes(key), key=secret, digest_size=32).digest()
            )
        )
        for key in keys.tolist()
    ]
    return _together(found)


def blinded(points: Array, scalar: bytes) -> Array:
    """Return each point multiplied by a secret number; BadCells unless all are points, and different."""
    if what_is_wrong(points) is not None:
        raise BadCells("points")
    multiply, packed = _nacl().crypto_scalarmult, points.tobytes()
    try:
        found = [multiply(scalar, packed[i : i + SIZE]) for i in range(0, len(packed), SIZE)]
    except Exception:  # noqa: BLE001 - of small order: the library refuses them, by an error of its own
        raise BadCells("points") from None
    return _together(found)


def _together(points: list[bytes]) -> Array:
    return np.frombuffer(b"".join(points), dtype=np.uint8).reshape(-1, SIZE)


def _nacl() -> Any:
    try:
        from nacl import bindings
    except ImportError:
        raise BadCells("no sodium") from None
    return bindings
