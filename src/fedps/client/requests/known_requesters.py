"""KnownRequesters: answers only runs that certain users have started."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from fedps.protocol.messages import Refusal, Request


class Consent(Protocol):
    """What decides whether a client answers a request at all."""

    def check(self, request: Request, peer: str) -> Refusal | None:
        """Return None, or why the request is not answered."""


class KnownRequesters:
    """Refuses all runs but those of some users. The refusal does not tell who they are.

    Parameters
    ----------
    known : collection of str
        The users that are answered.
    requester : str
        Who started the run, as the engine says; empty if it says nobody.
    then : Consent, optional
        What else must agree.
    """

    def __init__(self, known: Collection[str], requester: str, then: Consent | None = None) -> None:
        self._answers = bool(requester) and requester in known
        self._then = then

    def check(self, request: Request, peer: str) -> Refusal | None:
        """Return None for a known user's request that is also agreed to otherwise."""
        if not self._answers:
            return Refusal("requesters", "answers only the users that it lists, not this run's")
        return None if self._then is None else self._then.check(request, peer)
