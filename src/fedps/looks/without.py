"""Numbers that some clients had no part in, as text that says so."""

from __future__ import annotations

from collections.abc import Iterable

_WITHOUT = ", without "


def without(shown: str, clients: Iterable[str]) -> str:
    """Return a number's text with the clients that had no part in it.

    >>> without("135", ["oslo", "lund"])
    '135, without oslo, lund'
    """
    return f"{shown}{_WITHOUT}{', '.join(clients)}"


def as_marked(shown: str, mark: str) -> str:
    """Return a number's text, marked as another of the same cells is.

    >>> as_marked("7", "1,135, without oslo"), as_marked("7", "kept back")
    ('7, without oslo', 'kept back')
    """
    _, found, clients = mark.partition(_WITHOUT)
    return f"{shown}{found}{clients}" if found else mark
