"""A progress line for long fits: rounds done, clients answered."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Protocol, TextIO

PATIENCE = 1.0  # seconds before the line is shown: most fits are done by then


class Line(Protocol):
    """What a caller may give to show progress: see ``Federation(progress=...)``."""

    def update(self, number: int, answered: int) -> None:
        """Show how many clients have answered a round."""

    def close(self) -> None:
        """Remove it."""


# Whether to show progress, or a function that makes the line, given the number of clients.
Show = bool | Callable[[int], Line] | None


class Progress:
    """Writes one line and updates it, once a fit has taken a second."""

    def __init__(self, clients: int, *, show: Show = None, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._show = self._stream.isatty() if show is None else show
        self._other: Line | None = None
        self._clients = clients
        self._begun = time.monotonic()
        self._written = 0

    def update(self, number: int, answered: int) -> None:
        """Show how many clients have answered a round."""
        if not self._show or time.monotonic() - self._begun < PATIENCE:
            return
        if callable(self._show):
            self._other = self._other or self._show(self._clients)
            self._other.update(number, answered)
            return
        line = f"fedps: round {number}, {answered} of {self._clients} clients answered"
        self._write(line)

    def close(self) -> None:
        """Remove the line."""
        if self._other is not None:
            self._other.close()
        if self._written:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()

    def _write(self, line: str) -> None:
        self._stream.write("\r" + line.ljust(self._written))
        self._stream.flush()
        self._written = max(self._written, len(line))
