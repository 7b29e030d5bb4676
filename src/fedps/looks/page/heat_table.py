"""A table whose cells are shaded by how much they hold; hidden ones are hatched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fedps.looks.page.markup import digits, text

LONG_NAME = 16  # letters
_TAG = re.compile("<[^>]*>")


@dataclass(frozen=True)
class HeatCell:
    """A cell: its text, how strong its shade is from 0 to 1, and why it is hidden, if it is."""

    shown: str
    heat: float = 0.0
    hidden: str = ""


@dataclass(frozen=True)
class HeatRow:
    """A row: its label as HTML, and its cells. ``total`` sets it off from the others."""

    label: str
    cells: Sequence[HeatCell]
    total: bool = False


def heat_table(
    head: Sequence[str], rows: Iterable[HeatRow], *, caption: str, kind: str = ""
) -> str:
    """Return the table; ``head`` is text, that of the labels first. ``kind`` is a class for its style."""
    first, *others = head
    heads = "".join(f'<th scope="col">{text(name)}</th>' for name in others)
    body = "".join(_row(row) for row in rows)
    return (
        f'<table class="heat {kind}"><caption>{text(caption)}</caption>'
        f'<thead><tr><th scope="col" class="name">{text(first)}</th>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _row(row: HeatRow) -> str:
    cells = "".join(map(heat_cell, row.cells))
    kind = ' class="total"' if row.total else ""
    return f"<tr{kind}>{row_name(row.label)}{cells}</tr>"


def row_name(label: str) -> str:
    """Return the label of a row; a long one, of which a narrow table shows the beginning, says it on demand.

    >>> row_name("age")
    '<th scope="row" class="name">age</th>'
    """
    plain = _TAG.sub("", label)
    title = f' title="{plain}"' if len(plain) > LONG_NAME else ""
    return f'<th scope="row" class="name"{title}>{label}</th>'


def heat_cell(cell: HeatCell) -> str:
    """Return one cell.

    >>> heat_cell(HeatCell("12", 0.5)), heat_cell(HeatCell("< 5", hidden="Too few rows."))
    ('<td style="--h:50%">12</td>', '<td class="hatched" title="Too few rows.">&lt; 5</td>')
    """
    if cell.hidden:
        return f'<td class="hatched" title="{text(cell.hidden)}">{text(cell.shown)}</td>'
    shade = f' style="--h:{round(100 * cell.heat)}%"' if cell.heat > 0.005 else ""
    return f"<td{shade}>{digits(cell.shown)}</td>"
