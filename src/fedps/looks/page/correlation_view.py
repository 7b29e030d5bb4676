"""Correlations on a page: the map, its legend, the strongest pairs and the largest VIF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fedps.looks.formats import correlation_text, number_text
from fedps.looks.page.correlation_map import MOST_BESIDE, SHADES, correlation_map
from fedps.looks.page.heat_table import HeatCell, HeatRow, heat_cell, heat_table
from fedps.looks.page.markup import note_list, text
from fedps.looks.strongest_pairs import strongest_pairs
from fedps.report.rendering import count

Array = np.ndarray[Any, Any]

MOST_LISTED = 12
SUSPECT = 10.0  # a VIF above is commonly taken as a sign of collinear columns


def correlation_view(
    names: Sequence[Any],
    matrix: Array,
    rows: Array,
    vif: Array,
    marks: Mapping[tuple[int, int], str],
) -> str:
    """Return the map with what explains it."""
    drawn = correlation_map(names, matrix, rows, vif, marks)
    return (
        '<p class="aside">Pearson\'s correlation over the rows that have both cells. Point at a square, or '
        "focus the map and use the arrow keys.</p>"
        f'<div class="correlation{" wide" if len(names) > MOST_BESIDE else ""}"><div>'
        '<div class="scroll maps" tabindex="0" role="group" '
        f'aria-label="Map of the correlations of {count(len(names), "column")}" '
        f'aria-describedby="readout">{drawn}</div>{_legend()}<p id="readout" class="readout" '
        f'aria-live="polite">&nbsp;</p></div><div>{_pairs(names, matrix, rows)}{_vif(names, vif)}</div></div>'
    )


def vif_notes(complete: int, notes: Sequence[str]) -> str:
    """Return from how many rows VIF is, and what sites kept back."""
    about = f"VIF is from the {count(complete, 'row')} without gaps in any of these columns."
    return f'<p class="aside">{about}</p>{note_list(notes)}'


def _legend() -> str:
    levels = [*range(-SHADES, SHADES + 1, 2)]
    steps = "".join(f'<i class="{"n" if k < 0 else "p"}{abs(k)}"></i>' for k in levels)
    return (
        f'<p class="legend"><span class="ramp">−1 {steps} 1</span>'
        '<span><i class="hatched"></i> not defined, or kept back</span></p>'
    )


def _pairs(names: Sequence[Any], matrix: Array, rows: Array) -> str:
    pairs = strongest_pairs(matrix, MOST_LISTED)
    if not pairs:
        return ""
    lines = "".join(
        f'<tr><th scope="row" class="name">{text(names[j])} <span>and</span> {text(names[i])}</th>'
        f"{_pair_cell(float(matrix[i, j]))}<td>{int(rows[i, j]):,}</td></tr>"
        for i, j in pairs
    )
    return (
        '<table class="heat"><caption>Strongest pairs</caption><thead><tr><th scope="col" class="name">'
        'Columns</th><th scope="col">r</th><th scope="col">Rows</th></tr></thead>'
        f"<tbody>{lines}</tbody></table>"
    )


def _pair_cell(value: float) -> str:
    cell = heat_cell(HeatCell(correlation_text(value), abs(value)))
    return cell.replace("<td", '<td class="warm"', 1) if value > 0 else cell


def _vif(names: Sequence[Any], vif: Array) -> str:
    known = [k for k in range(len(names)) if not np.isnan(vif[k])]
    known.sort(key=lambda k: -vif[k])
    rows = [
        HeatRow(text(names[k]), [HeatCell(number_text(float(vif[k])), min(1, vif[k] / SUSPECT))])
        for k in known[:MOST_LISTED]
    ]
    if not rows:
        return ""
    return heat_table(("Column", "VIF"), rows, caption="Largest variance inflation", kind="warm")
