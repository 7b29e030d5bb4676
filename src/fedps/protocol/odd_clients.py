"""Which clients differ from the others, where tables do not fit together."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def odd_clients(clients: Sequence[str], agree: Callable[[str, str], bool]) -> tuple[str, ...]:
    """Return the clients that do not agree with a client with which more than half do; none if all differ.

    With a quorum a fit goes on without them. Half of the clients are not enough: it would be a guess which
    half is right.

    >>> kinds = {"a": 1, "b": 2, "c": 1}
    >>> odd_clients("abc", lambda one, other: kinds[one] == kinds[other])
    ('b',)
    >>> odd_clients("ab", lambda one, other: kinds[one] == kinds[other])
    ()
    """
    for leader in clients:
        others = tuple(one for one in clients if one != leader and not agree(leader, one))
        if 2 * len(others) < len(clients):
            return others
    return ()
