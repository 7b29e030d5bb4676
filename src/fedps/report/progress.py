"""Progress of long fits: the round, how many are expected, who answered, and for how long it runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import TextIO

from fedps.report.progress_lines import (
    CallersLine,
    ExpectedRounds,
    Line,
    NotebookLine,
    State,
    TerminalLine,
    in_notebook,
)

PATIENCE = 1.0  # seconds before anything is shown: most fits are done by then
TICK = 1.0  # seconds after which the time is written anew, if nothing else happens

# Whether to show progress, or a function that makes the line, given the number of clients.
Show = bool | Callable[[int], Line] | None
# Returns how many rounds are expected, or None as long as that is not known.
Expect = Callable[[], ExpectedRounds | None]


def wants_progress(show: Show) -> bool:
    """Return whether progress is to be shown; by default, in a terminal and in a notebook."""
    return bool((sys.stderr.isatty() or in_notebook()) if show is None else show)


class Progress:
    """Shows one line and updates it, once a fit has taken a second.

    Parameters
    ----------
    clients : int
        How many clients are asked.
    show : bool, callable or None
        Whether to show it, or what makes another line. None: in a terminal and in a notebook.
    stream : text stream, default=None
        Where to write. Default: the notebook, or stderr.
    begun : float, default=None
        When the call began, by ``time.monotonic``. Default: now.
    expect : callable, default=None
        Tells how many rounds are expected. It is asked once in a round, and only of a fit that takes long.
    """

    def __init__(
        self,
        clients: int,
        *,
        show: Show = None,
        stream: TextIO | None = None,
        begun: float | None = None,
        expect: Expect | None = None,
    ) -> None:
        self._stream = stream
        self._show = (stream.isatty() if stream else wants_progress(None)) if show is None else show
        self._begun = time.monotonic() if begun is None else begun
        self._expect = expect
        self._state = State(0, 0, clients)
        self._line: CallersLine | NotebookLine | TerminalLine | None = None
        self._asked_in = 0
        self._lock, self._over = Lock(), Event()
        self._ticker: Thread | None = None

    def start(self, number: int) -> None:
        """Note that a round begins. If nobody answers, its line appears after a while all the same."""
        with self._lock:
            self._state = self._state._replace(number=number, answered=0)
        if self._ticker is None and self._show:
            self._ticker = Thread(target=self._tick, name="fedps progress", daemon=True)
            self._ticker.start()

    def update(self, number: int, answered: int) -> None:
        """Show how many clients have answered a round."""
        if not self._show:
            return
        with self._lock:
            self._state = self._state._replace(number=number, answered=answered)
        if time.monotonic() - self._begun >= PATIENCE:
            self._look_ahead(number)
            self._draw()

    def close(self) -> None:
        """Remove the line."""
        self._over.set()
        if self._ticker is not None:
            self._ticker.join()
        if self._line is not None:
            self._line.close()

    def _look_ahead(self, number: int) -> None:
        """Find out how many rounds are expected, if that is not known yet."""
        if self._expect is None or self._state.expected is not None or self._asked_in == number:
            return
        self._asked_in = number
        expected = self._expect()
        with self._lock:
            self._state = self._state._replace(expected=expected)

    def _tick(self) -> None:
        while not self._over.wait(max(TICK, PATIENCE)):
            self._draw()

    def _draw(self) -> None:
        with self._lock:
            if self._line is None:
                self._line = self._made()
            self._line.show(self._state._replace(seconds=time.monotonic() - self._begun))

    def _made(self) -> CallersLine | NotebookLine | TerminalLine:
        if callable(self._show):
            return CallersLine(self._show(self._state.clients))
        if self._stream is None and in_notebook():
            return NotebookLine()
        return TerminalLine(self._stream or sys.stderr)
