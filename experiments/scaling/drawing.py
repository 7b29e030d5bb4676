"""One figure: time above memory, a column of panels for each of rows, columns and clients."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.experiment import Line
from experiments.figures import FEDERATED, NONE, save, subplots
from experiments.scaling.cells import along
from experiments.scaling.tables import AXES

COLOURS = {"pooled": NONE, "federated": FEDERATED}
MARKERS = ("o", "s", "^", "D")
MEASURES = {"wall": ("seconds", 1.0), "peak": ("MB above the start", 1e-6)}
FLOOR = {"wall": 1e-3, "peak": 1e5}  # a page or a tick less is nothing on a logarithmic axis


def draw(lines: Sequence[Line], folder: Path) -> None:
    """Draw seconds and peak memory of both arms, all axes logarithmic."""
    figure, panels = subplots(2, len(AXES), (9.6, 5.6), sharex="col", sharey="row")
    for row, (what, (unit, _)) in zip(panels, MEASURES.items(), strict=True):
        for axis, panel in zip(AXES, row, strict=True):
            _panel(panel, along(lines, axis), axis, what)
        row[0].set_ylabel(unit)
    for axis, panel in zip(AXES, panels[1], strict=True):
        panel.set_xlabel(axis)
    handles, names = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=len(MARKERS), fontsize=8)
    figure.tight_layout(rect=(0, 0.09, 1, 1))
    save(figure, folder, "scaling")


def _panel(panel: Any, found: dict[str, list[Line]], axis: str, what: str) -> None:
    scale = MEASURES[what][1]
    for marker, (name, lines) in zip(MARKERS, found.items(), strict=False):
        sizes = [line.cell[axis] for line in lines]
        for arm, colour in COLOURS.items():
            taken = [max(line.found[name][arm][what], FLOOR[what]) * scale for line in lines]
            label = f"{name.split(' ')[0]}, {arm}"
            look = {"marker": marker, "markersize": 4, "linewidth": 1.2, "alpha": 0.9}
            panel.plot(sizes, taken, color=colour, label=label, **look)
    panel.set(xscale="log", yscale="log")
