"""Tables as HTML, for a notebook: long lists can be opened, levels are coloured labels.

Styles are inline, since notebooks strip style sheets from output that is not trusted. But for labels there are
no colours, so that tables are readable in light and dark notebooks.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fedps.report.levels import level_label, level_meanings
from fedps.report.section import Section, Shortened, one_line

_TITLE = "margin:10px 0 4px;font-weight:600"
_WIDE = "overflow-x:auto;margin:0 0 14px"
_TABLE = "border-collapse:collapse;border:0;margin:0;font-size:0.92em"
_CELL = "padding:3px 18px 3px 0;border:0;vertical-align:top;background:none;"
_TEXT = "text-align:left;white-space:normal;overflow-wrap:break-word;max-width:26em"
_WORD = "text-align:left;white-space:nowrap"
_SECONDARY = ";opacity:0.75"
_NUMBER = "text-align:right;white-space:nowrap"
_LINE = "border-bottom:1px solid rgba(128,128,128,0.35)"
_TOTAL = "border-top:1px solid rgba(128,128,128,0.35)"
_OPENED = "max-height:16em;overflow:auto;margin-top:3px"
_MEANINGS = "margin:-8px 0 14px;font-size:0.85em;line-height:1.9"
_SUMMARY = "cursor:pointer;margin:-8px 0 14px;font-size:0.92em"

_SHORT = 20  # characters of a text that is not broken


def as_html(section: Section) -> str:
    """Return a table as HTML; names are escaped."""
    title = f'<p style="{_TITLE}">{escape(section.title)}</p>' if section.title else ""
    return f"{title}{_table(section, section.at_first())}{_opened(section)}{_meanings(section)}"


def _table(section: Section, rows: Sequence[Sequence[str]]) -> str:
    styles = [_CELL + _column(section, j) for j in range(len(section.header))]
    first_total = len(rows) - len(section.totals)

    def cells(tag: str, row: Sequence[str], more: str = "") -> str:
        return "".join(
            f'<{tag} style="{style}{more}">{_cell(cell, name)}</{tag}>'
            for name, style, cell in zip(section.header, styles, row, strict=True)
        )

    head = f"<tr>{cells('th', section.header, ';' + _LINE)}</tr>"
    body = "".join(
        f'<tr style="background:none">'
        f"{cells('td', row, ';' + _TOTAL if i == first_total else '')}</tr>"
        for i, row in enumerate(rows)
    )
    table = f'<table style="{_TABLE}"><thead>{head}</thead><tbody>{body}</tbody></table>'
    return f'<div style="{_WIDE}">{table}</div>'


def _column(section: Section, j: int) -> str:
    """Return the style of a column: short texts are not broken, and names of statistics stand back."""
    name = section.header[j]
    if name in section.numbers:
        return _NUMBER
    is_short = all(len(row[j]) <= _SHORT for row in (*section.rows, *section.totals))
    return (_WORD if is_short else _TEXT) + (_SECONDARY if name == "statistic" else "")


def _cell(cell: str, column: str) -> str:
    """Return what is in a cell: a list that can be opened, a label, or text."""
    if isinstance(cell, Shortened) and cell.is_short:
        return (
            f'<details><summary style="cursor:pointer">{escape(one_line(cell))}</summary>'
            f'<div style="{_OPENED}">{escape(one_line(cell.whole))}</div></details>'
        )
    return level_label(one_line(cell)) if column == "level" else escape(one_line(cell))


def _opened(section: Section) -> str:
    """Return all rows, to be opened, of a table that does not show them at first."""
    if not section.hidden:
        return ""
    every = [*section.rows, *section.totals]
    return (
        f'<details><summary style="{_SUMMARY}">Show all {len(section.rows):,} rows</summary>'
        f"{_table(section, every)}</details>"
    )


def _meanings(section: Section) -> str:
    """Return what the levels in a table mean, if it is to say so."""
    if not section.explained:
        return ""
    at = section.header.index("level")
    said = level_meanings(row[at] for row in section.rows)
    lines = "<br>".join(f"{level_label(name)} {escape(means)}" for name, means in said.items())
    return f'<p style="{_MEANINGS}">{lines}</p>' if lines else ""
