"""The secret numbers with which an owner blinds points."""

from __future__ import annotations

from hashlib import blake2b
from itertools import count
from typing import NamedTuple

# how often a point of Curve25519 has to be added to itself to come back, as RFC 7748 gives it
_ORDER = 2**252 + 27742317777372353535851937790883648493
_LOWEST, _HIGHEST = 2**251, 2**252


class Scalars(NamedTuple):
    """An owner's numbers, as the library takes them.

    ``common`` blinds points of all owners. ``first`` blinds this owner's own before anybody sees them, and
    ``last`` takes that away again when all others have blinded them, and blinds them by ``common``.
    """

    first: bytes
    common: bytes
    last: bytes


def scalars_from(secret: bytes) -> Scalars:
    """Return the numbers that follow from a secret.

    The library takes multiples of 8 with the highest bit set. That is about half of all numbers, so
    ``first`` is drawn until ``last`` is one of them.
    """
    common = _number(secret, b"common", 0)
    for trial in count():
        first = _number(secret, b"first", trial)
        eighth = common * pow(8 * first, -1, _ORDER) % _ORDER
        if _LOWEST <= eighth < _HIGHEST:
            return Scalars(_packed(first), _packed(common), _packed(8 * eighth))
    raise AssertionError  # count() has no end


def _number(secret: bytes, name: bytes, trial: int) -> int:
    drawn = blake2b(
        trial.to_bytes(4, "little"), key=secret, person=b"fedps " + name, digest_size=32
    )
    number = int.from_bytes(drawn.digest(), "little")
    return number % 2**251 * 8 + 2**254


def _packed(number: int) -> bytes:
    return number.to_bytes(32, "little")
