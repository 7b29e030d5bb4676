"""Tables as text, Markdown and HTML."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from unicodedata import combining, east_asian_width

NARROWEST = 80  # tables are not made narrower than this: in a smaller terminal, lines wrap
NO_TERMINAL = 100  # the width if the output is not a terminal
LEAST = 14  # no column is made narrower than this

# No colours, so that tables are readable in light and dark notebooks.
TITLE = "margin:10px 0 4px;font-weight:600"
TABLE = "border-collapse:collapse;border:0;margin:0 0 14px;font-size:0.92em"
CELL = "padding:3px 18px 3px 0;border:0;vertical-align:top;background:none;"
TEXT = "text-align:left;white-space:normal;overflow-wrap:break-word;max-width:26em"
NUMBER = "text-align:right;white-space:nowrap"
LINE = "border-bottom:1px solid rgba(128,128,128,0.35)"


@dataclass(frozen=True)
class Section:
    """A titled table; ``numbers`` names the columns that are aligned to the right."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[str] = field(default_factory=frozenset)


class Rendered:
    """Something that shows itself as tables: text in a terminal, HTML in a notebook."""

    def sections(self) -> list[Section]:
        """Return the tables to show."""
        raise NotImplementedError

    def __repr__(self) -> str:
        width = shutil.get_terminal_size((NO_TERMINAL, 24)).columns
        return "\n\n".join(as_text(section, max(width, NARROWEST)) for section in self.sections())

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return "<div>" + "".join(as_html(section) for section in self.sections()) + "</div>"

    def to_html(self) -> str:
        """Return the tables as HTML."""
        return self._repr_html_()

    def to_markdown(self) -> str:
        """Return the tables as Markdown."""
        return "\n\n".join(as_markdown(section) for section in self.sections())


def as_text(section: Section, width: int = NO_TERMINAL) -> str:
    """Return a table for a terminal of some width; long cells are wrapped.

    >>> print(as_text(Section("Cost", ("client", "sent"), [("oslo", "12 B")])))
    Cost
      client  sent
      ------  ----
      oslo    12 B
    """
    texts = [section.header, *section.rows]
    natural = [max(_width(_plain(row[j])) for row in texts) for j in range(len(section.header))]
    most = _squeezed(natural, width - 2 * len(natural))
    table = [[_broken(_plain(c), w) for c, w in zip(row, most, strict=True)] for row in texts]
    widths = [max(_width(line) for row in table for line in row[j]) for j in range(len(natural))]
    right = [name in section.numbers for name in section.header]
    header, *rows = [list(_lines(row, widths, right)) for row in table]
    rule = "  " + "  ".join("-" * w for w in widths)
    return "\n".join([section.title, *header, rule, *(line for row in rows for line in row)])


def as_markdown(section: Section) -> str:
    """Return a table as Markdown."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(_plain(c).replace("|", "\\|") for c in cells) + " |"

    rule = line(["---:" if name in section.numbers else "---" for name in section.header])
    return "\n".join(
        [f"**{section.title}**", "", line(section.header), rule, *map(line, section.rows)]
    )


def as_html(section: Section) -> str:
    """Return a table as HTML; names are escaped."""
    styles = [CELL + (NUMBER if name in section.numbers else TEXT) for name in section.header]

    def cells(tag: str, row: Sequence[str], more: str) -> str:
        return "".join(
            f'<{tag} style="{style}{more}">{escape(_plain(cell))}</{tag}>'
            for style, cell in zip(styles, row, strict=True)
        )

    head = f"<tr>{cells('th', section.header, ';' + LINE)}</tr>"
    body = "".join(
        f'<tr style="background:none">{cells("td", row, "")}</tr>' for row in section.rows
    )
    title = f'<p style="{TITLE}">{escape(section.title)}</p>'
    return f'{title}<table style="{TABLE}"><thead>{head}</thead><tbody>{body}</tbody></table>'


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


def _plain(cell: str) -> str:
    """Return a cell in one line: names may hold line breaks and control characters."""
    return "".join(c if c.isprintable() else " " for c in str(cell))


def _squeezed(widths: Sequence[int], room: int) -> list[int]:
    """Return column widths that fit into the room; the widest columns shrink first."""
    fitting = list(widths)
    while sum(fitting) > room and max(fitting) > LEAST:
        fitting[fitting.index(max(fitting))] -= 1
    return fitting


def _lines(
    row: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[bool]
) -> Iterator[str]:
    """Yield the lines of one row, whose cells are lists of lines."""
    for i in range(max(map(len, row))):
        padded = []
        for cell, width, to_the_right in zip(row, widths, right, strict=True):
            text = cell[i] if i < len(cell) else ""
            space = " " * (width - _width(text))
            padded.append(space + text if to_the_right else text + space)
        yield ("  " + "  ".join(padded)).rstrip()


def _broken(text: str, width: int) -> list[str]:
    """Return a text in lines of some width, broken at spaces, and inside words that are too long.

    >>> _broken("age, cholesterol", 10)
    ['age,', 'cholestero', 'l']
    """
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if _width(joined) <= width:
            lines[-1] = joined
            continue
        lines.append("")
        for letter in word:
            if _width(lines[-1] + letter) > width:
                lines.append("")
            lines[-1] += letter
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def _width(text: str) -> int:
    """Return how many columns a text takes in a terminal."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
