"""Rendered: what shows itself as tables, as text, Markdown and HTML."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

from fedps.report.html_table import as_html
from fedps.report.levels import has_colours
from fedps.report.section import Names, Section, Shortened, count, one_line, size
from fedps.report.text_table import NO_TERMINAL, as_text

__all__ = [
    "Names",
    "Rendered",
    "Section",
    "Shortened",
    "as_html",
    "as_markdown",
    "as_text",
    "count",
    "size",
    "text_width",
]

NARROWEST = 80  # tables are not made narrower than this: in a smaller terminal, lines wrap


class Rendered:
    """Something that shows itself as tables: text in a terminal, HTML in a notebook."""

    whole_by = ".to_text(full=True)"  # what shows the lists whole that are shortened in the text

    def sections(self) -> list[Section]:
        """Return the tables to show."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._text(full=False, colour=has_colours(sys.stdout))

    def __str__(self) -> str:
        return self._text(full=False, colour=False)  # it may go into a file

    def _repr_html_(self) -> str:
        return "<div>" + "".join(as_html(section) for section in self.sections()) + "</div>"

    def _text(self, *, full: bool, colour: bool) -> str:
        found, width = self.sections(), text_width()
        texts = [as_text(section, width, full=full, colour=colour) for section in found]
        if not full and any(section.is_short for section in found):
            texts.append(f"Long lists are shortened: {self.whole_by} shows them whole.")
        return "\n\n".join(texts)

    def to_text(self, *, full: bool = False) -> str:
        """Return the tables as text, without colours; with ``full``, long lists are whole."""
        return self._text(full=full, colour=False)

    def to_html(self) -> str:
        """Return the tables as HTML. Long lists can be opened."""
        return self._repr_html_()

    def to_markdown(self) -> str:
        """Return the tables as Markdown. Long lists are whole."""
        return "\n\n".join(as_markdown(section) for section in self.sections())


def text_width() -> int:
    """Return how wide tables may be in the terminal."""
    return max(shutil.get_terminal_size((NO_TERMINAL, 24)).columns, NARROWEST)


def as_markdown(section: Section) -> str:
    """Return a table as Markdown."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(one_line(c).replace("|", "\\|") for c in cells) + " |"

    rule = line(["---:" if name in section.numbers else "---" for name in section.header])
    return "\n".join(
        [f"**{section.title}**", "", line(section.header), rule, *map(line, section.whole())]
    )
