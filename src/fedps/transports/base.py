"""Transport: what carries the bytes of a round to the clients and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable


class Lost(NamedTuple):
    """No reply came from a client. The reason can follow its name: "did not answer in 60 s"."""

    reason: str


@runtime_checkable
class Transport(Protocol):
    """Anything that can carry bytes to named clients."""

    def clients(self) -> Sequence[str]:
        """Return the names of the clients, in the order that "pooled" means."""

    def exchange(self, messages: Mapping[str, bytes]) -> Iterator[tuple[str, bytes | Lost]]:
        """Send each client its message; yield what came of each, as it comes, with whose it is.

        It never waits for ever: a client that does not answer in time is lost.
        """


@runtime_checkable
class Nameless(Transport, Protocol):
    """A transport that knows a client by its address until it has told its name, in a reply."""

    @property
    def names(self) -> Mapping[str, str]:
        """The names of the clients by address, as far as they are known."""

    @property
    def nameless(self) -> bool:
        """Whether some client has not told its name yet."""

    def introduce(self, names: Mapping[str, str]) -> None:
        """Call some clients by their names from now on, given by address; clients() is sorted."""
