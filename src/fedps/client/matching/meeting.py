"""What owners derive from a point that all of them have blinded: only who has the key knows it.

For each of its keys an owner has such a point. From it follow a *tag*, which names slots in tables of
others; a *share* for each owner but the first; and a *proof*. The first owner sends its tags, each with
the proof covered by all shares. The others send tables of their shares (``XorTable``). Who has both finds
the proof of a key that all owners have, and random numbers for every other key.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from fedps.statistics.base import Array
from fedps.statistics.matching.xor_table import TAG_WORDS, WORDS

PROOF_WORDS = 2


def tags_of(points: Array) -> Array:
    """Return the tag of each point, as (n, 2) words."""
    return _derived(points, b"fedps tag", TAG_WORDS)


def proofs_of(points: Array) -> Array:
    """Return the proof of each point, as (n, 2) words."""
    return _derived(points, b"fedps proof", PROOF_WORDS)


def shares_of(points: Array, owner: int) -> Array:
    """Return an owner's share of the cover of each proof, as (n, 3) words."""
    return _derived(points, b"fedps share", WORDS, owner)


def candidates_of(points: Array, owners: int) -> Array:
    """Return what the first owner sends: tags, and covered proofs, as (n, 5) words.

    A word of zeros follows each proof, by which it is known once all of the cover is gone.
    """
    zeros = np.zeros((len(points), WORDS - PROOF_WORDS), dtype=np.uint64)
    covered = np.hstack([proofs_of(points), zeros])
    for owner in range(1, owners):
        covered ^= shares_of(points, owner)
    return np.hstack([tags_of(points), covered])


def _derived(points: Array, name: bytes, words: int, owner: int = 0) -> Array:
    packed, size, salt = points.tobytes(), points.shape[1], owner.to_bytes(4, "little")
    found = [
        blake2b(packed[i : i + size], digest_size=8 * words, person=name, salt=salt).digest()
        for i in range(0, len(packed), size)
    ]
    return np.frombuffer(b"".join(found), dtype="<u8").reshape(-1, words).astype(np.uint64)
