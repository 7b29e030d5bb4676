"""A figure for each axis: a panel for each statistic, measured and as the paper has it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments import figures
from experiments.experiment import Line
from experiments.growth.measuring import AXES
from experiments.growth.statistics import STATISTICS
from experiments.growth.tables import Curve, curves

ACROSS = 4
PAPER = "growth that the paper states"
COLOURS = {"whole numbers": figures.LOCAL}
LABELS = {
    "rows": "rows per client",
    "columns": "columns",
    "categories": "categories per column",
    "clients": "clients",
}


def draw(lines: Sequence[Line], folder: Path) -> None:
    """Write ``growth-rows.svg`` and so on."""
    found = curves(lines)
    for along in AXES:
        if any(key[2] == along for key in found):
            _draw(found, along, folder)


def _draw(found: dict[tuple[str, str, str], Curve], along: str, folder: Path) -> None:
    names = [name for name, statistic in STATISTICS.items() if along in statistic.claims]
    height = -(-len(names) // ACROSS)
    figure, axes = figures.subplots(height, ACROSS, (10, 2.2 * height + 0.5), sharex=True)
    panels = [axis for row in axes for axis in row]
    for axis in panels[len(names) :]:
        axis.set_visible(False)
    for axis, name in zip(panels, names, strict=False):
        _panel(axis, found, name, along)
    for axis in panels[max(0, len(names) - ACROSS) : len(names)]:
        axis.set_xlabel(LABELS[along])
        axis.tick_params(labelbottom=True)
    for row in axes:
        row[0].set_ylabel("KB sent per client")
    _legend(figure, panels[: len(names)])
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.25 / figure.get_figheight()))
    figures.save(figure, folder, f"growth-{along}")


def _panel(axis: Any, found: dict[tuple[str, str, str], Curve], name: str, along: str) -> None:
    statistic = STATISTICS[name]
    for data in statistic.data:
        curve = found.get((name, data, along))
        if not curve:
            continue
        sizes = [size for size, _ in curve]
        sent = [number / 1000 for _, number in curve]
        first, claim = sizes[0], statistic.claims[along]
        paper = [sent[0] * (size / first) ** claim for size in sizes]
        axis.plot(sizes, paper, "--", color=figures.NONE, linewidth=1, label=PAPER)
        axis.plot(
            sizes, sent, "o-", color=COLOURS.get(data, figures.FEDERATED), markersize=3, label=data
        )
    axis.set(xscale="log", yscale="log")
    axis.set_title(f"{name}\n{statistic.cost}", fontsize=8)
    _room(axis)


def _room(axis: Any) -> None:
    """Show whole factors of ten, so that a flat curve looks flat, and label nothing between them."""
    low, high = axis.get_ylim()
    axis.set_ylim(10 ** np.floor(np.log10(low)), 10 ** np.ceil(np.log10(high)))
    axis.yaxis.set_major_formatter(lambda number, _: f"{number:g}")
    axis.minorticks_off()


def _legend(figure: Any, panels: list[Any]) -> None:
    """Explain the colours once; what has one kind of data has the colour of continuous columns."""
    entries: dict[str, Any] = {}
    for axis in panels:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            several = label in (PAPER, "whole numbers")
            entries.setdefault(label if several else "continuous columns, or texts", handle)
    figure.legend(entries.values(), entries, loc="upper center", ncols=len(entries))
