"""What transports over an engine say of clients that are missing or do not answer."""

from __future__ import annotations

from fedps.transports.base import Lost

# an empty reply: the client did not take the message for one of fedps
UNREADABLE = Lost("could not read the message: do the versions of fedps differ?")


def too_late(timeout: float) -> Lost:
    """Return the loss of a client that did not answer in time."""
    return Lost(f"did not answer within {timeout:g} seconds")


def clients_needed(wanted: int, quorum: int) -> str:
    """Return how many clients must take part.

    >>> clients_needed(3, 3), clients_needed(4, 3)
    ('3', '4, or at least 3,')
    """
    return f"{wanted}" if quorum == wanted else f"{wanted}, or at least {quorum},"
