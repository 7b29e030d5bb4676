"""Hearing: a round as clients hear it, and what follows from it whoever hears it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from fedps.protocol.codec import decode
from fedps.protocol.messages import Round
from fedps.questions.declared import Declared

_Made = TypeVar("_Made")

# scikit-learn's own configuration, whatever the client's process has chosen for itself
PLAIN_CONFIG = {
    "array_api_dispatch": False,
    "assume_finite": False,
    "enable_metadata_routing": False,
    "skip_parameter_validation": False,
    "transform_output": "default",
}


class Hearing:
    """A round that was heard.

    All clients of a process that hear the same message have one hearing, so that what follows from the
    message alone is worked out once. It has nothing of a client's own in it. As soon as one of them
    forgets the fit, nobody else gets it any more: the next fit begins anew.

    Parameters
    ----------
    message : bytes
        The round as it came.
    """

    def __init__(self, message: bytes) -> None:
        self.message = message
        self.round = decode(message, Round, "the server")
        self._known: dict[Hashable, Any] = {}

    @cached_property
    def declared(self) -> Declared:
        """The questions that may be asked about what the round's request describes."""
        assert self.round.request is not None
        return self.round.request.declared()

    def once(self, about: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what was made for the first client that asked about something, to be left as it is."""
        if about not in self._known:
            self._known[about] = make()
        made: _Made = self._known[about]
        return made


_hearings: WeakValueDictionary[bytes, Hearing] = WeakValueDictionary()


def hear(message: bytes, *, alone: bool = False) -> Hearing:
    """Return a message as a round; PeerError if it is none.

    A client that is ``alone`` shares nothing: it fits what it heard about on rows of its own.
    """
    if alone:
        return Hearing(message)
    known = _hearings.get(message)
    return _hearings.setdefault(message, Hearing(message)) if known is None else known


def forget(messages: Iterable[bytes]) -> None:
    """Let whoever hears one of these messages again work out everything anew."""
    for message in messages:
        _hearings.pop(message, None)
