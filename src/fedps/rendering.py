"""Tables as text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from unicodedata import combining, east_asian_width


@dataclass(frozen=True)
class Section:
    """A titled table."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Rendered:
    """Something that shows itself as tables: text in a terminal, HTML in a notebook."""

    def sections(self) -> list[Section]:
        """Return the tables to show."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n\n".join(as_text(section) for section in self.sections())

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return "".join(as_html(section) for section in self.sections())

    def to_html(self) -> str:
        """Return the tables as HTML."""
        return self._repr_html_()

    def to_markdown(self) -> str:
        """Return the tables as Markdown."""
        return "\n\n".join(as_markdown(section) for section in self.sections())


def as_text(section: Section) -> str:
    """Return a table for a terminal.

    >>> print(as_text(Section("Cost", ("client", "sent"), [("oslo", "12 B")])))
    Cost
      client  sent
      ------  ----
      oslo    12 B
    """
    table = [list(section.header), *([str(c) for c in row] for row in section.rows)]
    widths = [max(_width(row[j]) for row in table) for j in range(len(section.header))]
    table.insert(1, ["-" * width for width in widths])
    lines = [
        "  " + "  ".join(c + " " * (w - _width(c)) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    return "\n".join([section.title, *lines])


def as_markdown(section: Section) -> str:
    """Return a table as Markdown."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |"

    rule = line(["---"] * len(section.header))
    return "\n".join([f"**{section.title}**", "", line(section.header), rule, *map(line, section.rows)])


def as_html(section: Section) -> str:
    """Return a table as HTML; names are escaped."""
    style = "text-align:left;padding:2px 12px 2px 0"
    head = "".join(f'<th style="{style}">{escape(c)}</th>' for c in section.header)
    body = "".join(
        "<tr>" + "".join(f'<td style="{style}">{escape(str(c))}</td>' for c in row) + "</tr>"
        for row in section.rows
    )
    caption = f'<p style="margin:8px 0 4px"><b>{escape(section.title)}</b></p>'
    return f"{caption}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def size(n: int) -> str:
    """Return a number of bytes as people read it.

    >>> size(640), size(12_300), size(4_500_000)
    ('640 B', '12.3 KB', '4.5 MB')
    """
    if n < 1000:  # noqa: PLR2004
        return f"{n} B"
    return f"{n / 1000:.1f} KB" if n < 10**6 else f"{n / 10**6:.1f} MB"


def count(n: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "round"), count(2, "round")
    ('1 round', '2 rounds')
    """
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _width(text: str) -> int:
    """Return how many columns a text takes in a terminal."""
    return sum(
        0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text
    )
