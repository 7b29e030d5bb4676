"""Where progress is shown: a terminal, a notebook, or what the caller gave."""

from __future__ import annotations

import sys
from html import escape
from typing import Any, NamedTuple, Protocol, TextIO


class ExpectedRounds(NamedTuple):
    """How many rounds a fit takes, at least if ``or_more``: that depends on cells."""

    rounds: int
    or_more: bool = False


class State(NamedTuple):
    """How far a fit is."""

    number: int
    answered: int
    clients: int
    expected: ExpectedRounds | None = None
    seconds: float = 0.0

    def words(self) -> str:
        """Return it in words.

        >>> State(2, 11, 12, ExpectedRounds(3, or_more=True), 64.2).words()
        'round 2 of 3 or more, 11 of 12 clients answered, 1:04'
        """
        minutes, seconds = divmod(int(self.seconds), 60)
        return (
            f"{round_in_words(self.number, self.expected)}, {self.answered} of {self.clients} clients "
            f"answered, {minutes}:{seconds:02}"
        )


def round_in_words(number: int, expected: ExpectedRounds | None) -> str:
    """Return a round, and of how many it is, as far as that is known.

    >>> expected = ExpectedRounds(3)
    >>> round_in_words(2, expected), round_in_words(4, expected), round_in_words(2, None)
    ('round 2 of 3', 'round 4', 'round 2')
    """
    if expected is None or number > expected.rounds:
        return f"round {number}"
    return f"round {number} of {expected.rounds}{' or more' * expected.or_more}"


class Line(Protocol):
    """What a caller may give to show progress: see ``Federation(progress=...)``.

    If it has ``expect(rounds, or_more)``, too, that is called once it is known how many rounds to expect.
    """

    def update(self, number: int, answered: int) -> None:
        """Show how many clients have answered a round."""

    def close(self) -> None:
        """Remove it."""


class CallersLine:
    """A line that the caller gave. It is told what is new, and keeps the time itself."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._expected: ExpectedRounds | None = None
        self._told = (0, 0)

    def show(self, state: State) -> None:
        """Tell it what is new."""
        if state.expected is not None and self._expected is None:
            self._expected = state.expected
            if expect := getattr(self._line, "expect", None):
                expect(*state.expected)
        if (state.number, state.answered) != self._told:
            self._told = (state.number, state.answered)
            self._line.update(*self._told)

    def close(self) -> None:
        """Remove it."""
        self._line.close()


class TerminalLine:
    """One line of a terminal, written anew."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._written = 0

    def show(self, state: State) -> None:
        """Write it."""
        self._write(f"fedps: {state.words()}")

    def close(self) -> None:
        """Remove it."""
        self._write("")
        self._stream.write("\r")
        self._stream.flush()

    def _write(self, line: str) -> None:
        self._stream.write("\r" + line.ljust(self._written))
        self._stream.flush()
        self._written = max(self._written, len(line))


class NotebookLine:
    """A bar and a line in the output of a cell, in any notebook with a kernel of IPython."""

    def __init__(self) -> None:
        self._display: Any = None

    def show(self, state: State) -> None:
        """Display it, or change what is displayed."""
        words = escape(state.words())
        bar = f'<progress max="{state.clients}" value="{state.answered}"></progress>'
        self._put({"text/plain": f"fedps: {words}", "text/html": f"<div>{bar} {words}</div>"})

    def close(self) -> None:
        """Remove it."""
        self._put({"text/plain": "", "text/html": ""})

    def _put(self, data: dict[str, str]) -> None:
        if self._display is None:
            from IPython.display import display

            self._display = display(data, raw=True, display_id=True)
        else:
            self._display.update(data, raw=True)


def in_notebook() -> bool:
    """Return whether this runs in a kernel of IPython, as notebooks do. Nothing is imported for that."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None
