"""Histograms as SVG paths: bars of all sites, and the outline of one site over them.

All are drawn upwards from 0 to -100 and from 0 to 1000 across, and stretched by the browser.
"""

from __future__ import annotations

from collections.abc import Sequence

WIDTH, HEIGHT = 1000, 100
LOWEST = 1.5  # a bar that is not empty can be seen
UNKNOWN = 16  # the height of what stands where a number is kept back

Counts = Sequence[float | None]


def densities(edges: Sequence[float], counts: Counts) -> list[float | None]:
    """Return the share of each bar per width, so that bars of different widths can be compared."""
    whole = sum(count for count in counts if count is not None) or 1.0
    widths = _positions(edges)
    return [
        None if count is None else count / whole / max(right - left, 1)
        for count, left, right in zip(counts, widths, widths[1:], strict=False)
    ]


def bar_path(edges: Sequence[float], heights: Sequence[float | None], top: float) -> str:
    """Return bars with small gaps between them.

    >>> bar_path((0.0, 1.0, 2.0), (0.5, 1.0), 1.0)
    'M15 0v-50H485V0zM515 0v-100H985V0z'
    """
    positions = _positions(edges)
    gap = min(15, WIDTH // (6 * max(1, len(heights))))
    return "".join(
        f"M{left + gap} 0v-{_scaled(height, top)}H{right - gap}V0z"
        for height, left, right in zip(heights, positions, positions[1:], strict=False)
        if height
    )


def outline_path(edges: Sequence[float], heights: Sequence[float | None], top: float) -> str:
    """Return the outline of bars, as one line.

    >>> outline_path((0.0, 1.0, 2.0), (0.5, 1.0), 1.0)
    'M0 0V-50H500V-100H1000V0'
    """
    steps, at = ["M0 0"], None
    for height, right in zip(heights, _positions(edges)[1:], strict=False):
        scaled = _scaled(height or 0.0, top)
        if scaled != at:
            steps.append(f"V-{scaled}" if scaled else "V0")
            at = scaled
        steps.append(f"H{right}")
    return "".join(steps) + "V0"


def unknown_path(edges: Sequence[float], heights: Sequence[float | None]) -> str:
    """Return what stands where numbers of a site are kept back, or nothing."""
    positions = _positions(edges)
    return "".join(
        f"M{left} 0v-{UNKNOWN}H{right}V0z"
        for height, left, right in zip(heights, positions, positions[1:], strict=False)
        if height is None
    )


def _positions(edges: Sequence[float]) -> list[int]:
    first, last = edges[0], edges[-1]
    span = last - first
    if not span > 0:
        return [round(WIDTH * i / (len(edges) - 1)) for i in range(len(edges))]
    return [round(WIDTH * (edge - first) / span) for edge in edges]


def _scaled(height: float, top: float) -> int:
    if not height:
        return 0
    return round(max(HEIGHT * height / top, LOWEST)) if top else 0
