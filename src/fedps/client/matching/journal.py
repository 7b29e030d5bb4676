"""What an owner keeps of the messages of a match: not the points that it has blinded already."""

from __future__ import annotations

from msgspec import structs

from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Given, Round

_WORTH_IT = 2**16  # bytes: of shorter messages, nothing is saved


def without_arrays(heard: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return the messages of a match without arrays and asks.

    They are megabytes, and engines that start a process for each message would pass on all of them with
    each. An owner needs none of them again: what follows from them is noted (``FitSecrets``).
    """
    if len(heard) < 2 or len(heard[-1]) < _WORTH_IT:
        return heard
    last = decode(heard[-1], Round, "the server")
    told = tuple(tell for tell in last.tells if not isinstance(tell, Given))
    return (*heard[:-1], encode(structs.replace(last, tells=told, asks=())))
