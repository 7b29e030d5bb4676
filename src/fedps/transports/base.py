"""Transport: what carries the bytes of a round to the clients and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable


class Lost(NamedTuple):
    """No reply came from a client.

    Parameters
    ----------
    reason : str
        What follows the client's name in an error, such as "did not answer within 60 seconds".
    """

    reason: str


@runtime_checkable
class Transport(Protocol):
    """What carries bytes to named clients: implement it to run FedPS on another engine."""

    def clients(self) -> Sequence[str]:
        """Return the names of the clients, in the order that "pooled" means."""

    def exchange(self, messages: Mapping[str, bytes]) -> Iterator[tuple[str, bytes | Lost]]:
        """Send each client its message; yield the client's name and its reply, as replies arrive.

        It must not wait for ever: for a client that does not answer in time, it yields ``Lost``.
        """


@runtime_checkable
class Nameless(Transport, Protocol):
    """A transport that knows clients by their addresses until a reply tells their names."""

    @property
    def names(self) -> Mapping[str, str]:
        """The names of the clients by address, as far as they are known."""

    @property
    def nameless(self) -> bool:
        """Whether some client has not told its name yet."""

    def introduce(self, names: Mapping[str, str]) -> None:
        """Use names instead of addresses from now on; ``clients()`` is then sorted by name."""
