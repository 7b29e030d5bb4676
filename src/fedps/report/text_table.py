"""Tables as text, for a terminal of some width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

from fedps.report.levels import in_colour, level_meanings
from fedps.report.section import Section, one_line

NO_TERMINAL = 100  # the width if the output is not a terminal
LEAST = 14  # no column is made narrower than this


def as_text(
    section: Section, width: int = NO_TERMINAL, *, full: bool = False, colour: bool = False
) -> str:
    """Return a table for a terminal of some width; long cells are wrapped.

    With ``full``, long lists are shown whole. With ``colour``, levels have colours.

    >>> print(as_text(Section("Cost", ("client", "sent"), [("oslo", "12 B")])))
    Cost
      client  sent
      ------  ----
      oslo    12 B
    """
    rows = section.whole() if full else section.at_first()
    texts = [[one_line(cell) for cell in row] for row in (section.header, *rows)]
    natural = [max(_width(row[j]) for row in texts) for j in range(len(section.header))]
    most = _squeezed(natural, width - 2 * len(natural))
    table = [[_broken(cell, w) for cell, w in zip(row, most, strict=True)] for row in texts]
    widths = [max(_width(line) for row in table for line in row[j]) for j in range(len(natural))]
    right = [name in section.numbers for name in section.header]
    painted = [colour and name == "level" for name in section.header]
    header, *body = [list(_lines(row, widths, right, painted)) for row in table]
    rule = "  " + "  ".join("-" * w for w in widths)
    lines = [*header, rule, *(line for row in body for line in row), *_meanings(section)]
    return "\n".join([section.title, *lines])


def _meanings(section: Section) -> Iterator[str]:
    """Yield what the levels in a table mean, if it is to say so."""
    if section.explained:
        at = section.header.index("level")
        for name, means in level_meanings(row[at] for row in section.rows).items():
            yield f"{name}: {means}"


def _squeezed(widths: Sequence[int], room: int) -> list[int]:
    """Return column widths that fit into the room; the widest columns shrink first."""
    fitting = list(widths)
    while sum(fitting) > room and max(fitting) > LEAST:
        fitting[fitting.index(max(fitting))] -= 1
    return fitting


def _lines(
    row: Sequence[Sequence[str]],
    widths: Sequence[int],
    right: Sequence[bool],
    painted: Sequence[bool],
) -> Iterator[str]:
    """Yield the lines of a row whose cells have several lines."""
    for i in range(max(map(len, row))):
        padded = []
        for cell, width, to_the_right, has_colour in zip(row, widths, right, painted, strict=True):
            text = cell[i] if i < len(cell) else ""
            space = " " * (width - _width(text))
            text = in_colour(text) if has_colour else text
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
