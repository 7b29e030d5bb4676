"""Transport: what carries the bytes of a round to the clients and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class Transport(Protocol):
    """Anything that can carry bytes to named clients."""

    def clients(self) -> Sequence[str]:
        """Return the names of the clients, in the order that "pooled" means."""

    def exchange(self, messages: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
        """Send each client its message and yield replies as they arrive, with who sent them."""
