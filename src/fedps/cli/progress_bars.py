"""Progress bars in a terminal: over the clients of a round, or the rows of a file."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from fedps.report.progress_lines import ExpectedRounds, round_in_words


class ProgressBar:
    """A bar on stderr if that is a terminal; it disappears when the work is done.

    Parameters
    ----------
    what : str
        What is being done.
    total : int
        How much there is to do, in ``unit``.
    unit : str
        Such as ``"rows"``.
    """

    def __init__(self, what: str, total: int, unit: str) -> None:
        self._bar: Progress | None = None
        self._task = TaskID(0)
        if sys.stderr.isatty():
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=24),
                TextColumn("{task.completed:,.0f} of {task.total:,.0f} {task.fields[unit]}"),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(what, total=total, unit=unit)
            self._bar.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def show(self, completed: int, what: str | None = None) -> None:
        """Show how much is done, and of what."""
        if self._bar is not None:
            self._bar.update(self._task, completed=completed, description=what)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()


class RoundBar(ProgressBar):
    """How many clients have answered the current round of a fit, for ``Federation(progress=...)``."""

    def __init__(self, clients: int) -> None:
        super().__init__("round 1", clients, "clients")
        self._expected: ExpectedRounds | None = None

    def expect(self, rounds: int, or_more: bool) -> None:
        """Note how many rounds a fit takes, at least if ``or_more``."""
        self._expected = ExpectedRounds(rounds, or_more)

    def update(self, number: int, answered: int) -> None:
        """Show how many clients have answered a round."""
        self.show(answered, round_in_words(number, self._expected))
