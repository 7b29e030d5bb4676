"""Section: a titled table. Its cells are texts; some of them are shortened, and can be opened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

FEW_NAMES = 4  # more names would make a table wider than a terminal


class Shortened(str):
    """A text that leaves something out, and the whole of it.

    >>> Shortened("abc...", "abcdefgh"), Shortened("abc...", "abcdefgh").whole
    ('abc...', 'abcdefgh')
    """

    __slots__ = ("whole",)
    whole: str

    def __new__(cls, text: str, whole: str) -> Self:
        """Return the text, which has the whole."""
        made = super().__new__(cls, text)
        made.whole = whole
        return made

    @property
    def is_short(self) -> bool:
        """Whether something is left out."""
        return self != self.whole


class Names(Shortened):
    """Names as a cell: the first few of many as its text, and all of them.

    Nothing is left out that is as short as saying so: one name more than ``most`` is shown.

    >>> Names("abcdef"), Names("abcde"), Names("abcdef").whole
    ('a, b, c, d and 2 more', 'a, b, c, d, e', 'a, b, c, d, e, f')
    """

    __slots__ = ()

    def __new__(cls, names: Iterable[object], most: int = FEW_NAMES, before: str = "") -> Self:
        """Return the cell; ``before`` stands in front of the names."""
        every = [str(name) for name in names]
        few = len(every) <= most + 1
        text = ", ".join(every if few else every[:most])
        more = "" if few else f" and {len(every) - most} more"
        return super().__new__(cls, before + text + more, before + ", ".join(every))


@dataclass(frozen=True)
class Section:
    """A titled table.

    Attributes
    ----------
    title : str
        What stands above it.
    header : sequence of str
        The names of its columns. Cells of one that is called "level" are told apart by colour.
    rows : sequence of sequences of str
        Its cells; those that are ``Shortened``, such as ``Names``, can be opened.
    numbers : frozenset of str
        The columns that are aligned to the right.
    most : int or None
        How many rows are shown at first. None: all.
    totals : sequence of sequences of str
        Rows at the end, which are always shown.
    explained : bool
        Whether it says below what its levels mean.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[str] = field(default_factory=frozenset)
    most: int | None = None
    totals: Sequence[Sequence[str]] = ()
    explained: bool = False

    @property
    def hidden(self) -> int:
        """How many rows are not shown at first; never just one."""
        more = 0 if self.most is None else len(self.rows) - self.most
        return more if more > 1 else 0

    @property
    def is_short(self) -> bool:
        """Whether rows or names are left out at first."""
        cells = (cell for row in self.rows for cell in row)
        return self.hidden > 0 or any(
            isinstance(cell, Shortened) and cell.is_short for cell in cells
        )

    def at_first(self) -> Sequence[Sequence[str]]:
        """Return the rows that are shown at first, then how many follow, then the totals."""
        if not self.hidden:
            return [*self.rows, *self.totals]
        more = (f"... and {self.hidden:,} more", *[""] * (len(self.header) - 1))
        return [*self.rows[: self.most], more, *self.totals]

    def whole(self) -> Sequence[Sequence[str]]:
        """Return all rows, with all names."""
        return [[whole_cell(cell) for cell in row] for row in (*self.rows, *self.totals)]


def whole_cell(cell: str) -> str:
    """Return a cell with all that it leaves out at first."""
    return cell.whole if isinstance(cell, Shortened) else cell


def one_line(cell: str) -> str:
    """Return a cell in one line: names may hold line breaks and control characters."""
    return "".join(c if c.isprintable() else " " for c in str(cell))


def size(n: int) -> str:
    """Return a number of bytes as people read it.

    >>> size(640), size(12_300), size(4_500_000)
    ('640 B', '12.3 KB', '4.5 MB')
    """
    if n < 1000:
        return f"{n} B"
    return f"{n / 1000:.1f} KB" if n < 10**6 else f"{n / 10**6:.1f} MB"


def count(n: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "round"), count(2, "round")
    ('1 round', '2 rounds')
    """
    return f"{n:,} {noun}" + ("" if n == 1 else "s")
