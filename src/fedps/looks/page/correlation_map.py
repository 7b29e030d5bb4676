"""The map of correlations: a triangle of shaded squares, the strongest pairs, and VIF beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fedps.looks.formats import correlation_text, number_text
from fedps.looks.page.markup import digits, text

Array = np.ndarray[Any, Any]

SHADES = 10
MOST_BESIDE = 36  # columns of a map that leaves room for tables beside it
ROOMS = 620, 960  # pixels for its squares, and for those of a map that stands alone
# sides of a square: a map of more columns than fit scrolls
SMALLEST, LARGEST, WITH_NUMBERS = 13, 54, 27
NAME_LETTERS = 16  # of a name beside the map; all of it is in its title
LETTER_WIDTH = 6.6  # pixels


def correlation_map(
    names: Sequence[Any],
    matrix: Array,
    rows: Array,
    vif: Array,
    marks: Mapping[tuple[int, int], str],
) -> str:
    """Return the drawing, with all that the script needs to read it out square by square."""
    room = ROOMS[len(names) > MOST_BESIDE]
    size = min(LARGEST, max(SMALLEST, room // max(1, len(names))))
    left = 12 + LETTER_WIDTH * min(NAME_LETTERS, max((len(str(name)) for name in names), default=1))
    side = size * len(names)
    whole = matrix.astype(np.float64).copy()
    for i, j in marks:
        whole[i, j] = whole[j, i] = np.nan
    drawn = f'<g transform="translate({left:.0f} 24)">{_squares(whole, size)}'
    if size >= WITH_NUMBERS:
        drawn += _numbers(whole, size)
    drawn += _labels(names, vif, size) + '<rect class="cursor"/></g>'
    width, height = left + side + 76, 24 + side + left
    return (
        f'<svg class="map" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" data-size="{size}" '
        f'data-left="{left:.0f}" {_map_data(whole, rows, marks)} aria-hidden="true">'
        f"{_HATCH.format(step=6 / size, line=2.4 / size)}{drawn}</svg>"
    )


_HATCH = (
    '<defs><pattern id="hatch" width="{step:.3g}" height="{step:.3g}" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><path class="hatch-line" stroke-width="{line:.3g}" d="M0 0V1"/>'
    "</pattern></defs>"
)


def shade(value: float) -> int:
    """Return the shade of a correlation, from -10 to 10."""
    return round(SHADES * max(-1.0, min(1.0, value)))


def _squares(matrix: Array, size: int) -> str:
    """Return a path for each shade: economical, as there may be twenty thousand squares."""
    paths: dict[str, list[str]] = {}
    for i in range(len(matrix)):
        for j in range(i + 1):
            value = float(matrix[i, j])
            paths.setdefault(_shade_name(value), []).append(f"M{j} {i}h1v1h-1z")
    drawn = "".join(f'<path class="{name}" d="{"".join(d)}"/>' for name, d in paths.items())
    return f'<g transform="scale({size})">{drawn}</g>'


def _shade_name(value: float) -> str:
    if np.isnan(value):
        return "none"
    level = shade(value)
    return f"s {'n' if level < 0 else 'p'}{abs(level)}"


def _numbers(matrix: Array, size: int) -> str:
    cells = []
    for i in range(len(matrix)):
        for j in range(i + 1):
            value = float(matrix[i, j])
            level = 0 if np.isnan(value) else abs(shade(value))
            kind = f' class="{"strong" if level >= 8 else "middle"}"' if level >= 6 else ""
            at = f'x="{size * (j + 0.5):g}" y="{size * (i + 0.5):g}"'
            cells.append(f"<text {at}{kind}>{digits(correlation_text(value))}</text>")
    return f'<g class="inside">{"".join(cells)}</g>'


def _labels(names: Sequence[Any], vif: Array, size: int) -> str:
    side = size * len(names)
    drawn = [f'<text class="head" x="{side + 62}" y="-10">VIF</text>']
    for i, name in enumerate(names):
        middle = size * (i + 0.5)
        full = text(name)
        cut = str(name) if len(str(name)) <= NAME_LETTERS else f"{str(name)[: NAME_LETTERS - 1]}…"
        short = text(cut)
        drawn.append(f'<text class="row" x="-8" y="{middle:g}">{short}<title>{full}</title></text>')
        under = f'transform="translate({middle:g} {side + 8}) rotate(-90)"'
        drawn.append(f'<text class="column" {under}>{short}<title>{full}</title></text>')
        shown = digits(number_text(float(vif[i])))
        drawn.append(f'<text class="vif" x="{side + 62}" y="{middle:g}">{shown}</text>')
    return "".join(drawn)


def _map_data(matrix: Array, rows: Array, marks: Mapping[tuple[int, int], str]) -> str:
    """Return the numbers below the diagonal, which the script reads out."""
    below = np.tril_indices(len(matrix))
    values = ",".join("" if np.isnan(v) else f"{round(1000 * v)}" for v in matrix[below])
    counts = rows[below].astype(int)
    told = [counts[0]] if counts.size and (counts == counts[0]).all() else counts
    hidden = ";".join(f"{max(i, j)},{min(i, j)},{mark}" for (i, j), mark in marks.items())
    return (
        f'data-values="{values}" data-rows="{",".join(map(str, told))}" data-marks="{text(hidden)}"'
    )
