"""check_chain: which lines of a ledger were removed, changed or inserted."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from fedps.client.ledger.entry import line_digest
from fedps.client.ledger.index_file import index_path, read_state
from fedps.client.ledger.ledger_lines import numbered_lines

_LOST = "removed or changed, or are of a file that was here before: if you moved that one away, remove {!r}"
_REMEMBERED = 10_000  # lines back that one is found which others were inserted after


class ChainProblem(NamedTuple):
    """Lines of a ledger, from the first to the last of them, and what happened to them."""

    first: int
    last: int
    what: str

    def __str__(self) -> str:
        if self.first == self.last:
            return f"line {self.first} was {self.what}"
        return f"lines {self.first} to {self.last} were {self.what}"


class _Link(Struct):
    """What a line says about the one before it."""

    line: int = 0
    before: str = ""


_decoder = msgspec.json.Decoder(_Link)


def check_chain(path: str | Path) -> list[ChainProblem]:
    r"""Return which lines of a ledger were removed, changed or inserted; nothing if none were.

    Each line has its number and the digest of the line before. Lines of older versions of FedPS have
    neither: the check begins after them. A line that broke off because a machine stopped is no problem. Whether
    lines at the end were cut off is known from the index beside the ledger, and without it cannot be known;
    neither can a change of the very last line.

    Parameters
    ----------
    path : str or Path
        The ledger file.

    Examples
    --------
    >>> import tempfile
    >>> from fedps.client import Ledger
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ledger.jsonl"
    ...     ledger = Ledger(path)
    ...     for column in ("age", "bmi", "pain"):
    ...         ledger.note(1, "Moments", (column,), "AGGREGATE", b"", "sent")
    ...     ledger.commit()
    ...     first, second, third = path.read_text().splitlines()
    ...     _ = path.write_text(f"{first}\n{third}\n")
    ...     [str(problem) for problem in check_chain(path)]
    ['line 2 was removed']
    """
    return walk_chain(path).problems


class ChainReport(NamedTuple):
    """What was found in the chain of a ledger's lines.

    ``unchained`` are lines at the beginning that an older version wrote. ``knows_end`` says whether there
    is an index, by which it is known where the file ends.
    """

    problems: list[ChainProblem]
    lines: int
    unchained: int
    knows_end: bool


def walk_chain(path: str | Path) -> ChainReport:
    """Return what ``check_chain`` finds, and how much it could check."""
    ledger = Path(path).expanduser().resolve()
    state = read_state(ledger)  # before the file, which may grow meanwhile
    walk, is_there = _Walk(), state is None or state.offset == 0
    with ledger.open("rb") as file:
        for number, _, line in numbered_lines(file):
            walk.step(number, line)
            is_there = is_there or (state is not None and walk.digest == state.digest)
    if state is not None and not is_there:
        if state.lines > walk.number:
            walk.note(walk.number + 1, state.lines, "removed at the end")
        else:
            walk.note(walk.position, walk.position, "changed, or others were removed at the end")
    if state is not None and state.lost:
        walk.note(1, state.lost, _LOST.format(index_path(ledger).name))
    return ChainReport(walk.problems, walk.position, walk.unchained, state is not None)


class _Walk:
    """Goes from line to line, and keeps where the last one is, its own number and its digest."""

    def __init__(self) -> None:
        self.problems: list[ChainProblem] = []
        self.position = self.number = 0
        self.digest = ""
        self.unchained = 0
        self._has_begun = False
        self._seen: OrderedDict[str, int] = OrderedDict()  # where lines are, by their digests

    def note(self, first: int, last: int, what: str) -> None:
        """Note what happened to some lines."""
        self.problems.append(ChainProblem(first, last, what))

    def step(self, position: int, line: bytes) -> None:
        """Check what a line says about the one before."""
        expected = self.number + 1
        try:
            link = _decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            link = None  # it broke off: the next line knows whether it was always so
        self.number = expected
        if link is not None and link.line:
            self._has_begun = True
            if link.before != self.digest:
                self._explain(link, expected)
                self.number = link.line
        elif link is not None and self._has_begun:
            self.note(position, position, "inserted, or written by an older version of FedPS")
        self.unchained += not self._has_begun
        self.position, self.digest = position, line_digest(line.rstrip(b"\n"))
        self._seen[self.digest] = position
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)

    def _explain(self, link: _Link, expected: int) -> None:
        """Note why a line does not follow the one before it."""
        after = self._seen.get(link.before)
        if link.before == "":
            after = 0
        if after is not None and after < self.position:
            self.note(after + 1, self.position, "inserted or moved there")
        elif link.line > expected:
            self.note(expected, link.line - 1, "removed")
        else:
            self.note(self.position, self.position, "changed")
